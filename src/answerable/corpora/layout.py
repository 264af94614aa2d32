"""Headings of plain text, told by where they stand: further out than all that is said below them, or centred."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answerable.text import asks

_LEAST = 3
"""How many headings a text must have that stand further out."""
_SHARE = 0.8
"""Of the lines that stand as far out, how many must be headings."""
_MOST_WORDS = 12
_TAB = 8
_RULE = re.compile(r"([-*_=~#])(?:[ \t]*\1){2,}")
_COLUMNS = re.compile(r"\S(?: {3}| *\t)")
_DEEPEST = 4
_CENTRED = 10
"""Characters that a centred line stands further in than the text, at least."""
_OFF_CENTRE = 5


@dataclass(frozen=True, slots=True)
class _Row:
    """A line that holds something: where it begins, its words, how far in it stands and how far it reaches, and whether
    it opens and closes what stands between blank lines."""

    start: int
    said: str
    left: int
    right: int
    opens: bool
    closes: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of a text that hold something, in order."""

    _rows: Sequence[_Row]

    @classmethod
    def of(cls, text: str) -> Rows:
        """Those of a text."""
        lines, cursor, rows = text.splitlines(keepends=True), 0, list[_Row]()
        for number, line in enumerate(lines):
            if said := line.strip():
                wide = line.expandtabs(_TAB).rstrip()
                opens = number == 0 or not lines[number - 1].strip()
                closes = number + 1 == len(lines) or not lines[number + 1].strip()
                rows.append(_Row(cursor, said, len(wide) - len(wide.lstrip()), len(wide), opens, closes))
            cursor += len(line)
        return cls(tuple(rows))

    def further_out(self) -> dict[int, int]:
        """Depths of the headings that stand further out, by where they begin: short lines or questions after a blank
        line, each with what stands further in right below. Hardly another line stands as far out as they, as in manual
        pages and RFCs; there are several depths of them where text stands in from all."""
        found: dict[int, int] = {}
        for depth, left in enumerate(sorted({row.left for row in self._rows})[:_DEEPEST], 1):
            there = [n for n, row in enumerate(self._rows) if row.left == left and not _COLUMNS.search(row.said)]
            heads = [n for n in there if _is_short(self._rows[n]) and self._is_left_by_what_follows(n)]
            if len(heads) < max(_SHARE * len(there), 1):
                return found if len(found) >= _LEAST else {}
            found |= {self._rows[n].start: depth for n in heads}
        return {}  # all lines are: nothing is said below them

    def _is_left_by_what_follows(self, n: int) -> bool:
        return n + 1 < len(self._rows) and self._rows[n + 1].left > self._rows[n].left

    def below_rules(self) -> set[int]:
        """Where headings begin that stand below rules: short lines alone, one below each, or none is a heading. The
        first line of the text is one too if it is like them, and no title above a rule."""
        ruled = {n for n, row in enumerate(self._rows) if row.opens and row.closes and is_rule(row.said)}
        below = [self._rows[n + 1] for n in ruled if n + 1 < len(self._rows)]
        first = [] if ruled & {0, 1} else self._rows[:1]
        heads = {row.start for row in (*first, *below) if row.closes and _is_short(row)}
        return heads if len(heads) >= _LEAST and heads.issuperset(row.start for row in below) else set()

    def centred(self) -> set[int]:
        """Where headings begin that are centred: lines of words alone, in the middle of lines that are much wider."""
        if not self._rows:
            return set()
        margin = min(row.left for row in self._rows)
        reach = sorted(row.right for row in self._rows)[len(self._rows) * 9 // 10 - (len(self._rows) > 9)]
        return {row.start for row in self._rows if row.closes and _is_short(row) and _is_amid(row, margin, reach)}


def is_rule(line: str) -> bool:
    """Whether a line is nothing but one mark, three times or more."""
    return _RULE.fullmatch(line.strip()) is not None


def _is_amid(row: _Row, margin: int, reach: int) -> bool:
    """Whether a line is a title in the middle."""
    middle = abs(row.left + row.right - margin - reach) <= 2 * _OFF_CENTRE
    words = [word.lstrip("\"“'‘(") for word in row.said.split()]
    titled = 2 * sum(word[:1].isupper() for word in words) > len(words)
    return row.left >= margin + _CENTRED and middle and titled and not _COLUMNS.search(row.said)


def _is_short(row: _Row) -> bool:
    opening = row.said[0].isalnum() or row.said[0] in "\"“'‘"
    few = len(row.said.split()) <= _MOST_WORDS or asks(row.said)
    return row.opens and opening and few and row.said[-1] not in ".,;:!"
