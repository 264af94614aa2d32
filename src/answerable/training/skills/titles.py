"""Titles of pages where they occur in text: links that nobody had to mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from answerable.evaluation.hop_order import bare
from answerable.training.skills.example import Span, Text

_WORD = re.compile(r"\w+")
_GAP = 3
"""Characters that may lie between two words of a name: a space, a full stop and a space, and the like."""
_MOST_WORDS = 8
_OPENING = 120
"""Characters in which a page's first paragraph names its subject."""


class Titles:
    """Finds the titles of pages in text. Titles with brackets are left out: their names have a commoner meaning."""

    def __init__(self, pages: Iterable[Text]) -> None:
        """Know the titles of `pages`; of several passages under one title the first that opens a page stands for it."""
        self._pages: dict[str, Text] = {}
        for page in pages:
            if _telling(page[0]) and _opens(page):
                self._pages.setdefault(_key(page[0]), page)
        lengths: dict[str, set[int]] = {}
        for name in self._pages:
            words = name.split(" ")
            if len(words) <= _MOST_WORDS:
                lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def find(self, text: str) -> list[tuple[Span, Text]]:
        """Where pages are named in `text`, the longest name at each word, none inside another, in order.

        A name's first and last words have a capital or are figures. One of a single word does not open a sentence,
        where any word has a capital, and has no other such word beside it, which would make it a part of a longer name.
        """
        words = [match.span() for match in _WORD.finditer(text)]
        lower = [text[a:b].lower() for a, b in words]
        found: list[tuple[Span, Text]] = []
        at = 0
        while at < len(words):
            length = next(self._lengths_at(text, words, lower, at), 0)
            if length:
                span = words[at][0], words[at + length - 1][1]
                found.append((span, self._pages[" ".join(lower[at : at + length])]))
            at += length or 1
        return found

    def _lengths_at(self, text: str, words: list[Span], lower: list[str], at: int) -> Iterator[int]:
        """In words, the names that begin at a word, longest first."""
        if not _large(text, words, at):
            return
        for length in self._lengths.get(lower[at], ()):
            last = at + length - 1
            if last >= len(words) or " ".join(lower[at : last + 1]) not in self._pages:
                continue
            if not _large(text, words, last) or any(words[i + 1][0] - words[i][1] > _GAP for i in range(at, last)):
                continue
            if length > 1 or (_inside(text, words[at][0]) and not _crowded(text, words, at)):
                yield length


def spans_of(name: str, text: str) -> list[Span]:
    """Where the words of `name` occur in `text`, whatever their case."""
    words = _WORD.findall(name)
    if not words:
        return []
    between = rf"\W{{1,{_GAP}}}".join(map(re.escape, words))
    return [match.span() for match in re.finditer(rf"\b{between}\b", text, re.IGNORECASE)]


def _opens(page: Text) -> bool:
    """Whether a passage looks like the first of its page: it soon says what the page is about."""
    words = _WORD.findall(bare(page[0]).lower())
    return bool(words) and words[-1] in page[1][:_OPENING].lower()


def _key(name: str) -> str:
    return " ".join(_WORD.findall(name.lower()))


def _telling(title: str) -> bool:
    """Whether a title tells its page wherever it occurs: no brackets, not a number, not two letters, not small."""
    name = _key(title)
    return "(" not in title and len(name) > 2 and not name.replace(" ", "").isdigit() and title[0].upper() == title[0]


def _large(text: str, words: list[Span], at: int) -> bool:
    first = text[words[at][0]]
    return first.isupper() or first.isdigit()


def _crowded(text: str, words: list[Span], at: int) -> bool:
    """Whether a word with a capital stands beside this one, with nothing but a space between."""
    before = at > 0 and words[at][0] - words[at - 1][1] == 1 and _large(text, words, at - 1)
    after = at + 1 < len(words) and words[at + 1][0] - words[at][1] == 1 and _large(text, words, at + 1)
    return before or after


def _inside(text: str, start: int) -> bool:
    """Whether a word does not open a sentence."""
    before = text[:start].rstrip()[-1:]
    return bool(before) and before not in ".!?:;\"“'"


def sentence(text: str, span: Span, reach: int = 160) -> Span:
    """Characters of about the sentence around a span: back and on to a full stop, at most `reach` beyond it."""
    start, end = span[0], span[1]
    low = max(text.rfind(". ", max(0, start - reach), start) + 1, start - reach, 0)
    high = text.find(". ", end, end + reach)
    high = min(len(text), end + reach) if high < 0 else high + 1
    while 0 < low < start and not text[low - 1].isspace():  # never from the middle of a word
        low += 1
    while low < start and text[low].isspace():
        low += 1
    while end < high < len(text) and not text[high].isspace():
        high -= 1
    return low, high
