"""How near a question is to the names of columns and to cells, by vectors: "what did Ana earn" is near to a Salary, and
"on holiday" to a cell that says "vacation"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.tables.asked import Asked, Condition, bits
from answerable.tables.cells import Table

_APART = re.compile(r"[\W_]+")
_KEPT = 20_000
"""Vectors of words and names that are kept."""
_ALIKE, _VERY_ALIKE = 0.55, 0.65
"""Cosines from which on a word of a question may mean a cell."""
_WORDED = frozenset(("class", "text"))
_MOST_VALUES, _REPEATED = 12, 0.7
"""What columns whose cells are compared look like; how many different ones they have at most, and of how many."""
_LONGEST = 40
"""Characters of a cell that is compared."""


class Near(NamedTuple):
    """The places of a column among all, nearest first and counted up to 3: by the mean of both, by the question's
    nearest word and by the whole question; `size` says how far it is from the nearest, and how near to the question."""

    place: int
    by_word: int
    by_question: int
    size: str


class Nearness:
    """Compares questions with names of columns; `encode` gives a vector for each text."""

    def __init__(self, encode: Callable[[Sequence[str]], Vectors]) -> None:
        self._encode = encode
        self._kept: dict[str, Vectors] = {}

    def of(self, asked: Asked, table: Table, known: Sequence[Condition]) -> list[Near]:
        """For each column. Words that cells say whole are not compared: they tell which rows, not which column."""
        words = [asked.words[at] for at in _open(asked, known)]
        names = self._vectors([_APART.sub(" ", name).strip().casefold() or "?" for name in table.header])
        whole = (self.whole(asked)[None] @ names.T)[0]
        word = (self._vectors(words) @ names.T).max(0) if words else whole
        both = (word + whole) / 2
        sizes = [f"{min(int((max(both) - one) * 10), 4)}.{int(one * 10)}" for one in both]
        return [Near(*one) for one in zip(_places(both), _places(word), _places(whole), sizes, strict=True)]

    def whole(self, asked: Asked) -> Vectors:
        """The unit vector of the words of a question."""
        vector: Vectors = self._vectors([" ".join(asked.words) or "?"])[0]
        return vector

    def between(self, word: str, names: Sequence[str]) -> float:
        """The cosine of a word and the nearest of some names; -1 where there is none."""
        return float((self._vectors([word]) @ self._vectors(names).T).max()) if names else -1.0

    def conditions(self, asked: Asked, table: Table, known: Sequence[Condition]) -> list[Condition]:
        """Conditions on rows by a word that is near to the cells of a column of few values, of each column the
        nearest; `size`: 1 more where they are very near."""
        at = _open(asked, known)
        made = []
        for column, shape in enumerate(table.shapes) if at else ():
            cells = [row[column] for row in table.rows]
            values = [value for value in dict.fromkeys(cells) if 0 < len(value) < _LONGEST]
            if shape not in _WORDED or not values or len(values) > min(_MOST_VALUES, _REPEATED * len(cells)):
                continue
            alike = self._vectors([asked.words[one] for one in at]) @ self._vectors(list(map(str.casefold, values))).T
            word, value = divmod(int(alike.argmax()), len(values))
            rows = bits([cell == values[value] for cell in cells]) & table.every
            if alike.max() >= _ALIKE and rows and all((one.column, one.rows) != (column, rows) for one in known):
                size = 1 + bool(alike.max() >= _VERY_ALIKE)
                made.append(Condition(column, rows, "near", at[word], at[word] + 1, size))
        return made

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        kept = self._kept  # another thread may begin a new one
        found = {text: kept[text] for text in texts if text in kept}
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            made = self._encode(missing)
            found |= (new := dict(zip(missing, made / np.linalg.norm(made, axis=1, keepdims=True), strict=True)))
            if len(kept) > _KEPT:
                self._kept = new
            else:
                kept.update(new)
        return np.stack([found[text] for text in texts])


def _open(asked: Asked, known: Sequence[Condition]) -> list[int]:
    """The telling words that no cell says whole, but for numbers."""
    met = {at for one in known if one.kind == "full" for at in range(one.start, one.end)}
    return [at for at in asked.telling if at not in met and not asked.words[at][0].isdecimal()]


def _places(values: Vectors) -> list[int]:
    order = np.argsort(-values, kind="stable").tolist()
    return [min(order.index(column), 3) for column in range(len(order))]
