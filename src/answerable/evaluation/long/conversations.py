"""What decides the turns of conversations about rules: the walk and its baselines (DocHopper, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from answerable.documents.deciding import Ruling, nearest, ruling, turned
from answerable.documents.encoded import Book
from answerable.documents.reader import Guide, Shelved
from answerable.documents.rules import Condition
from answerable.documents.settle import follow_up as open_condition
from answerable.documents.walk import Walked, converse
from answerable.encoders.deciding import DECISIONS, told
from answerable.encoders.encoder import Vectors
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, held_by

SURE = 0.99
"""From this probability in every paragraph on, `Irrelevant` is believed (DocHopper, footnote 8)."""
_IRRELEVANT = DECISIONS.index("Irrelevant")


@dataclass(frozen=True, slots=True)
class Replied:
    """The probabilities (4,) of `DECISIONS`, and for each turn the paragraph and the sentence attended to, by their
    numbers in the whole document; no steps from what attends to nothing."""

    probabilities: NDArray[np.float32]
    steps: tuple[tuple[int, int], ...] = ()

    @property
    def decision(self) -> str:
        """The likeliest; the first of equals."""
        return DECISIONS[int(np.argmax(self.probabilities))]


@dataclass(frozen=True, slots=True)
class Conversing:
    """Decides a conversation's turn over a document. Only what is named an oracle looks at the turn's evidence; nothing
    looks at its decision."""

    name: str
    """As on the command line."""
    reply: Callable[[Shelved, LongDocument, LongQuestion], Replied]


def walked(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """`Guide.converse` over the whole document. With a guide that does not update its queries, the paper's ablation."""
    return _walked(guide, shelf.book, _asked(guide, turn))


def decided(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """Attended to as the walk does, and decided by what reads the places that the question leads to."""
    found, led = walked(guide, shelf, document, turn), _led(guide, shelf, turn)
    if guide.decider is None or led is None:
        return found
    rows = [row for row, _ in led.first.best(2 * guide.settings.windows)]
    row, _ = nearest(shelf, turn.text, rows)
    made = ruling(guide.decider, shelf, turn.text, told(turn.scenario, turn.history), [row, *rows])
    return replace(found, probabilities=_listed(made))


def ruled(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """The same, but a rule goes first where the replies so far settle it, as `answerable read` decides turns."""
    found, led = walked(guide, shelf, document, turn), _led(guide, shelf, turn)
    if led is None or not turn.history:
        return decided(guide, shelf, document, turn)
    made, settled = turned(guide, shelf, led, turn.text, turn.scenario, turn.history)
    if settled and not settled.conditions:
        return replace(found, probabilities=_certain(settled.text.capitalize()))
    return replace(found, probabilities=_listed(made)) if guide.decider else found


def _listed(made: Ruling) -> NDArray[np.float32]:
    return np.array([made.likely[one] for one in DECISIONS], np.float32)


def _led(guide: Guide, shelf: Shelved, turn: LongQuestion) -> Walked | None:
    return guide.walk(shelf, " ".join(part for part in (turn.text, turn.scenario) if part.strip()), 1)


def commonest(documents: Iterable[LongDocument]) -> str:
    """The commonest decision of these documents' turns; the first of equals in the order of the decisions."""
    counts = Counter(one.kind for document in documents for one in document.questions)
    return max(DECISIONS, key=lambda name: counts[name])


def majority(decision: str, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """The same decision each time: the commonest of the part that is learned from."""
    return Replied(_certain(decision))


def snippet(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """An oracle: the walk in the right paragraph alone, in which the first hop's evidence stands."""
    places = held_by(document, turn.hops[0]) if turn.hops else []
    if not places:
        return walked(guide, shelf, document, turn)
    return _within(guide, shelf.book, places[0][0], _asked(guide, turn))


def retrieved(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """Retrieve and read: the walk in the paragraph that BM25 ranks first for the whole conversation."""
    if not shelf.book.paragraphs:
        return _nothing()
    best = int(np.argmax(shelf.wording.bm25(" ".join(asked_of(turn)))))
    return _within(guide, shelf.book, best, _asked(guide, turn))


def each_paragraph(guide: Guide, shelf: Shelved, document: LongDocument, turn: LongQuestion) -> Replied:
    """Every paragraph decides alone, and the most certain counts that does not find the rule irrelevant; all must find
    it so, and surely, for that to be the decision (DocHopper, footnote 8)."""
    asked = _asked(guide, turn)
    found = [_within(guide, shelf.book, i, asked) for i in range(len(shelf.book.paragraphs))]
    if not found or all(one.probabilities[_IRRELEVANT] > SURE for one in found):
        return Replied(_certain("Irrelevant"), found[0].steps if found else ())
    best = max(found, key=lambda one: float(np.delete(one.probabilities, _IRRELEVANT).max()))
    kept = best.probabilities.copy()
    kept[_IRRELEVANT] = 0.0
    return Replied(kept / max(1e-12, float(kept.sum())), best.steps)


def conversants(guide: Guide, learned: Iterable[LongDocument]) -> list[Conversing]:
    """All of them; `learned` are the documents of the part that is learned from."""
    still = replace(guide, walking=replace(guide.walking, update=False))
    return [
        Conversing("walk", partial(walked, guide)),
        Conversing("decider", partial(decided, guide)),
        Conversing("rules", partial(ruled, guide)),
        Conversing("majority", partial(majority, commonest(learned))),
        Conversing("snippet", partial(snippet, guide)),
        Conversing("retrieve", partial(retrieved, guide)),
        Conversing("sequential", partial(each_paragraph, guide)),
        Conversing("no-update", partial(walked, still)),
    ]


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


def _certain(decision: str) -> NDArray[np.float32]:
    """(4,) float32: probabilities of what is decided for certain."""
    certain: NDArray[np.float32] = np.eye(len(DECISIONS), dtype=np.float32)[DECISIONS.index(decision)]
    return certain


def _nothing() -> Replied:
    return Replied(np.full(len(DECISIONS), 1 / len(DECISIONS), np.float32))
