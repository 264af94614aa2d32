"""Reading a long document: walk to the sentences that matter, and read around them (DocHopper, section 4); or go where
words lead, which needs no vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from answerable.corpora.faq import Same
from answerable.corpora.paragraphs import Paragraph, paragraphs
from answerable.corpora.passages import passage_of
from answerable.documents.encoded import Book, headings, open_book
from answerable.documents.linked import Composed
from answerable.documents.read_settings import ReadSettings
from answerable.documents.sparse import Wording
from answerable.documents.walk import Stage, Walked, WalkSettings, walk
from answerable.documents.weights import WalkWeights
from answerable.encoders.encoder import Decides, Navigator
from answerable.encoders.sentences import HOPS
from answerable.readers.reader import Reader, best_first
from answerable.readers.resting import telling
from answerable.text import is_polar
from answerable.types import PUBLIC, Answer, Candidate, Chain, Document, Hit, Label, Passage, Skill


@dataclass(frozen=True)
class Shelved:
    """A book with the words of its paragraphs, ready to be asked. `composed`: of a table with what it links to, its
    parts; None for any other document. `ask`: what an ask answers of the document alone; without it all is answered by
    what a question is led to."""

    book: Book
    wording: Wording
    composed: Composed | None = None
    ask: Callable[[str], Answer] | None = None

    def led(self, question: str) -> Stage:
        """Where the words of a question lead: to the sentences that hold most of them, in paragraphs that do."""
        paragraphs = self.wording.bm25(question)
        scores = paragraphs[self.book.paragraph_of] + self._said.bm25(question)
        return Stage(scores, int(np.argmax(paragraphs)), np.zeros((2, 0), np.float32))

    @cached_property
    def _said(self) -> Wording:
        text = self.book.document.text
        return Wording([text[a:b] for one in self.book.paragraphs for a, b in one.sentences])


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found: the answers of a reader, best first; the chains it read; the walk that led there.

    `pairs` (first, second, score): of two pieces of evidence, the sentences that are held to be them, best first.
    """

    candidates: tuple[Candidate, ...]
    chains: tuple[Chain, ...]
    walked: Walked | None
    pairs: tuple[tuple[int, int, float], ...] = ()


class Ranker(Protocol):
    """Says how good chains are as evidence; the path reader does."""

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        """The chains, given best first, with their scores, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Guide:
    """Walks documents by an encoder of sentences and what its walk has learned, and reads with a reader.

    `ranker`: puts pairs of evidence in order before they are read; None leaves them in the walk's. `decider`: decides
    questions for yes or no; without one a rule that is about what is asked does. `same`: whether two questions ask the
    same; without one no question of a document is taken for the one that is asked.
    """

    navigator: Navigator
    weights: WalkWeights
    reader: Reader
    settings: ReadSettings = ReadSettings()
    walking: WalkSettings = WalkSettings()
    ranker: Ranker | None = None
    decider: Decides | None = None
    same: Same | None = None

    def open(self, document: Document, structure: Sequence[Paragraph] | None = None) -> Shelved:
        """Encode a document, once for all questions. `structure`: its paragraphs, where they are known already."""
        return shelved(open_book(document, paragraphs(document) if structure is None else structure, self.navigator))

    def walk(self, shelf: Shelved, question: str, pieces: int = 0) -> Walked | None:
        """Where the walk leads, or in a document without vectors its words; None in one without text. `pieces` of
        evidence: 0 lets the walk decide."""
        if not shelf.book.paragraphs:
            return None
        if not shelf.book.encoded:
            return Walked(shelf.led(question), None, (), 1.0)
        asked = self.navigator.encode_asked([question], HOPS)
        sparse = shelf.wording.features(question) if self.weights.sparse.any() else None
        return walk(shelf.book, asked, self.weights, sparse, self.walking, pieces)

    def read(self, shelf: Shelved, question: str, pieces: int = 0, label: Label = PUBLIC) -> Found:
        """Walk, and read what was found. `label`: the document's, which its passages carry."""
        walked = self.walk(shelf, question, pieces)
        if walked is None:
            return Found((), (), None)
        return self.answers(shelf.book, question, walked, label)

    def answers(self, book: Book, question: str, walked: Walked, label: Label = PUBLIC) -> Found:
        """Read what a walk found: of its pairs, if there are any and a ranker, those that come first by that."""
        if self.ranker is None or not walked.pairs:
            chains = self.chains(book, walked, label)
            return Found(tuple(self.ranked(question, chains)), chains, walked, walked.pairs)
        from answerable.readers.paths import behind  # with its tokenizer, which takes long to import

        order, pairs = self.reranked(self.ranker, book, question, walked, label)
        kept = {chain.key: score for chain, score in order[: self.settings.windows]}
        chains = tuple(chain for chain, _ in order[: self.settings.windows])
        lowered = (
            replace(one, score=one.score - behind(order, kept[one.chain.key])) for one in self.found(question, chains)
        )
        return Found(tuple(best_first(lowered)), chains, walked, pairs)

    def reranked(
        self, ranker: Ranker, book: Book, question: str, walked: Walked, label: Label
    ) -> tuple[list[tuple[Chain, float]], tuple[tuple[int, int, float], ...]]:
        """The pairs that a walk came to, in the order of a ranker that reads both pieces together (section 4.2): the
        chains of their windows with their scores, best first, and of which (first, second, score) each is.

        The walk takes four sentences of each step, and the sixteen pairs of them are read as paths of two passages. Of
        those that read alike, the walk's best stands for it.
        """
        chains: dict[tuple[str, ...], Chain] = {}
        trail: dict[tuple[str, ...], tuple[int, int]] = {}
        for first, second, score in walked.pairs:
            windows = dict.fromkeys(self.window(book, one) for one in (first, second))
            chain = Chain(tuple(Hit(one, score, label, Skill.NAVIGATE) for one in windows), score, label)
            if chain.key not in chains:
                chains[chain.key], trail[chain.key] = chain, (first, second)
        order = ranker.rank(question, list(chains.values()))
        return order, tuple((*trail[chain.key], score) for chain, score in order)

    def ranked(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """The reader's answers, each with what its chain is worth added to its score; best first, ties by text."""
        weight = float(self.weights.trust[0])
        found = [replace(one, score=one.score + weight * one.chain.score) for one in self.found(question, chains)]
        return best_first(found)

    def found(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """What the reader finds, best first; a yes or a no is no surer than without the questions of the document."""
        return telling(self.reader, question, chains) if is_polar(question) else self.reader.read(question, chains)

    def chains(self, book: Book, walked: Walked, label: Label = PUBLIC) -> tuple[Chain, ...]:
        """What is read: a chain for each window around one of the best sentences, and for each of the best pairs.

        A chain's score is the walk's, less that of the best one: 0 or below.
        """
        best = walked.first.best(4 * self.settings.windows)
        made = self._windows(book, [(one,) for one, _ in best], [score for _, score in best], label)
        if walked.second:
            pairs = [(first, second) for first, second, _ in walked.pairs]
            made += self._windows(book, pairs, [score for *_, score in walked.pairs], label)
        return tuple(made)

    def _windows(
        self, book: Book, trails: Sequence[tuple[int, ...]], scores: Sequence[float], label: Label
    ) -> list[Chain]:
        made: dict[tuple[str, ...], Chain] = {}
        for trail, score in zip(trails, scores, strict=True):
            passages = [self.window(book, sentence) for sentence in trail]
            unlike = dict.fromkeys(passages)
            if any(_covered(unlike, chain) for chain in made.values()):
                continue
            hits = tuple(Hit(passage, score, label, Skill.NAVIGATE) for passage in unlike)
            chain = Chain(hits, score - scores[0], label)
            made[chain.key] = chain
            if len(made) == self.settings.windows:
                break
        return list(made.values())

    def window(self, book: Book, sentence: int) -> Passage:
        """What is read around a sentence."""
        paragraph = book.paragraphs[book.paragraph(sentence)]
        wide = paragraph.end - paragraph.start > self.settings.wide
        return window(book, sentence, max(self.settings.room, self.settings.wide // 2) if wide else self.settings.room)


def shelved(book: Book) -> Shelved:
    """A book with its words counted."""
    title, text = book.document.title, book.document.text
    return Shelved(book, Wording([f"{headings(title, one)} {text[one.start : one.end]}" for one in book.paragraphs]))


def window(book: Book, sentence: int, room: int) -> Passage:
    """The sentence with its neighbours in the paragraph, on both sides in turn, as far as `room` characters allow."""
    number = book.paragraph(sentence)
    paragraph = book.paragraphs[number]
    first = last = sentence - int(book.firsts[number])
    spans = paragraph.sentences
    while True:
        grown = [(first - 1, last), (first, last + 1)]
        fitting = [(a, b) for a, b in grown if a >= 0 and b < len(spans) and spans[b][1] - spans[a][0] <= room]
        if not fitting:
            break
        first, last = min(fitting, key=lambda ends: (ends[1] - sentence + int(book.firsts[number])) ** 2)
    start, end = spans[first][0], spans[last][1]
    return passage_of(book.document, start, end, " > ".join(paragraph.path))


def _covered(passages: dict[Passage, None], chain: Chain) -> bool:
    """Whether a chain reads all that these passages hold, or most of it."""
    return len(passages) == len(chain.hits) and all(
        any(hit.passage.start <= (one.start + one.end) // 2 < hit.passage.end for hit in chain.hits) for one in passages
    )
