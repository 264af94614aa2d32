"""Questions for yes or no asked of a document: what a reader makes of them, a rule that is about them, or a model.

A rule speaks where it is about what is asked and its open conditions are whole clauses; where the reader is not sure,
what decides may be, where the question is spoken of most; else the sentence that speaks of it is quoted. Once something
that was asked in return was answered, what decides reads a few places with that (DocHopper, footnote 8).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from answerable.documents.encoded import Book, headings
from answerable.documents.reader import Guide, Shelved, window
from answerable.documents.rules import Condition, is_negative
from answerable.documents.settle import Settled, Turn, settle_by_rule
from answerable.documents.settle import settled as by_answers
from answerable.documents.walk import Walked
from answerable.encoders.deciding import DECISIONS, told
from answerable.encoders.encoder import Decides
from answerable.selective.features import squash
from answerable.text import EMPTY, asks, content, words
from answerable.types import Candidate

QUOTED = 0.5
"""Share of a question's words, by rarity, from which a sentence that decides nothing is quoted."""


@dataclass(frozen=True, slots=True)
class Least:
    """What is asked of a place and of an answer: the share of a question's words, by rarity, from which a place speaks
    of it (`spoken`) and a rule is about it (`rule`), and the confidence of a yes or a no of the reader (`sure`)."""

    spoken: float
    rule: float
    sure: float


PLAIN = Least(0.3, 0.5, 0.68)
"""Three of four questions of Doc2Dial, and half of ConditionalQA's, are so spoken of in their own document, one of six
and none in another one. The reader, less sure, was right 6 times of 10 (`benchmarks/deciding.py`)."""
TOLD = Least(0.1, 0.1, 0.6)
"""Where a situation is told, which uses words of its own and wants a decision."""
TOLD_MARGIN, TOLD_DENIED, TOLD_BIAS = 0.8, -2.2, 0.4
"""How likely a yes is where a situation is told, by how much likelier the reader finds it than a no, and by whether the
sentence that speaks most of the question denies it. Where a page allows something under conditions the reader leans to
a no. Fitted to ConditionalQA's training and development questions, yes and no weighing alike: 36 of 43 right, each by
the others, where the reader alone is right on 31."""
BY_MARGIN = 1.2
"""How likely the reader's yes or no is right, by how much likelier it is than the other: fitted to BoolQ's development
questions and to ConditionalQA's (`benchmarks/deciding.py`)."""
UNDENIED = 0.64
"""How likely a no is right where the sentence that speaks most of the question does not deny it: 72 of 113 (same)."""
OF_A_RULE = 0.6
"""How likely "yes, if" or "no, unless" begins with the right word (same)."""
_READ = 900
"""Characters of the document that are read together: what the model takes with headings."""
PLACES = 4
"""So many places are read."""
_IRRELEVANT = DECISIONS.index("Irrelevant")
_WHOLE = re.compile(
    r"(?:you(?:r [\w’'-]+)?|they|it|he|she|we|(?:the|an?|any|each|their|his|her) [\w’'-]+(?: [\w’'-]+)?)\b(?: \S+){2,}",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(r"(?:can(?:not|[’']t)?|may|must|aren?(?:[’']t)?|qualify)\b", re.IGNORECASE)
_LONGEST = 160
"""Characters of a condition that can be said after "if"."""
_CUT_SHORT = re.compile(
    r"\b(?:an?|the|of|to|by|for|with|in|on|at|and|or|be|is|are|not|if|that|which|\w+ly)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Ruling:
    """How likely each of `DECISIONS` is, together 1; and, by its row in the book, the sentence that speaks most of what
    is asked where that was read."""

    likely: Mapping[str, float]
    row: int

    @property
    def decision(self) -> str:
        """The likeliest; the first of equals."""
        return max(DECISIONS, key=lambda one: self.likely[one])


def ruling(decider: Decides, shelf: Shelved, question: str, said: str, rows: Sequence[int]) -> Ruling:
    """What is decided where some sentences of a book stand, best first; at most `PLACES` places are read.

    Of those that say anything about it the one that is surest; that none does is decided only where all say so.
    """
    book = shelf.book
    places = list(dict.fromkeys(around(book, row) for row in rows))[:PLACES]
    texts = []
    for place in places:
        titles = dict.fromkeys([book.document.title, *book.paragraphs[book.paragraph(place.start)].path])
        text = book.document.text[book.span(place.start)[0] : book.span(place.stop - 1)[1]]
        texts.append((" > ".join(filter(None, titles)), text))
    found = decider.decide(question, said, texts)
    sure = np.delete(found, _IRRELEVANT, axis=1).max(axis=1)
    speaks = found.argmax(axis=1) != _IRRELEVANT
    best = int(np.argmax(np.where(speaks, sure, 0.0) if speaks.any() else sure))
    likely = dict(zip(DECISIONS, map(float, found[best]), strict=True))
    telling = [row for row in places[best] if not asks(book.said(row))]
    return Ruling(likely, nearest(shelf, f"{question} {said}", telling or places[best])[0])


def turned(
    guide: Guide, shelf: Shelved, walked: Walked, question: str, scenario: str, history: Sequence[Turn]
) -> tuple[Ruling, Settled | None]:
    """What is decided of a turn where a walk led, and what a rule makes of it.

    A rule decides where the question is spoken of most, if the answers settle it, or settle some of what must all hold:
    of ShARC's training turns of the latter 55 of 97 have more to ask, 22 are a no. Else the rule is that of the place
    by which it was decided.
    """
    book, rows = shelf.book, [one for one, _ in walked.first.best(2 * guide.settings.windows)]
    row, _ = nearest(shelf, question, rows)
    settled = settle_by_rule(book, (book.paragraph(row), row), question, scenario, history)
    if guide.decider is None or (settled and (not settled.conditions or _partly(shelf, question, settled, history))):
        return unruled(settled, row), settled
    ruled = ruling(guide.decider, shelf, question, told(scenario, history), [row, *rows])
    return ruled, settle_by_rule(book, (book.paragraph(ruled.row), ruled.row), question, scenario, history)


def _partly(shelf: Shelved, question: str, settled: Settled, history: Sequence[Turn]) -> bool:
    """Whether answers settle some conditions of a rule about what is asked, and all that are open must hold as well."""
    left = [one for one in settled.rule.needs if any(each in settled.conditions for each in one.conditions)]
    told_some = bool(by_answers(settled.rule, history))
    return told_some and all(one.logic == "all" for one in left) and bool(about(shelf, question, settled, TOLD.rule))


def unruled(settled: Settled | None, row: int) -> Ruling:
    """What is decided without a model: that there is more to know, where a rule says what, and else nothing."""
    decision = "Irrelevant" if settled is None else "More" if settled.conditions else settled.text.capitalize()
    rest = (1.0 - OF_A_RULE) / (len(DECISIONS) - 1)
    return Ruling({one: OF_A_RULE if one == decision else rest for one in DECISIONS}, row)


@dataclass(frozen=True, slots=True)
class Polar:
    """A yes or a no of a reader, how likely it is right (0 to 1), and the candidate that says so."""

    text: str
    sure: float
    candidate: Candidate


def polar(candidates: Sequence[Candidate], denied: bool | None = None) -> Polar | None:
    """The likelier of yes and no, by its best window each; None where a reader gave neither.

    `denied`, where a situation is told: whether the sentence that speaks most of the question denies it.
    """
    best = {
        text: max((one for one in candidates if one.text == text), key=lambda one: one.score, default=None)
        for text in ("yes", "no")
    }
    yes, no = best["yes"], best["no"]
    if yes is None or no is None:
        return None
    if denied is not None:
        likely = squash(TOLD_BIAS + TOLD_DENIED * denied + TOLD_MARGIN * (yes.score - no.score))
        return Polar("yes", likely, yes) if likely >= 0.5 else Polar("no", 1.0 - likely, no)
    said = yes if yes.score >= no.score else no
    return Polar(said.text, squash(BY_MARGIN * abs(yes.score - no.score)), said)


def denies(question: str, sentence: str) -> bool:
    """Whether one of the two has a "not" and the other none."""
    return is_negative(question) != is_negative(sentence)


def around(book: Book, row: int) -> range:
    """The rows of the sentences that are read with one: its paragraph and those beside it under the same headings, in
    turn; of a paragraph that is too long by itself what stands around it there."""
    first = last = book.paragraph(row)
    if book.paragraphs[first].end - book.paragraphs[first].start > _READ:
        read = window(book, row, _READ)
        rows = range(int(book.firsts[first]), int(book.firsts[first + 1]))
        there = [one for one in rows if read.start <= book.span(one)[0] < read.end]
        return range(there[0], there[-1] + 1)
    while True:
        grown = [
            (a, b)
            for a, b in ((first - 1, last), (first, last + 1))
            if a >= 0
            and b < len(book.paragraphs)
            and book.paragraphs[a].path == book.paragraphs[b].path
            and book.paragraphs[b].end - book.paragraphs[a].start <= _READ
        ]
        if not grown:
            return range(int(book.firsts[first]), int(book.firsts[last + 1]))
        first, last = min(grown, key=lambda ends: abs(sum(ends) - 2 * book.paragraph(row)))


def spoken(shelf: Shelved, question: str, text: str) -> float:
    """The share of a question's words that a text has, by how rare they are in the document; 0 to 1.

    A word that stands nowhere in it counts as rarer than any.
    """
    held = content(text)
    absent = math.log(2.0 * len(shelf.book.paragraphs) + 2.0)
    weighed = {word: shelf.wording.idf(word) or absent for word in words(question) if word not in EMPTY}
    whole = math.fsum(weighed.values())
    return math.fsum(value for word, value in weighed.items() if content(word) <= held) / whole if whole else 0.0


def nearest(shelf: Shelved, question: str, rows: Sequence[int]) -> tuple[int, float]:
    """Of some sentences that which speaks most of a question, with its headings, and how much; the first of equals."""
    book = shelf.book
    shares = [(spoken(shelf, question, under(book, row)), -place) for place, row in enumerate(rows)]
    share, place = max(shares)
    return rows[-place], share


def under(book: Book, row: int) -> str:
    """A sentence below its headings."""
    start, end = book.span(row)
    return f"{headings(book.document.title, book.paragraphs[book.paragraph(row)])} {book.document.text[start:end]}"


def about(shelf: Shelved, question: str, settled: Settled | None, least: float = PLAIN.rule) -> Settled | None:
    """What a rule makes of a question, where it is about what is asked and can be said: every condition that is open is
    a whole clause, about whoever asks or what is asked. None otherwise."""
    wanted = content(question)
    if settled is None or not wanted & content(settled.rule.consequence):
        return None
    if spoken(shelf, question, shelf.book.document.text[settled.rule.start : settled.rule.end]) < least:
        return None
    bare = _NO_SUBJECT.match(settled.rule.consequence)  # its subject is the condition
    return settled if all(_whole(one, wanted) and not bare for one in settled.conditions) else None


def _whole(condition: Condition, wanted: frozenset[str]) -> bool:
    said = " ".join(condition.said.split())
    cut = _CUT_SHORT.search(said) or any(said.count(a) != said.count(b) for a, b in ("()", "[]", "“”"))
    if not _WHOLE.match(said) or cut or len(said) > _LONGEST:
        return False
    return said.lower().startswith(("you ", "your ")) or bool(wanted & content(said))
