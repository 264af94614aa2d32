"""What a T5 learns to find sets from: queries with the documents that fit, and documents that do not.

A folder in QUEST's form: `train.jsonl`, `documents.jsonl.gz` and, where there are any, `atomic.jsonl`: further queries
of one constraint each, which the paper adds to those people wrote (section 3.5).
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.records import lines
from answerable.datasets.sets import quest
from answerable.errors import UsageError
from answerable.training.lexical import Lexical

logger = logging.getLogger(__name__)
DOCUMENTS, TRAIN, MORE = "documents.jsonl.gz", "train.jsonl", "atomic.jsonl"
Texts = dict[str, tuple[str, str]]
"""(title, text) of each document, by its id."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query and the ids of the documents that fit it."""

    query: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NegativeSettings:
    """Of each query: `random` documents of all, and `found` of the `depth` best by BM25, none of which fit.

    `copies`: how often each document that fits comes (appendix A: 250 and 250 of the best 1,000, and 50 copies).
    """

    random: int = 250
    found: int = 250
    depth: int = 1000
    copies: int = 50


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and one document; whether it fits."""

    query: str
    document: str
    fits: bool


def load_texts(folder: Path) -> Texts:
    """The documents of a folder. Raises as the loaders do."""
    rows = lines(folder / DOCUMENTS)
    return {row.name("_id"): (row.words("title"), row.text("text")) for row in rows}


def load_queries(folder: Path, texts: Texts, file: str = TRAIN, more: bool = True) -> list[Wanted]:
    """The queries whose documents all have text, those of `atomic.jsonl` after them. Raises `UsageError` for none."""
    files = [folder / file, *([folder / MORE] if more and (folder / MORE).is_file() else [])]
    every = [one for path in files if path.stat().st_size for one in quest(path)]
    found = [Wanted(one.question, one.supporting) for one in every if one.supporting]
    kept = [one for one in found if all(id in texts for id in one.documents)]
    if not kept:
        raise UsageError(f"{folder} has no query whose documents all have text", hint=f"{file} and {DOCUMENTS}")
    logger.info("%d queries of %d", len(kept), len(every))
    return kept


def negatives(
    one: Wanted, texts: Sequence[str], found: Lexical, how: NegativeSettings, rng: random.Random
) -> list[str]:
    """Documents that do not fit a query: of all, then of the best by words; each once."""
    right = set(one.documents)
    near = [id for id in found.best(one.query, how.depth) if id not in right]
    drawn = rng.sample(texts, min(len(texts), how.random + len(right)))
    far = [id for id in drawn if id not in right][: how.random]
    return list(dict.fromkeys([*far, *rng.sample(near, min(len(near), how.found))]))


def pairs(queries: Sequence[Wanted], texts: Texts, found: Lexical, how: NegativeSettings, seed: int) -> list[Pair]:
    """What a classifier learns from: every document that fits so many times, and those that do not, shuffled."""
    rng, ids = random.Random(seed), list(texts)
    made = []
    for one in queries:
        made += [Pair(one.query, id, True) for id in one.documents for _ in range(how.copies)]
        made += [Pair(one.query, id, False) for id in negatives(one, ids, found, how, rng)]
    rng.shuffle(made)
    return made
