"""What answers questions of a long document: the walk, its ablations and what it is compared with promise the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.passages import passage_of
from answerable.documents.encoded import Book
from answerable.documents.reader import Shelved
from answerable.encoders.encoder import Vectors
from answerable.text import words
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill


@dataclass(frozen=True, slots=True)
class Opened:
    """A document with what one system keeps of it. `starts` (n,): the character at which each sentence begins.

    `seconds` it took to encode for this system, and `size` in bytes of the vectors it keeps.
    """

    shelf: Shelved
    starts: NDArray[np.int64]
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


class System(Protocol):
    """Answers questions of documents that it has opened."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """Keep what is needed of a document. `seconds`: how long its sentences took to encode."""
        ...

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Answer one question. `pieces` of evidence that are wanted: 1 or 2, or 0 where nobody says."""
        ...


def starts_of(book: Book) -> NDArray[np.int64]:
    """(n,) int64: where each sentence of a book begins."""
    return np.array([start for one in book.paragraphs for start, _ in one.sentences], np.int64)


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


def sentence_of(opened: Opened, candidate: Candidate, rare: Mapping[str, float]) -> int | None:
    """The sentence that a candidate stands in; of the passage that a yes or no was judged by, the fullest.

    None in a document without sentences.
    """
    starts = opened.starts
    if not len(starts):
        return None
    first = max(0, int(np.searchsorted(starts, candidate.start, "right")) - 1)
    last = max(first, int(np.searchsorted(starts, candidate.end, "left")) - 1)
    return fullest(opened.book, range(first, last + 1), rare)


def where_answered(
    opened: Opened, candidates: Sequence[Candidate], rare: Mapping[str, float]
) -> tuple[tuple[int, float], ...]:
    """The sentences that candidates stand in, each once with the best candidate's score, best first."""
    found: dict[int, float] = {}
    for one in candidates:
        row = sentence_of(opened, one, rare)
        if row is not None:
            found.setdefault(row, one.score)
    return tuple(found.items())


def passage(book: Book, number: int, start: int, end: int) -> Passage:
    """Characters [start, end) of a paragraph, by its number, as a reader takes them."""
    return passage_of(book.document, start, end, " > ".join(book.paragraphs[number].path))


def alone(one: Passage, score: float = 0.0) -> Chain:
    """A chain of one passage."""
    return Chain((Hit(one, score, PUBLIC, Skill.NAVIGATE),), score, PUBLIC)
