"""What answers questions of a long document: the walk and what it is compared with promise the same.

Here what the walk is compared with (DocHopper, section 4.1): retrieve and read, read everything, and the best passages.
All read with the reader of the walk; none of them uses the vectors of the walk.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from answerable.corpora.passages import passage_of, split
from answerable.documents.encoded import Book
from answerable.documents.reader import Shelved
from answerable.encoders.encoder import Encoder, Vectors
from answerable.readers.reader import Reader, best_first
from answerable.text import words
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill


@dataclass(frozen=True, slots=True)
class Opened:
    """A document with what one system keeps of it.

    `seconds` it took to encode for this system, and `size` in bytes of the vectors it keeps.
    """

    shelf: Shelved
    seconds: float = 0.0
    size: int = 0
    passages: tuple[Passage, ...] = ()
    vectors: Vectors | None = None

    @property
    def book(self) -> Book:
        """The document's paragraphs and sentences."""
        return self.shelf.book


@dataclass(frozen=True, slots=True)
class Answered:
    """`candidates` of the reader, best first, ties by text. `ranked`: sentences of the book, by their rows, that are
    held to be evidence, each once with its score, best first. `pairs` (first, second, score) of sentences that are
    evidence together, best first, from a system that finds such.

    All are empty where nothing is found, as in an empty document.
    """

    candidates: tuple[Candidate, ...] = ()
    ranked: tuple[tuple[int, float], ...] = ()
    pairs: tuple[tuple[int, int, float], ...] = ()

    @property
    def together(self) -> tuple[int, int] | None:
        """The two sentences of the best pair; without pairs, the best two sentences."""
        if self.pairs:
            return self.pairs[0][:2]
        return (self.ranked[0][0], self.ranked[1][0]) if len(self.ranked) > 1 else None


class System:
    """Answers questions of documents that it has opened. `name`: as on the command line."""

    name: str

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """Keep what is needed of a document: its words alone. `seconds`: how long its sentences took to encode."""
        return Opened(shelf)

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Answer one question. `pieces` of evidence that are wanted: 1 or 2, or 0 where nobody says."""
        raise NotImplementedError


def rarity(shelf: Shelved, question: str) -> dict[str, float]:
    """The words of a question that stand in a document, each with how rare it is there (the idf of BM25)."""
    found = {word: shelf.wording.idf(word) for word in dict.fromkeys(words(question))}
    return {word: value for word, value in found.items() if value > 0}


def held(text: str, rare: Mapping[str, float]) -> float:
    """The rarities of the words that stand in a text, summed: 0 without any."""
    return math.fsum(rare[word] for word in set(words(text)) & rare.keys())


def fullest(book: Book, rows: Iterable[int], rare: Mapping[str, float]) -> int:
    """The sentence, among some rows, that holds most of these words by their rarity; the first of equals."""
    text = book.document.text
    return max(rows, key=lambda row: (held(text[slice(*book.span(row))], rare), -row))


def where_answered(
    book: Book, candidates: Sequence[Candidate], rare: Mapping[str, float]
) -> tuple[tuple[int, float], ...]:
    """The sentences that candidates stand in, each once with the best candidate's score, best first.

    Of the passage that a yes or no was judged by it is the fullest. None in a document without sentences.
    """
    starts = [start for one in book.paragraphs for start, _ in one.sentences]
    found: dict[int, float] = {}
    for one in candidates if starts else ():
        first = max(0, bisect_right(starts, one.start) - 1)
        last = max(first, bisect_left(starts, one.end) - 1)
        found.setdefault(fullest(book, range(first, last + 1), rare), one.score)
    return tuple(found.items())


def passage(book: Book, number: int, start: int, end: int) -> Passage:
    """Characters [start, end) of a paragraph, by its number, as a reader takes them."""
    return passage_of(book.document, start, end, " > ".join(book.paragraphs[number].path))


def alone(one: Passage, score: float = 0.0) -> Chain:
    """A chain of one passage."""
    return Chain((Hit(one, score, PUBLIC, Skill.NAVIGATE),), score, PUBLIC)


TOGETHER = 1300
"""Characters of passages that are read in one sequence: what 384 tokens hold beside a question."""


@dataclass(frozen=True, slots=True)
class Bm25(System):
    """BM25 over the document's paragraphs: the best are read, `windows` of `room` characters each, as by the walk.

    Of a longer paragraph it is the window with most of the question's words. Evidence is the sentence of each paragraph
    that holds most of them, by their rarity.
    """

    reader: Reader
    windows: int = 4
    room: int = 1000
    name: str = "bm25"

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
class Sequential(System):
    """Every paragraph is read, and the most confident answer wins. Evidence is where the answers stand."""

    reader: Reader
    name: str = "sequential"

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Read the whole document."""
        book = opened.book
        chains = [alone(passage(book, i, one.start, one.end)) for i, one in enumerate(book.paragraphs)]
        candidates = tuple(best_first(self.reader.read(question, chains)))
        return Answered(candidates, where_answered(opened.book, candidates, rarity(opened.shelf, question)))


@dataclass(frozen=True, slots=True)
class Passages(System):
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
        return Opened(shelf, took, vectors.nbytes, found, vectors)

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Retrieve, put in order, and read."""
        if not opened.passages or opened.vectors is None:
            return Answered()
        scores = opened.vectors @ self.encoder.encode_query(question, Skill.SINGLE)
        order = np.lexsort((np.arange(len(scores)), -scores))[: self.count]
        chains = packed([opened.passages[i] for i in sorted(map(int, order))])
        candidates = tuple(best_first(self.reader.read(question, chains)))
        return Answered(candidates, where_answered(opened.book, candidates, rarity(opened.shelf, question)))


def packed(passages: list[Passage]) -> list[Chain]:
    """Chains of as many passages as `TOGETHER` characters hold, in their order; one at least in each."""
    groups: list[list[Passage]] = []
    length = 0
    for one in passages:
        size = len(one.heading) + len(one.text)
        if not groups or length + size > TOGETHER:
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
