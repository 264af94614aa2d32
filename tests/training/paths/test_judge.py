from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answerable.readers.paths import PathReader, ReadPath, Support
from answerable.training.paths import train as judging
from answerable.training.paths.train import candidates, judge, reader_of
from answerable.training.reading import NONE
from answerable.types import Candidate, Chain
from tests.training.paths.test_draw import ASKED, LAST, WRONG
from tests.training.paths.worlds import layout, model, write_bert


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def test_the_gold_path_stands_first_among_others_of_its_length() -> None:
    one = candidates(ASKED, 6, random.Random(1))
    keys = [chain.key for chain in one.chains]
    assert keys[0] == ("0", "1") and len(set(keys)) == len(keys) == 6
    assert all(len(key) == 2 for key in keys)
    few = candidates(replace(ASKED, wrong=WRONG[:1]), 50, random.Random(1))
    assert {chain.key for chain in few.chains} == {("0", "1"), ("0", "2"), ("1", "2")}
    assert [c.key for c in candidates(replace(ASKED, right=(LAST,)), 6, random.Random(1)).chains] == [("0",)]
    assert [c.key for c in candidates(replace(ASKED, right=(), kind=NONE), 6, random.Random(1)).chains] == [("0",)]


class Knowing:
    """Stands for a reader that finds what it is told to."""

    def __init__(self, best: tuple[str, ...], said: str, score: float, supporting: tuple[Support, ...]) -> None:
        self.best, self.said, self.score, self.supporting = best, said, score, supporting

    def look(self, question: str, chains: tuple[Chain, ...]) -> list[ReadPath]:
        return [
            ReadPath(c, float(c.key == self.best), (Candidate(self.said, self.score, c, 0, 0, 1),), self.supporting)
            for c in chains
        ]


@pytest.mark.parametrize(
    ("best", "said", "supporting", "expected"),
    [
        (("0", "1"), "1848", (Support(0, 0, 16, 1.0), Support(1, 19, 44, 1.0)), (1.0, 1.0, 1.0)),
        (("0", "3"), "in 1848", (Support(0, 0, 16, 1.0),), (2 / 3, 0.0, 2 / 3)),
        (("0", "3"), "Ross", (), (0.0, 0.0, 0.0)),
    ],
)
def test_figures_of_a_two_hop_question(
    bert: Path,
    monkeypatch: pytest.MonkeyPatch,
    best: tuple[str, ...],
    said: str,
    supporting: tuple[Support, ...],
    expected: tuple[float, ...],
) -> None:
    monkeypatch.setattr(judging, "reader_of", lambda *_: Knowing(best, said, -1.0, supporting))
    found = judge(model(bert), layout(bert), [candidates(ASKED, 9999, random.Random(1))])
    assert list(found) == ["hotpotqa answer", "hotpotqa passages", "hotpotqa sentences"]
    assert tuple(found.values()) == pytest.approx(expected)


@pytest.mark.parametrize(("score", "answered", "unanswered"), [(2.0, 1.0, 0.0), (-2.0, 0.0, 1.0)])
def test_over_one_passage_an_answer_has_to_beat_none(
    bert: Path, monkeypatch: pytest.MonkeyPatch, score: float, answered: float, unanswered: float
) -> None:
    monkeypatch.setattr(judging, "reader_of", lambda *_: Knowing(("0",), "1848", score, ()))
    one = replace(ASKED, right=(LAST,), source="nq")
    none = replace(ASKED, right=(), kind=NONE, source="squad2", answers=())
    found = judge(model(bert), layout(bert), [candidates(one, 3, random.Random(1)) for one in (one, none)])
    assert found == {"nq answer": answered, "nq sentences": 0.0, "squad2 answer": unanswered}


def test_a_model_in_training_reads_as_any_reader(bert: Path) -> None:
    reader = reader_of(model(bert), layout(bert), {})
    assert isinstance(reader, PathReader)
    one = candidates(ASKED, 6, random.Random(1))
    (gold, *_), alone = reader.look(ASKED.question, one.chains), reader.look(ASKED.question, one.chains[:1])[0]
    assert gold.score == pytest.approx(alone.score, abs=0.1) and np.isfinite(gold.score)
