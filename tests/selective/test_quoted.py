"""How sure a written answer is: by its quotes and by what the reader beside it says."""

from __future__ import annotations

from answerable.selective.features import NAMES
from answerable.selective.quoted import QUOTED, measured
from answerable.testing.reader import LIGHT, OTHER, chain
from answerable.types import Candidate

CHAINS = [chain(LIGHT), chain(OTHER)]
WRITTEN = Candidate("It was designed by Alan Stevenson.", 0.0, CHAINS[0], 0, 145, 170)


def read(text: str, score: float, which: int = 0) -> Candidate:
    return Candidate(text, score, CHAINS[which], 0, 100, 101)


def sure(quoted: float, *others: Candidate) -> float:
    return QUOTED.sure(measured("Who designed it?", WRITTEN, quoted, others, CHAINS))


def test_the_more_is_quoted_the_surer() -> None:
    shares = [sure(share / 4) for share in range(5)]
    assert shares == sorted(shares) and shares[0] < QUOTED.threshold < shares[-1]


def test_a_reader_that_agrees_makes_it_surer_and_one_that_does_not_less_sure() -> None:
    alone, agreed = sure(0.6), sure(0.6, read("Alan Stevenson", 2.0), read("Chance Brothers", -1.0, 1))
    against = sure(0.6, read("Chance Brothers", 2.0, 1), read("1844", 1.0))
    assert against < agreed and against <= alone
    choice = measured("Who designed it?", WRITTEN, 0.6, [read("Chance Brothers", 2.0, 1)], CHAINS)
    assert choice.text == WRITTEN.text and choice.features[NAMES.index("score")] == 0.6
    assert choice.features[NAMES.index("rank")] == 1.0
