"""Questions that stand in a text with what answers them, as in help pages: where each is asked, and what follows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from answerable.corpora.outline import heading_end
from answerable.corpora.paragraphs import ITEM
from answerable.text import MARKS, asks, content, overlap, sentences
from answerable.types import Section

LONGEST = 400
"""Characters of an answer; of a longer one its first sentences, and the first whatever its length."""
Same = Callable[[str, str], bool]
"""Whether two questions ask the same."""
STATED = 0.95
"""How sure what a text itself answers a question with is."""
NO_PAGES = frozenset({"mail", "chat"})
"""Kinds of documents in which questions are put to somebody, and what stands below need not answer them."""
LIKE = 0.5
"""The share of their content words that two questions have in common to be compared at all: what tells whether they ask
the same learned it of questions that are nearly alike, and is sure of some that have nothing to do with each other."""
_TRIED = 10
"""Questions that are compared with one that is asked: the likest."""
_MOST_LINES = 6
"""Lines of a question, at most."""
_LABEL = re.compile(r"[ \t>*_#-]*[^\W\d_]{1,10}[ ]?\d{0,3}[.:)][*_]*[ \t]+")
"""What stands before a question or its answer: "Q:", "**A2.**"."""
_NAME = re.compile(r"(?<!^)\b[^\W\d_a-z]\w+|^[^\W\d_a-z]\w+(?=,)")
_UNDERLINE = re.compile(r"\s*([=\-*~^_])\1+[ \t\r]*\n")
_NUMBER = re.compile(r"[ \t>*_#-]*(?:\d{1,3}[.)][ \t]+)?")
_OPENING = re.compile(rf"(?:{_LABEL.pattern}|{_NUMBER.pattern})[^.!?？؟\n]{{2,200}}[?？؟][\"')\]*_]*[ \t]+(?=\S)")
"""A question that opens a line on which its answer stands too."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a text, by its characters [start, end), and those of what answers it, [first, last)."""

    start: int
    end: int
    first: int
    last: int


def asked(text: str, sections: Sequence[Section] = ()) -> list[Asked]:
    """The questions of a text that it answers, in order.

    A line or a heading that ends in a question mark is one, with the lines above that it goes on from, and so is one
    that opens a line. What follows answers it, up to the next question or heading. Questions in a list are answered by
    nothing that stands below the list.
    """
    if not any(mark in text for mark in MARKS):
        return []
    heads = {one.start: heading_end(text, one) for one in sections}
    places = sorted((dict.fromkeys(heads, -1) | dict(_questions(text, heads))).items())
    found: list[Asked] = []
    listed = False
    for (start, end), after in zip_longest(places, places[1:]):
        stop = after[0] if after else len(text)
        if end < 0:
            continue
        first, last = _told(text, start, end, stop)
        item = ITEM.match(text, start) is not None
        if first < last and not (listed and item):
            found.append(Asked(start, end, first, last))
        listed = item and first >= last
    return found


def answered(question: str, text: str, sections: Sequence[Section], same: Same) -> tuple[int, int] | None:
    """The characters [first, last) with which a text answers a question that it asks itself; None where it does not."""
    put = [(overlap(question, said), said, one) for one in asked(text, sections) for said in variants(text, one)]
    near = sorted((one for one in put if one[0] >= LIKE and _alike(question, one[1])), key=lambda one: -one[0])
    return next(((one.first, one.last) for _, said, one in near[:_TRIED] if same(question, said)), None)


def _alike(question: str, said: str) -> bool:
    """Whether two questions share more than names, where the first asks of more: those who speak are named too."""
    wanted = content(question) - content(" ".join(_NAME.findall(question) + _NAME.findall(said)))
    return not wanted or bool(wanted & content(said))


def variants(text: str, one: Asked) -> list[str]:
    """How a question can be put: all of it, and each of its sentences that asks; without what marks it."""
    mark = _LABEL.match(text, one.start, one.end) or _NUMBER.match(text, one.start, one.end)
    whole = text[mark.end() if mark else one.start : one.end].strip("*_ \t\r\n")
    parts = [whole[a:b] for a, b in sentences(whole)]
    return [*dict.fromkeys(" ".join(said.split()) for said in (whole, *parts) if asks(said))]


def shortened(text: str, start: int, end: int) -> tuple[int, int]:
    """What of [start, end) is told as an answer: all of it, or its first sentences; no blanks around it."""
    said = text[start:end]
    first = start + len(said) - len(said.lstrip())
    spans = sentences(said)
    fitting = [last for _, last in spans if start + last - first <= LONGEST]
    return first, start + (fitting[-1] if fitting else spans[0][1] if spans else 0)


def _questions(text: str, heads: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Where questions stand, those right below one another together where they are no list."""
    at, held = 0, list[tuple[int, int]]()
    above: tuple[int, int] | None = None
    for line in text.splitlines(keepends=True):
        start, end, at = at, at + len(line.rstrip()), at + len(line)
        goes_on = bool(held) and not (ITEM.match(text, start, end) or _LABEL.match(text, start, end))
        if start in heads or not line.strip() or not goes_on:
            if above:
                yield above
            held, above = [], None
        if not line.strip():
            continue
        held.append((start, end))
        if asks(line):
            above = (held[max(0, len(held) - _MOST_LINES)][0] if above is None else above[0], end)
        elif above:
            yield above
            held, above = [(start, end)], None
        elif opening := _OPENING.match(text, start, end):
            yield start, opening.end()
            held = []
        elif text[end - 1] in ".!:;" or start in heads:
            held = []
    if above:
        yield above


def _told(text: str, start: int, end: int, stop: int) -> tuple[int, int]:
    """The characters that answer a question; none where nothing is said."""
    while line := _UNDERLINE.match(text, end, stop):
        end = line.end()
    if _LABEL.match(text, start) and (label := re.compile(rf"\s*{_LABEL.pattern}").match(text, end, stop)):
        end = label.end()
    if not any(map(str.isalnum, text[end:stop])):
        return end, end
    return shortened(text, end, stop)
