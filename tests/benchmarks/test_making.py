"""What is made once is counted and kept by variant, and goes on where it was stopped."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from answerable.errors import UsageError
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.types import Passage
from making import BLOCK, Counts, Makers, Variant, counts, make, pairs

TEXTS = ("Rollo led 911 men", "In 911 Rollo came", "nothing here")
PASSAGES = [Passage(f"d{n}@0-{len(t)}", f"d{n}", "wiki", f"D{n}", t, 0, len(t)) for n, t in enumerate(TEXTS)]


class Words:
    """Words of a kind as answers."""

    def __init__(self, name: str, wanted: Sequence[str]) -> None:
        self.name, self.wanted = name, wanted

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        return [
            [
                Extracted(at, at + len(word), word, 0.5, self.name)
                for word in self.wanted
                if (at := one.text.find(word)) >= 0
            ]
            for one in passages
        ]


class TwoEach:
    """A good and a poor question for each answer; stops when it was told to."""

    name = "two"

    def __init__(self, most: int = 99) -> None:
        self.most, self.seen = most, 0

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        self.seen += len(passages)
        if self.seen > self.most:
            raise KeyboardInterrupt
        return [
            [
                Generated(f"{how} {one.text}?", one, score, "two")
                for one in own
                for how, score in (("what", 0.9), ("which", 0.2))
            ]
            for own in answers
        ]


FIT = PairCalibration((1.0,), -1.5, 0.5, "kept", weighed=("read",))


class Kept:
    """Keeps the questions that begin with a word."""

    def __init__(self, name: str, word: str) -> None:
        self.name, self.word = name, word

    def scores(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float | None]]:
        """What names Rollo is sure."""
        return [
            [float("R" in one.question) + 1 if one.question.startswith(self.word) else None for one in own]
            for own in made
        ]


class Halves:
    """Every passage is asked about half the time."""

    name = "halves"

    def score(self, passages: Sequence[Passage]) -> list[float]:
        return [0.5] * len(passages)


SPANS = Words("spans", ["911", "Rollo"])
FILTERS = [Kept("local", "w"), Kept("global", "what R")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    make(PASSAGES, Makers(SPANS, TwoEach(), FILTERS, Halves(), FIT), tmp_path / "made.jsonl", lambda *_: None)
    return tmp_path / "made.jsonl"


def test_counts_by_questions_and_filter(path: Path):
    assert counts(path, Variant(1)) == Counts(4, 2, 2)
    assert counts(path, Variant(2)) == Counts(4, 4, 4)
    assert counts(path, Variant(2, "local")) == Counts(4, 4, 2)
    assert counts(path, Variant(2, "local", surely=False)) == Counts(4, 4, 4)
    assert counts(path, Variant(2, "global")) == Counts(4, 4, 1)
    assert counts(path, Variant(2, "global")).ratio == 0.25


def test_pairs_of_a_variant_stand_once_with_their_place(path: Path):
    (one,) = pairs(path, Variant(1, "global"))
    assert (one.question, one.answers, one.passage_id, one.enclave) == ("what Rollo?", ("Rollo",), "d0@0-17", "wiki")
    assert TEXTS[0][one.start : one.end] == "Rollo"
    assert one.score == 0.45 * FIT.confidence((2.0,))  # a half for the passage, 0.9 for the question, and being right
    assert {p.question for p in pairs(path, Variant(1))} == {"what Rollo?", "what 911?"}
    assert pairs(path, Variant(1), ["d2@0-12"]) == []


def test_it_goes_on_where_it_was_stopped_and_mixes_nothing(tmp_path: Path):
    many = [Passage(f"d{n}@0-9", f"d{n}", "wiki", "", f"Rollo {n}", 0, 9) for n in range(3 * BLOCK)]
    path = tmp_path / "made.jsonl"
    with pytest.raises(KeyboardInterrupt):
        make(many, Makers(SPANS, TwoEach(BLOCK), FILTERS), path, lambda *_: None)
    rest = TwoEach()
    make(many, Makers(SPANS, rest, FILTERS), path, lambda *_: None)
    assert rest.seen == 2 * BLOCK and counts(path, Variant(each=1)).answers == 3 * BLOCK
    with pytest.raises(UsageError, match="made with"):
        make(PASSAGES, Makers(SPANS, TwoEach(), FILTERS), path, lambda *_: None)
