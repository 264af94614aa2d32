"""Which documents are judged by which constraints: positives again and again, negatives at random and by BM25.

As the paper has it (Malaviya et al. 2023, appendix A), about as many positives as negatives, these half at random and
half among what BM25 finds for the constraint. What a document is asked in one reading goes into one lesson, with other
constraints of its set, which cost little more.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.training.corpora import Lexical
from answerable.training.reading import lines_of
from answerable.training.sets.constraint_sets import Constraint, ConstraintSet, Text


@dataclass(frozen=True, slots=True)
class Lesson:
    """A text and what it is asked: each constraint with 1.0 where it fits and 0.0 where it does not."""

    source: str
    text: Text
    asked: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class FitDraw:
    """How lessons are drawn. Of each constraint up to `positives` documents that fit and, for each of these, `alike`
    that BM25 finds and `other` at random. A document is asked too up to `own` other constraints that it fits and
    `further` ones at random, up to `asked` in a lesson.
    """

    positives: int = 16
    alike: float = 1.0
    other: float = 0.5
    asked: int = 8
    own: int = 2
    further: int = 2


Alike = dict[str, tuple[int, ...]]
"""For a constraint in words, the documents that BM25 finds for it, best first."""


def lessons(
    held: ConstraintSet, much: Sequence[Constraint], alike: Alike, settings: FitDraw, rng: random.Random
) -> Iterator[Lesson]:
    """The lessons of one epoch, over the constraints `much` of a set, in the order of its documents."""
    fitting = [set(one.fits) for one in held.constraints]
    place = {id(one): number for number, one in enumerate(held.constraints)}
    whole = [number for number, one in enumerate(held.constraints) if one.whole]
    asked: defaultdict[int, dict[int, float]] = defaultdict(dict)
    fitted: defaultdict[int, list[int]] = defaultdict(list)
    for number in whole:
        for document in fitting[number]:
            fitted[document].append(number)
    for one in much:
        number = place[id(one)]
        for document, label in _drawn(one, fitting[number], len(held.documents), alike, settings, rng):
            asked[document][number] = label
    for document in sorted(asked):
        found = asked[document]
        for number in rng.sample(fitted[document], min(len(fitted[document]), settings.own)):
            found.setdefault(number, 1.0)
        for number in rng.sample(whole, min(len(whole), settings.further)):
            found.setdefault(number, float(document in fitting[number]))
        rows = [(_worded(held.constraints[number], rng), label) for number, label in found.items()]
        rng.shuffle(rows)
        for begin in range(0, len(rows), settings.asked):
            yield Lesson(held.name, held.documents[document], tuple(rows[begin : begin + settings.asked]))


def read_lessons(path: Path, source: str) -> list[Lesson]:
    """The lessons of a file, a line each: `title`, `text`, and `asked`, pairs of a constraint and 1 or 0.

    Raises `FormatError` for a file that is missing or broken.
    """
    return [
        Lesson(source, (row["title"], row["text"]), tuple((text, float(label)) for text, label in row["asked"]))
        for row in lines_of(path)
    ]


def _drawn(
    one: Constraint, fits: set[int], size: int, alike: Alike, settings: FitDraw, rng: random.Random
) -> Iterator[tuple[int, float]]:
    right = rng.sample(one.fits, min(settings.positives, len(one.fits)))
    yield from ((document, 1.0) for document in right)
    yield from ((document, 0.0) for document in rng.sample(one.breaks, min(settings.positives, len(one.breaks))))
    count = max(1, len(right)) if not one.breaks else len(right)
    if one.whole:
        near = [document for document in alike.get(one.text, ()) if document not in fits]
        yield from ((document, 0.0) for document in rng.sample(near, min(len(near), round(settings.alike * count))))
    for _ in range(round(settings.other * count) or 1):
        document = rng.randrange(size)
        if document not in fits:
            yield document, 0.0


def _worded(one: Constraint, rng: random.Random) -> str:
    return rng.choice(one.others) if one.others and rng.random() < 0.5 else one.text


def looking_alike(held: ConstraintSet, folder: Path, most: int) -> Alike:
    """The best `most` documents by words for each constraint of a set that says all that fits it."""
    if not any(one.whole for one in held.constraints):
        return {}
    texts = {str(number): text for number, text in enumerate(held.documents)}
    found = Lexical(texts, folder / f"bm25-{held.name}")
    return {one.text: tuple(map(int, found.best(one.text, most))) for one in held.constraints if one.whole}
