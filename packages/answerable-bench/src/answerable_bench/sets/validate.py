"""Whether a query in its words is fluent, means what was composed, and would be asked (section 3.3.2, figure 5).

A query stays unless more than half of those who judged it say that it is not fluent, that it does not have the same
meaning, or that nobody would ask it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable_bench.sets.queries import SetQuery
from answerable_bench.sets.rounds import ANNOTATOR, ID, Answer, Task, choice, most, open_round, present

ANNOTATORS = 3
"""How many people judge each query in the paper."""
QUESTIONS = FLUENCY, MEANING, NATURALNESS = "fluency", "meaning", "naturalness"
VALIDATION = open_round("validate")
_BAD = {FLUENCY: {"not"}, MEANING: {"different", "ambiguous"}, NATURALNESS: {"no"}}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was said of one query in its present words, by each annotator in order: its answers by question."""

    by: tuple[str, ...]
    said: Mapping[str, tuple[str, ...]]

    def good(self, question: str) -> list[bool]:
        """Of each annotator, whether the answer speaks for the query."""
        return [one not in _BAD[question] for one in self.said[question]]

    @property
    def stands(self) -> bool:
        """Whether no majority speaks against the query."""
        return not any(most([not good for good in self.good(question)]) for question in _BAD)


def tasks(queries: Sequence[SetQuery]) -> list[Task]:
    """The queries as composed and as asked."""
    return [{ID: one.id, "original": one.original, "query": one.text} for one in queries]


def read(task: Task, cells: Mapping[str, str], where: str) -> Answer | None:
    """The three answers of a row; none where all are empty."""
    if not any(cells[question.name].strip() for question in VALIDATION.asked):
        return None
    return {"query": task["query"]} | {one.name: choice(one, cells, where) for one in VALIDATION.asked}


def verdicts(folder: Path, queries: Sequence[SetQuery]) -> dict[str, Verdicts]:
    """What was said of each query that was judged in its present words, by its id."""
    rows = present(VALIDATION, folder, {one.id: one.text for one in queries})
    return {
        id: Verdicts(tuple(row[ANNOTATOR] for row in ones), {name: tuple(row[name] for row in ones) for name in _BAD})
        for id, ones in rows.items()
    }
