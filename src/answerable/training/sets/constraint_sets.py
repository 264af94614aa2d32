"""What judging constraints is learned from: documents, and constraints with the documents that fit them.

A set is a folder that `answerable-bench sets build` wrote, or the data of QUEST. Of a benchmark the atoms and
queries of the wanted part are used, and only documents' texts are shared between parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from answerable.datasets.parts import question_part
from answerable.evaluation.sets.meaning import TEMPLATES
from answerable.training.reading import lines_of

Text = tuple[str, str]
"""A title and what stands below it."""
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
    """Documents and constraints that learn from them. `query`: which constraints are whole queries, by number."""

    name: str
    documents: tuple[Text, ...]
    constraints: tuple[Constraint, ...]


def benchmark(folder: Path, part: str, heads: Sequence[str] = ()) -> ConstraintSet:
    """What `answerable-bench sets build` wrote: its atoms and queries of `train` or `development`.

    `heads` are nouns that stand before an atom which is a modifier ("packages" before "built with Qt").
    Raises `FormatError` for a file that is missing or broken.
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
    nobody knows which a document fits. Raises `FormatError` for a file that is missing or broken.
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
    """The documents of a file, and the number of each by its id. Raises `FormatError` as `lines_of`."""
    texts: list[Text] = []
    number: dict[str, int] = {}
    for row in lines_of(path):
        number[str(row["_id"])] = len(texts)
        texts.append((str(row.get("title") or ""), str(row["text"])))
    return tuple(texts), number


def _numbers(names: Iterable[str], number: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sorted({number[name] for name in names if name in number}))
