"""Of two versions of a document the newer one counts: "excess: £350" of `insurance-2025`, and not "£250" of 2024."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from answerable.corpora.citations import FindDocument
from answerable.corpora.fields import BETWEEN_PEOPLE
from answerable.corpora.tables import statements
from answerable.readers.resting import hit_of
from answerable.text import normalise_answer, overlap, words
from answerable.types import Candidate, Document

ALIKE = 0.6
"""Dice coefficient from which two sentences say the same but for their answers."""
_NUMBER = re.compile(r"\d+")
_MONTHS = frozenset(name.lower() for name in month_name if len(name) > 3)
"""But for May, which asks for leave as well."""
_BEFORE = re.compile(
    r"\b(?:before|earlier|formerly|former|older|old|originally|original|previous|used to|was|were|did)\b"
)


@dataclass(frozen=True, slots=True)
class _Version:
    """The name of a file without its numbers, and these; the folder it lies in counts as its name."""

    name: str
    numbers: tuple[int, ...]


def newest(question: str, found: Sequence[Candidate], find: FindDocument) -> tuple[list[Candidate], tuple[str, ...]]:
    """What was found, best first, without what a newer version of its document says otherwise in the same words: that
    is as likely then. And what to say where an older version's answer was the best.

    Versions are files of one folder whose names differ in their numbers alone. A question that has a number of the
    older one's name, names a month or asks how something was, may mean that one.
    """
    if len(found) < 2 or _BEFORE.search(question.lower()) or not _MONTHS.isdisjoint(words(question)):
        return [*found], ()
    asked = {*map(int, _NUMBER.findall(question))}
    versions = [_version(find(hit_of(one).passage)) for one in found]
    scores: dict[int, float] = {at: one.score for at, one in enumerate(found)}
    notes: tuple[str, ...] = ()
    for at, old in enumerate(found):
        mine = versions[at]
        if mine is None or asked & {*mine.numbers}:
            continue
        later = [
            (its.numbers, found[number].score, number)
            for number, its in enumerate(versions)
            if its and its.name == mine.name and its.numbers > mine.numbers and _otherwise(old, found[number])
        ]
        if later:
            *_, number = max(later)
            scores[number] = max(scores.get(number, old.score), scores.pop(at))
            said = f'an older version, {hit_of(old).passage.title}, says "{" ".join(old.text.split())}"'
            notes = notes if at else (said,)
    kept = [replace(found[at], score=score) for at, score in scores.items()]
    return sorted(kept, key=lambda one: -one.score), notes


def _version(document: Document | None) -> _Version | None:
    if document is None or document.kind in BETWEEN_PEOPLE or "://" in document.source:  # a server is no file
        return None
    path = PurePosixPath(document.source)
    numbers = [int(one) for one in _NUMBER.findall(path.stem)]
    if len(numbers) > 1 and numbers[-1] > 31 >= numbers[0]:  # a day and a month before the year
        numbers.reverse()
    return _Version(f"{path.parent}/{_NUMBER.sub('', path.stem.lower())}", (*numbers,)) if numbers else None


def _otherwise(old: Candidate, new: Candidate) -> bool:
    """Whether two answers differ, and the sentences they stand in hardly do."""
    if normalise_answer(old.text) == normalise_answer(new.text):
        return False
    return overlap(_without(old), _without(new)) >= ALIKE


def _without(one: Candidate) -> str:
    """The sentences that an answer stands in, without it."""
    passage = hit_of(one).passage
    start, end = one.start - passage.start, one.end - passage.start
    if (start, end) == (0, len(passage.text)):
        return passage.text
    own = [(first, last) for first, last in statements(passage.text) if first < end and start < last]
    first, last = (own[0][0], own[-1][1]) if own else (start, end)
    return f"{passage.text[first:start]} {passage.text[end:last]}"
