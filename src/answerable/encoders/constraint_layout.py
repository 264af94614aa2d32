"""How a text and several constraints become one row of token ids, each constraint judged as if it were alone.

`[CLS] title. text [SEP]` and, for each constraint, `[CLS] constraint [SEP]`: the text attends to itself, a constraint
to itself and to the text. So a text is read once however many constraints it is asked of, and what is said of one does
not depend on the others: an expression of the same atoms gets the same probabilities, however it is put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answerable.encoders.wordpieces import Ids

TEXT, FIRST = 1, 2
"""In `segments`: 0 is padding, the text is 1, and the constraints follow from 2."""
TEXT_TOKENS, CONSTRAINT_TOKENS = 192, 48
"""The most tokens read of each, [CLS] and [SEP] counted."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A row of n tokens with k constraints: what each token is of, its place there, and each constraint's [CLS]."""

    ids: list[int]
    segments: list[int]
    places: list[int]
    heads: list[int]


@dataclass(frozen=True, slots=True)
class Feeding:
    """Rows side by side: `ids`, `segments` and `places` (b, n), `heads` (b, k), int64; a row with fewer has zeros."""

    ids: Ids
    segments: Ids
    places: Ids
    heads: Ids


def lay(text: Sequence[int], constraints: Sequence[Sequence[int]]) -> Laid:
    """The row of a text and its constraints, given as token ids, [CLS] and [SEP] included."""
    row = Laid(list(text), [TEXT] * len(text), list(range(len(text))), [])
    for number, ids in enumerate(constraints):
        row.heads.append(len(row.ids))
        row.ids.extend(ids)
        row.segments.extend([FIRST + number] * len(ids))
        row.places.extend(range(len(ids)))
    return row


def feeding(rows: Sequence[Laid]) -> Feeding:
    """Rows padded to the longest."""
    size, most = max(len(row.ids) for row in rows), max(len(row.heads) for row in rows)
    ids, segments, places = (np.zeros((len(rows), size), np.int64) for _ in range(3))
    heads = np.zeros((len(rows), most), np.int64)
    for number, row in enumerate(rows):
        n = len(row.ids)
        ids[number, :n], segments[number, :n], places[number, :n] = row.ids, row.segments, row.places
        heads[number, : len(row.heads)] = row.heads
    return Feeding(ids, segments, places, heads)
