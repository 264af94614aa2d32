"""What decides the turns of conversations about rules: the walk and its baselines (DocHopper, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from answerable.documents.encoded import Book
from answerable.documents.reader import Guide, Shelved
from answerable.documents.rules import Condition
from answerable.documents.settle import follow_up as open_condition
from answerable.documents.settle import settle_by_rule
from answerable.documents.walk import converse
from answerable.documents.weights import DECISIONS
from answerable.encoders.encoder import Vectors
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, held_by

SURE = 0.99
"""From this probability in every paragraph on, `Irrelevant` is believed (DocHopper, footnote 8)."""
_IRRELEVANT = DECISIONS.index("Irrelevant")


@dataclass(frozen=True, slots=True)
class Replied:
    """The probabilities (4,) of `weights.DECISIONS`, and for each turn the paragraph and the sentence attended to, by
    their numbers in the whole document; no steps from what attends to nothing."""

    probabilities: NDArray[np.float32]
    steps: tuple[tuple[int, int], ...] = ()

    @property
    def decision(self) -> str:
        """The likeliest; the first of equals."""
        return DECISIONS[int(np.argmax(self.probabilities))]


class Conversing(Protocol):
    """Decides a conversation's turn over a document."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Decide. Only what is named an oracle looks at the turn's evidence; nothing looks at its decision."""
        ...


@dataclass(frozen=True, slots=True)
class Conversant:
    """`Guide.converse` over the whole document. With a guide that does not update its queries, the paper's ablation."""

    guide: Guide
    name: str = "walk"

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Walk the conversation."""
        return _walked(self.guide, shelf.book, _asked(self.guide, turn))


@dataclass(frozen=True, slots=True)
class Ruled:
    """As `answerable read` decides: the rule that the walk came to goes first, where the replies so far settle it."""

    guide: Guide
    name: str = "rules"

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Walk, and let the rule decide where it does."""
        found = _walked(self.guide, shelf.book, _asked(self.guide, turn))
        if not turn.history or not found.steps:
            return found
        settled = settle_by_rule(shelf.book, found.steps[0], turn.text, turn.scenario, turn.history)
        if settled is None or settled.conditions:
            return found
        certain = np.eye(len(DECISIONS), dtype=np.float32)[DECISIONS.index(settled.text.capitalize())]
        return replace(found, probabilities=certain)


@dataclass(frozen=True, slots=True)
class Majority:
    """The commonest decision of the part that is learned from."""

    decision: str
    name: str = "majority"

    @staticmethod
    def of(documents: Iterable[LongDocument]) -> Majority:
        """By the turns of these documents; the first of equals in the order of the decisions."""
        counts = Counter(one.kind for document in documents for one in document.questions)
        return Majority(max(DECISIONS, key=lambda name: counts[name]))

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """The same each time."""
        return Replied(np.array([float(one == self.decision) for one in DECISIONS], np.float32))


@dataclass(frozen=True, slots=True)
class Snippet:
    """An oracle: the walk in the right paragraph alone."""

    guide: Guide
    name: str = "snippet"

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Walk the paragraph in which the first hop's evidence stands."""
        places = held_by(document, turn.hops[0]) if turn.hops else []
        asked = _asked(self.guide, turn)
        if not places:
            return _walked(self.guide, shelf.book, asked)
        return _within(self.guide, shelf.book, places[0][0], asked)


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Retrieve and read: the walk in the paragraph that BM25 ranks first for the whole conversation."""

    guide: Guide
    name: str = "retrieve"

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Retrieve, and walk the paragraph."""
        if not shelf.book.paragraphs:
            return _nothing()
        best = int(np.argmax(shelf.wording.bm25(" ".join(asked_of(turn)))))
        return _within(self.guide, shelf.book, best, _asked(self.guide, turn))


@dataclass(frozen=True, slots=True)
class EachParagraph:
    """Every paragraph decides alone, and the most certain counts that does not find the rule irrelevant; all must find
    it so, and surely, for that to be the decision (DocHopper, footnote 8)."""

    guide: Guide
    name: str = "sequential"

    def reply(self, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
        """Walk each paragraph by itself."""
        asked = _asked(self.guide, turn)
        found = [_within(self.guide, shelf.book, i, asked) for i in range(len(shelf.book.paragraphs))]
        if not found or all(one.probabilities[_IRRELEVANT] > SURE for one in found):
            certain = np.eye(len(DECISIONS), dtype=np.float32)[_IRRELEVANT]
            return Replied(certain, found[0].steps if found else ())
        best = max(found, key=lambda one: float(np.delete(one.probabilities, _IRRELEVANT).max()))
        kept = best.probabilities.copy()
        kept[_IRRELEVANT] = 0.0
        return Replied(kept / max(1e-12, float(kept.sum())), best.steps)


def conversants(guide: Guide, learned: Iterable[LongDocument]) -> list[Conversing]:
    """All of them; `learned` are the documents of the part that is learned from."""
    still = replace(guide, walking=replace(guide.walking, update=False))
    walked: list[Conversing] = [Conversant(guide), Ruled(guide), Majority.of(learned), Snippet(guide), Retrieve(guide)]
    return [*walked, EachParagraph(guide), Conversant(still, "no-update")]


def follow_up(book: Book, replied: Replied, turn: LongQuestion) -> str:
    """What to ask next: the first condition that is open of the rule in the paragraph attended to first.

    Without such a rule it is the sentence attended to last, as a question; '' where nothing was attended to.
    """
    if not replied.steps:
        return ""
    text = book.document.text
    paragraph = book.paragraphs[replied.steps[0][0]]
    asked = open_condition(text, (paragraph.start, paragraph.end), turn.text, turn.history)
    start, end = book.span(replied.steps[-1][1])
    return asked or Condition(start, end, text[start:end]).question


def only(book: Book, number: int) -> Book:
    """One paragraph of a book as a book of its own."""
    first, last = int(book.firsts[number]), int(book.firsts[number + 1])
    return Book(
        book.document,
        (book.paragraphs[number],),
        book.sentences[first:last],
        book.wholes[number : number + 1],
        np.array([0, last - first], np.int64),
    )


def _asked(guide: Guide, turn: LongQuestion) -> Vectors:
    return guide.navigator.encode_asked(asked_of(turn), 0)


def _walked(guide: Guide, book: Book, asked: Vectors) -> Replied:
    if not book.paragraphs:
        return _nothing()
    found = converse(book, asked, guide.weights, guide.walking.update)
    return Replied(found.probabilities, found.steps)


def _within(guide: Guide, book: Book, number: int, asked: Vectors) -> Replied:
    """The walk in one paragraph, its steps by their numbers in the book."""
    found = _walked(guide, only(book, number), asked)
    first = int(book.firsts[number])
    return Replied(found.probabilities, tuple((number, first + row) for _, row in found.steps))


def _nothing() -> Replied:
    return Replied(np.full(len(DECISIONS), 1 / len(DECISIONS), np.float32))
