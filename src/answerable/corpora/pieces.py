"""Text measured in words, and cut where a piece of it is too long: the one way, for passages and for sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Writing without blanks between words still has to be measured: a Chinese or Japanese character counts as a word,
# and so does each 24 characters of anything longer.
_WORD_LENGTH = 24
_DENSE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\s{_DENSE}]{{1,{_WORD_LENGTH}}}")
SEPARATORS = (re.compile(r"\n"), re.compile(r"; "))
"""Where a long sentence is cut, the first rather than the second."""


def count_words(text: str) -> int:
    """Words as passages are measured: runs without blanks, at most 24 characters each, or single CJK characters."""
    if text.isascii():
        runs = text.split()
        if len(max(runs, key=len, default="")) <= _WORD_LENGTH:
            return len(runs)
    return len(_WORD.findall(text))


def strip(text: str, start: int, end: int) -> tuple[int, int]:
    """[start, end) without the blanks at both ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(len(piece.rstrip()), left)


def cut(text: str, start: int, end: int, words: int, most: int, level: int = 0) -> Iterator[tuple[int, int, int]]:
    """text[start:end] in pieces of at most `most` words, none of them empty: (start, end, words).

    What is too long is cut at its line ends, then its semicolons, then after every `words` words.
    """
    length = count_words(text[start:end])
    if length <= most:
        if length:
            yield start, end, length
        return
    if level < len(SEPARATORS):
        for first, last in pieces(text, start, end, SEPARATORS[level]):
            yield from cut(text, first, last, words, most, level + 1)
        return
    found = list(_WORD.finditer(text, start, end))
    for index in range(0, len(found), words):
        chunk = found[index : index + words]
        yield chunk[0].start(), chunk[-1].end(), len(chunk)


def pieces(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """What stands between the separators in text[start:end], without blanks at the ends; empty pieces left out."""
    cursor = start
    for match in separator.finditer(text, start, end):
        # A mark that is more than a line end stays with the piece it closes.
        first, last = strip(text, cursor, match.end())
        if first < last:
            yield first, last
        cursor = match.end()
    first, last = strip(text, cursor, end)
    if first < last:
        yield first, last
