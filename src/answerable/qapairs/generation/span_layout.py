"""A passage as an answer extractor reads it: windows of tokens, which of them may begin or end an answer, and marks.

A mark says of a token what the encoder, which reads lower-case text, cannot see: capitals, digits, what stands beside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.segments import TOKENS, Row, Segments

LONGEST = 30
"""Tokens of the longest span (PAQ, section 3.2)."""
_MOST = 4096
"""Tokens of a passage that are read at all."""
_HEAD = 32
"""Tokens of a title that are read."""
_CLASSES = 7
MARKS = 3 * _CLASSES + 2
"""Marks of a token."""
_OPENING, _HYPHENS = frozenset("([{\"'“‘«`"), frozenset("-–—−/")
_NEVER_FIRST, _NEVER_LAST = frozenset(",.;:!?)]}%"), frozenset(",;:([{$€£!?-–—`“‘")


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive tokens of a passage, laid out to be read with its title.

    `row` is what the encoder reads; the passage's tokens stand in it from `first` on. `offsets` (n, 2) int64 are their
    characters in the passage, `begins` and `ends` (n,) bool which may begin or end an answer, and `marks` (n, MARKS)
    float32 what is seen of them.
    """

    row: Row
    first: int
    offsets: NDArray[np.int64]
    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    marks: NDArray[np.float32]


def windows(segments: Segments, title: str, text: str, most: int = TOKENS) -> list[Window]:
    """The windows of a passage, each of at most `most` tokens with the title; none of an empty passage.

    A window ends before a word where it can. A passage is read up to its 4,096th token.
    """
    head = list(segments.words(f"{title}.", _HEAD)[0].ids[1:-1]) if title.strip() else []
    row, offsets = segments.words(text, _MOST + 2)
    ids, room = row.ids[1:-1], most - 2 - len(head)
    may_begin, may_end = _edges(text, offsets)
    marks = _marks(text, offsets)
    found, begin = [], 0
    while begin < len(ids):
        end = min(begin + room, len(ids))
        if end < len(ids):
            end = next((i for i in range(end, begin + room // 2, -1) if may_begin[i]), end)
        kept = slice(begin, end)
        laid = Row((row.ids[0], *head, *ids[kept], row.ids[-1]))
        held = np.array(offsets[kept], np.int64)
        found.append(Window(laid, 1 + len(head), held, may_begin[kept], may_end[kept], marks[kept]))
        begin = end
    return found


def _edges(text: str, offsets: list[tuple[int, int]]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which tokens begin and which end at the edge of a word, and are no mark that no answer begins or ends with."""
    begins = [a < b and not _inside(text, a) and text[a] not in _NEVER_FIRST for a, b in offsets]
    ends = [a < b and not _inside(text, b) and text[b - 1] not in _NEVER_LAST for a, b in offsets]
    return np.array(begins, bool), np.array(ends, bool)


def _inside(text: str, at: int) -> bool:
    """Whether a word goes on across a character's place."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _marks(text: str, offsets: list[tuple[int, int]]) -> NDArray[np.float32]:
    """(n, MARKS): the class of each token's first character and of its neighbours', whether all are capitals, and
    whether a sentence begins with it."""
    marks = np.zeros((len(offsets), MARKS), np.float32)
    classes = [_class(text[a:b]) for a, b in offsets]
    for i, (a, b) in enumerate(offsets):
        marks[i, classes[i]] = 1
        if i:
            marks[i, _CLASSES + classes[i - 1]] = 1
        if i + 1 < len(offsets):
            marks[i, 2 * _CLASSES + classes[i + 1]] = 1
        marks[i, -2] = b - a > 1 and text[a:b].isupper()
        marks[i, -1] = i == 0 or text[offsets[i - 1][0]] in ".!?"
    return marks


def _class(token: str) -> int:
    first = token[:1]
    if first.isalpha():
        return 0 if first.isupper() else 1
    if first.isdigit():
        return 2
    return 3 if first in _OPENING else 4 if first in _HYPHENS else 5 if first in ".!?" else 6
