"""Whether each document fits the query, and which sentences say so (section 3.3.3, figure 6).

Judged are the answers of a query and what systems found for it (`pooled`). An answer leaves where more than half of
those who judged it call it likely or definitely not relevant, and a pooled document joins where they do not. Evidence
is kept as phrases of the query with sentences of the document and their characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.errors import FormatError
from answerable_bench.grammar import sentences
from answerable_bench.sets.pooled import pooled, shown
from answerable_bench.sets.queries import SetQuery
from answerable_bench.sets.rounds import Answer, Task, choice, most, open_round, present

RATING, EVIDENCE, ATTRIBUTION = "rating", "evidence", "attribution"
COMPLETE, PARTIAL, NONE = "complete", "partial", "none"
LABELLING = open_round("label")
RATINGS = dict(LABELLING.asked[0].choices)
"""What a rating says, from definitely relevant (3) to definitely not (0)."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What was said of one document and query, by each annotator in order."""

    ratings: tuple[int, ...]
    evidence: tuple[str, ...]
    attributions: tuple[Mapping[str, Any], ...]

    @property
    def relevant(self) -> bool:
        """Whether the document stays an answer."""
        return not most([rating < 2 for rating in self.ratings])


def tasks(folder: Path, queries: Sequence[SetQuery]) -> list[Task]:
    """Each query with each of its documents and of those pooled for it, whose sentences are numbered."""
    more = pooled(folder)
    return shown(folder, [(one, [*dict.fromkeys((*one.docs, *more.get(one.id, ())))]) for one in queries])


def read(task: Task, cells: Mapping[str, str], where: str) -> Answer | None:
    """The rating, the evidence and the attributions of a row; none where it has no rating."""
    if not any(cells[question.name].strip() for question in LABELLING.asked):
        return None
    rating, evidence = (choice(one, cells, where) for one in LABELLING.asked[:2])
    written = " ".join(cells[ATTRIBUTION].split())
    return {
        "query": task["query"],
        RATING: int(rating),
        EVIDENCE: evidence,
        "attributions": _attributions(task, written, where),
        "cells": {ATTRIBUTION: written},
    }


def _attributions(task: Task, written: str, where: str) -> list[dict[str, Any]]:
    """Phrases with the sentences that show them: their numbers, characters [start, end) of the document, and text."""
    cut = {one.number: one for one in sentences(task["plain text"])}
    found = []
    for part in filter(None, (part.strip() for part in written.split(";"))):
        phrase, colon, numbers = part.rpartition(":")
        phrase = phrase.strip().strip('"“”')
        start = task["query"].casefold().find(phrase.casefold()) if phrase else -1
        if not colon or start < 0:
            raise FormatError(
                f"{where} has an attribution of no phrase of the query", hint="war films: 0 3; in Asia: 2"
            )
        for number in numbers.replace(",", " ").split():
            if not number.isdecimal() or int(number) not in cut:
                raise FormatError(f"{where} points at a sentence that is not there", hint="the numbers in brackets")
            one = cut[int(number)]
            place = {"phrase start": start, "phrase end": start + len(phrase)}
            place |= {"sentence": one.number, "start": one.start, "end": one.end}
            found.append({"phrase": phrase, **place, "text": one.text})
    return found


def labels(folder: Path, queries: Sequence[SetQuery]) -> dict[tuple[str, str], Labels]:
    """What was said of each query, in its present words, and document."""
    rows = present(LABELLING, folder, {one.id: one.text for one in queries})
    return {
        key: Labels(
            tuple(row[RATING] for row in ones),
            tuple(row[EVIDENCE] for row in ones),
            tuple(one for row in ones for one in row["attributions"]),
        )
        for key, ones in rows.items()
    }


def relevant(
    queries: Sequence[SetQuery], said: Mapping[tuple[str, str], Labels], more: Mapping[str, Sequence[str]]
) -> list[SetQuery]:
    """The queries without documents that do not fit, with those `more` that do, and without queries that have no answer
    left."""
    found = []
    for one in queries:
        docs = tuple(id for id in one.docs if (one.id, id) not in said or said[one.id, id].relevant)
        added = (id for id in more.get(one.id, ()) if (one.id, id) in said and said[one.id, id].relevant)
        docs = tuple(dict.fromkeys((*docs, *added)))
        if docs:
            found.append(replace(one, docs=docs))
    return found
