"""The reader of many passages on scores made by hand; what is trained is tested where it is exported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from answerable.readers import fused
from answerable.readers.fused import Floats, FusedReader
from answerable.testing.reader import chain
from answerable.types import Candidate, Chain
from tests.readers.test_paths import TOKENS, layout

NONE = 0.5


class Made:
    """Scores by rule: a span of one word that is a key here; of two words the sum, and 1 for the pair."""

    def __init__(self) -> None:
        self.rows: list[list[Sequence[int]]] = []
        self.words = {"alan": 2.0, "stevenson": 1.5, "glass": 1.0, "the": 1.0, "who": 9.0, "yes": -1.0, "no": 0.25}

    def __call__(self, rows: Sequence[Sequence[int]]) -> tuple[Floats, float]:
        self.rows.append(list(rows))
        scores = np.full((len(rows), max(map(len, rows)), 2), 0.0, np.float32)
        for row, ids in enumerate(rows):
            said = [self.words.get(TOKENS[token], -20.0) for token in ids]
            scores[row, : len(ids), 0] = said
            scores[row, : len(ids) - 1, 1] = np.array(said[:-1]) + said[1:] + 1
        return scores, NONE


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def reader(made: Made) -> FusedReader:
    return FusedReader(layout(), made)


GOOD, OTHER = "the bell . alan stevenson built it .", "who was glass . alan ."


def odds(*scores: float) -> float:
    return math.log(sum(math.exp(score) for score in scores)) - NONE


def test_spans_that_say_the_same_add_up_wherever_they_stand(reader: FusedReader, made: Made) -> None:
    first, second = chain(GOOD, OTHER, title="tower", start=50), chain(OTHER)
    found = {c.text: c for c in reader.read("who built it", [first, replace(second, hits=())])}
    at = 50 + GOOD.index("alan")
    assert found["alan stevenson"] == Candidate(
        "alan stevenson", pytest.approx(odds(4.5)), first, 0, at, at + len("alan stevenson")
    )
    assert found["alan"].score == pytest.approx(odds(2.0, 2.0))
    assert (found["alan"].hit, found["alan"].start) == (0, at)  # the first of two that score the same
    assert "the" not in found and "" not in found  # an article says nothing
    assert found["who"].hit == 1  # that of the question cannot be pointed at
    assert all("tower" not in text for text in found)  # nor can a title


def test_a_passage_is_read_once_whatever_chains_hold_it(reader: FusedReader, made: Made) -> None:
    long = chain(GOOD, OTHER)
    short, again = Chain(long.hits[1:], 3.0, long.label), Chain(long.hits[:1], 9.0, long.label)
    found = reader.read("who built it", [short, long, again])
    assert [len(rows) for rows in made.rows] == [2]
    assert {(c.chain, c.hit) for c in found} == {(short, 0), (long, 0)}  # the first chain given that holds it
    orders = [reader.read("who built it", order) for order in ([long, short], [again, long], [long])]
    assert all([(c.text, c.score) for c in order] == [(c.text, c.score) for c in found] for order in orders)


def test_two_enclaves_may_hold_passages_of_one_id(reader: FusedReader, made: Made) -> None:
    (hit,) = (one := chain(GOOD)).hits
    other = Chain(
        (replace(hit, passage=replace(hit.passage, enclave="mail", text="glass ."), label=frozenset({"mail"})),),
        1.0,
        frozenset({"mail"}),
    )
    found = {c.text: c.chain for c in reader.read("who built it", [one, other])}
    assert found["glass"] == other and found["alan stevenson"] == one


def test_a_polar_question_weighs_yes_and_no_of_all_passages_against_none(reader: FusedReader) -> None:
    path = chain(GOOD, OTHER)
    found = reader.read("was it a tower", [path])
    assert [(c.text, c.score) for c in found] == [
        ("no", pytest.approx(odds(0.25, 0.25))),
        ("yes", pytest.approx(odds(-1, -1))),
    ]
    assert all((c.hit, c.start, c.end) == (0, 100, 100 + len(GOOD)) for c in found)


def test_windows_of_a_long_passage_say_a_thing_once(reader: FusedReader, made: Made) -> None:
    path = chain("the bell was a tower " * 60 + ". alan stevenson built it .")
    found = reader.read("who built it", [path])
    assert len(made.rows[0]) > 3 and all(len(row) <= 96 for row in made.rows[0])
    assert found[0].text == "alan stevenson" and found[0].score == pytest.approx(odds(4.5))
    assert path.hits[0].passage.text[found[0].start - 100 : found[0].end - 100] == "alan stevenson"


def test_more_than_can_be_read_together_is_read_in_groups(
    reader: FusedReader, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    chains = [chain(OTHER), chain(GOOD), chain("a lamp . alan ."), chain("it was glass .")]
    whole = reader.read("who built it", chains)
    monkeypatch.setattr(fused, "MOST", 3)
    parts = reader.read("who built it", chains)
    assert [len(rows) for rows in made.rows] == [4, 3, 1]
    assert [(c.text, pytest.approx(c.score)) for c in parts] == [(c.text, c.score) for c in whole]


def test_only_the_best_answers_are_given(reader: FusedReader, monkeypatch: pytest.MonkeyPatch) -> None:
    every = reader.read("who built it", [chain(GOOD, OTHER)])
    monkeypatch.setattr(fused, "GIVEN", 2)
    assert reader.read("who built it", [chain(GOOD, OTHER)]) == every[:2] and len(every) > 2
