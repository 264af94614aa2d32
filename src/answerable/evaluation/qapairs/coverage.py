"""How many answers that people gave are the answers of pairs (PAQ, section 5.1 and table 1).

    coverage = questions one of whose gold answers is an answer of some pair, by all questions
    of the passage = the same where that pair was made of a passage that the question was written for

Answers are compared as exact match compares them. The paper counts the first; over a corpus as large as Wikipedia
nearly every short answer stands somewhere, so the second says more of a small one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from answerable.datasets.examples import Example
from answerable.evaluation.tasks.passages import name_of
from answerable.text import normalise_answer
from answerable.types import QAPair


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of questions. `placed` have a known passage; `covered_there` of these are covered by a pair of it."""

    questions: int
    covered: int
    placed: int
    covered_there: int

    @property
    def share(self) -> float | None:
        """Of all questions, 0 to 1; None where there are none."""
        return self.covered / self.questions if self.questions else None

    @property
    def share_there(self) -> float | None:
        """Of those with a known passage, 0 to 1; None where there are none."""
        return self.covered_there / self.placed if self.placed else None


def coverage(examples: Iterable[Example], pairs: Iterable[QAPair]) -> Coverage:
    """Count the questions that have an answer, and those that are covered."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for answer in filter(None, map(normalise_answer, pair.answers)):
            places[answer].add(pair.passage_id)
    counts = [0, 0, 0, 0]
    for example in examples:
        gold = {answer for answer in map(normalise_answer, example.answers) if answer}
        if not gold:
            continue
        found = gold & places.keys()
        named = frozenset(example.supporting)
        there = any(_of(passage, named) for answer in found for passage in places[answer]) if named else False
        ones = (True, bool(found), bool(named), there)
        counts = [count + one for count, one in zip(counts, ones, strict=True)]
    return Coverage(*counts)


def _of(passage: str, gold: frozenset[str]) -> bool:
    """Whether a passage is of one of these documents, as the data calls them."""
    return name_of(passage.rpartition("@")[0] or passage, gold) in gold
