"""What the walk is compared with (DocHopper, section 4.1): retrieve and read, read everything, and the best passages.

All read with the reader of the walk; none of them uses the vectors of the walk.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from answerable.corpora.passages import split
from answerable.documents.encoded import Book
from answerable.documents.reader import Shelved, best_first
from answerable.encoders.encoder import Encoder
from answerable.evaluation.long.systems import (
    Answered,
    Opened,
    alone,
    fullest,
    passage,
    rarity,
    starts_of,
    where_answered,
)
from answerable.readers.reader import Reader
from answerable.text import words
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

TOGETHER = 1300
"""Characters of passages that are read in one sequence: what 384 tokens hold beside a question."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """BM25 over the document's paragraphs: the best are read, `windows` of `room` characters each, as by the walk.

    Of a longer paragraph it is the window with most of the question's words. Evidence is the sentence of each paragraph
    that holds most of them, by their rarity.
    """

    reader: Reader
    windows: int = 4
    room: int = 1000
    name: str = "bm25"

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """Nothing is kept but words."""
        return Opened(shelf, starts_of(shelf.book))

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Retrieve and read."""
        book = opened.book
        if not book.paragraphs:
            return Answered()
        scores = opened.shelf.wording.bm25(question)
        order = np.lexsort((np.arange(len(scores)), -scores))[: self.windows]
        rare = rarity(opened.shelf, question)
        chains = [alone(densest(book, int(i), rare, self.room), float(scores[i])) for i in order]
        ranked = tuple((fullest(book, rows_of(book, int(i)), rare), float(scores[i])) for i in order)
        return Answered(tuple(best_first(self.reader.read(question, chains))), ranked)


@dataclass(frozen=True, slots=True)
class Sequential:
    """Every paragraph is read, and the most confident answer wins. Evidence is where the answers stand."""

    reader: Reader
    name: str = "sequential"

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """Nothing is kept."""
        return Opened(shelf, starts_of(shelf.book))

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Read the whole document."""
        book = opened.book
        chains = [alone(passage(book, i, one.start, one.end)) for i, one in enumerate(book.paragraphs)]
        candidates = tuple(best_first(self.reader.read(question, chains)))
        return Answered(candidates, where_answered(opened, candidates, rarity(opened.shelf, question)))


@dataclass(frozen=True, slots=True)
class Passages:
    """The best passages of about 100 words by a plain encoder, in the order of the document (Karpukhin et al. 2020; Yu
    et al. 2024 restore the order). As many as fit are read together. Evidence is where the answers stand.
    """

    reader: Reader
    encoder: Encoder
    count: int = 8
    name: str = "passages"

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """The vectors of all passages are kept."""
        found = tuple(split(shelf.book.document))
        began = time.perf_counter()
        vectors = self.encoder.encode_passages([(one.heading, one.text) for one in found])
        took = time.perf_counter() - began
        return Opened(shelf, starts_of(shelf.book), took, vectors.nbytes, found, vectors)

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Retrieve, put in order, and read."""
        if not opened.passages or opened.vectors is None:
            return Answered()
        scores = opened.vectors @ self.encoder.encode_query(question, Skill.SINGLE)
        order = np.lexsort((np.arange(len(scores)), -scores))[: self.count]
        chains = packed([opened.passages[i] for i in sorted(map(int, order))])
        candidates = tuple(best_first(self.reader.read(question, chains)))
        return Answered(candidates, where_answered(opened, candidates, rarity(opened.shelf, question)))


def packed(passages: list[Passage], room: int = TOGETHER) -> list[Chain]:
    """Chains of as many passages as `room` characters hold, in their order; one at least in each."""
    groups: list[list[Passage]] = []
    length = 0
    for one in passages:
        size = len(one.heading) + len(one.text)
        if not groups or length + size > room:
            groups.append([])
            length = 0
        groups[-1].append(one)
        length += size
    return [Chain(tuple(Hit(one, 0.0, PUBLIC, Skill.SINGLE) for one in some), 0.0, PUBLIC) for some in groups]


def rows_of(book: Book, number: int) -> range:
    """The sentences of a paragraph."""
    return range(int(book.firsts[number]), int(book.firsts[number + 1]))


def densest(book: Book, number: int, rare: Mapping[str, float], room: int) -> Passage:
    """A paragraph, or of one longer than `room` characters the run of sentences with most of these words; the first of
    equals, and one sentence at least."""
    spans = book.paragraphs[number].sentences
    if spans[-1][1] - spans[0][0] <= room:
        return passage(book, number, spans[0][0], spans[-1][1])
    text = book.document.text
    said = [set(words(text[a:b])) & rare.keys() for a, b in spans]
    best, chosen = -1, (0, 0)
    for first in range(len(spans)):
        last = first
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= room:
            last += 1
        count = len(set().union(*said[first : last + 1]))
        if count > best:
            best, chosen = count, (first, last)
    return passage(book, number, spans[chosen[0]][0], spans[chosen[1]][1])
