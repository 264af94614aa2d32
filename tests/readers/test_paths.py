"""The path reader on hidden vectors made by hand; what is trained is tested where it is exported."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from answerable.readers.paths import MARK, SEARCHED, Floats, Heads, PathLayout, PathReader
from answerable.testing.reader import chain
from answerable.types import Candidate

WORDS = "alan stevenson built it . the bell a tower glass who was lamp".split()
TOKENS = ["[UNK]", "[CLS]", "[SEP]", "yes", "no", MARK, *WORDS]
CLS, START, END, SUPPORT = (np.eye(4, dtype=np.float32)[i] for i in range(4))
HEADS = Heads(CLS, SUPPORT, np.stack([START, END]), np.zeros(2, np.float32))
"""Vectors say in turn how good a passage is, how likely an answer begins and ends, and how much a token supports."""


def layout(most: int = 96) -> PathLayout:
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(TOKENS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    return PathLayout(tokenizer, most)


class Made:
    """Vectors by rule: a path with Alan in it is good, Alan begins an answer, Stevenson ends one and supports."""

    def __init__(self) -> None:
        self.rows: list[Sequence[int]] = []

    def __call__(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        self.rows += rows
        return [self._one([TOKENS[token] for token in row]) for row in rows]

    @staticmethod
    def _one(words: list[str]) -> Floats:
        out = np.zeros((len(words), 4), np.float32)
        passage = 0
        for place, word in enumerate(words):
            if word == MARK:
                passage = place
                out[place] -= 3 * CLS
            out[place] += {"alan": 4 * START, "stevenson": 4 * END + 9 * SUPPORT, "yes": START}.get(word, 0 * CLS)
            if word == "alan":
                out[passage] += 5 * CLS
        out[0] = CLS + START + END + SUPPORT
        return out


GOOD, OTHER = "the bell was a tower . alan stevenson built it .", "the lamp was glass . the bell was it ."


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def reader(made: Made) -> PathReader:
    return PathReader(layout(), HEADS, made, split)


def split(text: str) -> list[tuple[int, int]]:
    """The first sentence, and the rest."""
    end = text.index(" .") + 2
    return [(0, end), (end + 1, len(text))]


def test_a_score_is_how_far_an_answer_is_above_none(reader: PathReader) -> None:
    path = chain(OTHER, GOOD, title="tower", start=50)
    best = reader.look("who built it", [path])[0].candidates[0]
    at = 50 + GOOD.index("alan")
    assert best == Candidate("alan stevenson", 6.0, path, 1, at, at + len("alan stevenson"))


def test_a_polar_question_weighs_yes_against_none(reader: PathReader) -> None:
    path = chain(GOOD, OTHER)
    found = reader.look("was it a tower", [path])[0].candidates
    assert [(c.text, c.score) for c in found] == [("yes", -1.0), ("no", -2.0)]
    assert all((c.hit, c.start, c.end) == (1, 100, 100 + len(OTHER)) for c in found)


def test_paths_of_any_length_are_ranked_by_what_their_passages_are_above_the_threshold(reader: PathReader) -> None:
    short, half, wrong = chain(GOOD), chain(GOOD, OTHER), chain(OTHER)
    ranked = reader.rank("who built it", [wrong, half, short])
    second = 1.0 - SEARCHED * math.log(2)  # of the paths of one passage the other was found first
    assert [(path.key, score) for path, score in ranked] == [(short.key, second), (half.key, -3.0), (wrong.key, -4.0)]


def test_of_equal_paths_the_one_found_first_is_first(reader: PathReader) -> None:
    twice = [chain(OTHER + " it"), chain(OTHER)]
    for order in (twice, twice[::-1]):
        found = reader.rank("who built it", order)
        assert [path.key for path, _ in found] == [path.key for path in order]
        assert found[0][1] - found[1][1] == pytest.approx(SEARCHED * math.log(2))


def test_supporting_sentences_are_those_above_the_threshold(reader: PathReader) -> None:
    path = chain(OTHER, GOOD, start=10)
    looked, other = reader.look("who built it", [path, chain(OTHER)])
    (support,) = looked.supporting
    first = GOOD.index("alan")
    assert (support.hit, support.start, support.end) == (1, 10 + first, 10 + len(GOOD))
    assert support.score == pytest.approx(9 / 5 - 1)
    assert other.supporting == () and reader.look(" ", [path]) == []


def test_one_look_gives_all_and_each_path_is_run_alone(reader: PathReader, made: Made) -> None:
    chains = [chain(GOOD), chain(OTHER, GOOD)]
    looked = reader.look("who built it", chains)
    assert len(made.rows) == 2 and [path.chain for path in looked] == chains
    assert [path.score for path in looked] == [dict(_scores(reader, chains))[path.chain.key] for path in looked]
    assert looked == [reader.look("who built it", [one])[0] for one in chains]


def _scores(reader: PathReader, chains: Sequence) -> list[tuple[tuple[str, ...], float]]:  # type: ignore[type-arg]
    return [(path.key, score) for path, score in reader.rank("who built it", chains)]


def test_a_path_longer_than_a_sequence_is_read_in_windows(reader: PathReader, made: Made) -> None:
    filler = "the bell was a tower " * 60 + ". "
    path = chain(f"{filler}alan stevenson built it .")
    (whole,) = reader.look("who built it", [path])
    assert len(made.rows) > 3 and all(len(row) <= 96 for row in made.rows)
    assert max(whole.candidates, key=lambda one: one.score).text == "alan stevenson"
    assert whole.score == 1.0
    assert [(support.hit, support.start) for support in whole.supporting] == [(0, 100 + len(filler))]
