"""What judging constraints is learned from: documents, constraints with the documents that fit them, and lessons.

A set is a folder that `answerable-bench sets build` wrote, or the data of QUEST. Of a benchmark the atoms and queries
of the wanted part are used, and only documents' texts are shared between parts.

As the paper has it (Malaviya et al. 2023, appendix A), positives are judged again and again, with about as many
negatives, half at random and half among what BM25 finds for the constraint. What a document is asked in one reading
goes into one lesson, with other constraints of its set, which cost little more.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from answerable.datasets.parts import question_part
from answerable.evaluation.sets.meaning import TEMPLATES
from answerable.training.corpora import Lexical
from answerable.training.reading import lines_of
from answerable.training.skills.example import Text

DOCUMENTS, ATOMS = "documents.jsonl.gz", "atoms.jsonl"
_SPLIT = {"train": "train", "development": "val"}
_MARK = re.compile(r"<mark>(.*?)</mark>")
_SHORTEST = 2
"""Words of a marked phrase that can stand as a constraint of its own."""
_CONNECTIVES = frozenset("or and but not that are which is also".split())


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint in words, with other ways to say it.

    `fits`: numbers of the documents that fit. `breaks`: numbers of documents known not to. `whole`: everything that is
    not in `fits` does not fit, so that documents that look like it are worth learning from.
    """

    text: str
    fits: tuple[int, ...]
    breaks: tuple[int, ...] = ()
    whole: bool = True
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintSet:
    """Documents and constraints that learn from them."""

    name: str
    documents: tuple[Text, ...]
    constraints: tuple[Constraint, ...]


def benchmark(folder: Path, part: str, heads: Sequence[str] = ()) -> ConstraintSet:
    """What `answerable-bench sets build` wrote: its atoms and queries of `train` or `development`.

    `heads` are nouns that stand before an atom which is a modifier ("packages" before "built with Qt").
    Raises as `lines_of`.
    """
    documents, number = documents_of(folder / DOCUMENTS)
    split = _SPLIT[part]
    found: list[Constraint] = []
    for row in lines_of(folder / ATOMS):
        if str(row["split"]).startswith(split):
            said = tuple(f"{head} {row['atom']}" for head in heads) if row.get("kind") == "modifier" else ()
            found.append(Constraint(row["atom"], _numbers(row["docs"], number), others=said))
    names = [f"{split}.jsonl", *(["atomic.jsonl"] if part == "train" else [])]
    for name in names:
        for row in lines_of(folder / name):
            found.append(Constraint(row["query"], _numbers(row["docs"], number)))
    return ConstraintSet(folder.name, documents, tuple(one for one in found if one.fits))


def quest(data: Path, part: str) -> list[ConstraintSet]:
    """QUEST's own queries, the parts of those that are intersections or differences, and the phrases people marked.

    `development` is a share of the training file: the validation file is for the report. Of the parts of a union
    nobody knows which a document fits. Raises as `lines_of`.
    """
    documents, number = documents_of(data / "quest" / DOCUMENTS)
    queries: list[Constraint] = []
    atoms: list[Constraint] = []
    quotes: list[Text] = []
    phrases: list[Constraint] = []
    for row in lines_of(data / "quest" / "train.jsonl"):
        if question_part(row["_id"]) != part:
            continue
        fits = _numbers(row["docs"], number)
        if fits:
            queries.append(Constraint(row["query"], fits))
            atoms += _parts(row, fits)
        for title, marked in row.get("attributions", {}).items():
            for phrase, quote in marked.items():
                said = phrase.strip(" ,.?")
                words = said.split()
                if len(words) >= _SHORTEST and words[0].lower() not in _CONNECTIVES and quote.strip():
                    phrases.append(Constraint(said, (len(quotes),), whole=False))
                    quotes.append((title, quote.strip()))
    return [
        ConstraintSet("quest", documents, tuple(queries + atoms)),
        ConstraintSet("phrases", tuple(quotes), tuple(phrases)),
    ]


def _parts(row: Mapping[str, Any], fits: tuple[int, ...]) -> Iterator[Constraint]:
    """What each atom of a query says of its documents."""
    template, said = row["template"], _MARK.findall(row["original_query"])
    if template not in TEMPLATES or " or " in template or len(said) < 2:
        return
    for place, text in enumerate(said):
        negated = place == len(said) - 1 and "not" in template
        yield Constraint(text, () if negated else fits, fits if negated else (), whole=False)


@lru_cache(8)
def documents_of(path: Path) -> tuple[tuple[Text, ...], dict[str, int]]:
    """The documents of a file, and the number of each by its id. Raises as `lines_of`."""
    texts: list[Text] = []
    number: dict[str, int] = {}
    for row in lines_of(path):
        number[str(row["_id"])] = len(texts)
        texts.append((str(row.get("title") or ""), str(row["text"])))
    return tuple(texts), number


def _numbers(names: Iterable[str], number: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sorted({number[name] for name in names if name in number}))


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

    Raises as `lines_of`.
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
