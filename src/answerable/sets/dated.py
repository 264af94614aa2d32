"""When something happened to what a set looks for, read in each document: "people born in the 1930s".

A judge of texts knows what a person is, and counts no years; that a text names one of them tells little, since it also
says when its person died. The reader is asked when it was, where the text names a year that would do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answerable.readers.comparing import READ, day
from answerable.readers.reader import Reader
from answerable.sets.against import cut
from answerable.sets.bounds import says
from answerable.sets.times import event, other_years, years_of
from answerable.text import sentences
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill
from answerable.work.spread import cores

Probabilities = NDArray[np.float64]
OTHERWISE, UNREAD = 0.04, 0.1
"""What is left of a probability where the text says another time, and where none is read."""


def dates(wanted: Mapping[str, str]) -> dict[str, str]:
    """Those constraints that say when something happened, with their words."""
    return {text: words for text, words in wanted.items() if event(words)}


def by_dates(
    reader: Callable[[], Reader] | None,
    dated: Mapping[str, str],
    fits: Mapping[str, Probabilities],
    read: Mapping[int, Sequence[Passage]],
    threads: int = 0,
) -> dict[str, Probabilities]:
    """(n,) float64 for each `dated` constraint: what is left of how likely documents fit it, of those that are `read`
    by when it happened to them, on so many `threads` (0: as many as there are processors); nothing without a
    `reader`."""
    if reader is None or not dated:
        return {}
    left = {text: fits[text].copy() for text in dated}
    with ThreadPoolExecutor(threads or cores()) as pool:
        for text, own in left.items():
            own[[*read]] *= [*pool.map(partial(when, reader(), dated[text]), read.values())]
    return left


def when(reader: Reader, words: str, passages: Sequence[Passage]) -> float:
    """What is left of the probability of a constraint that says when something happened, by what is read of that in the
    passages of a document: in the first sentence that names such a time, or where none is read there, in all of
    them."""
    wanted = event(words)
    if wanted is None:
        return 1.0
    asks = wanted.asks.format(passages[0].title)
    told = [one for one in passages if not other_years(words, f"{one.heading} {one.text}")] or passages
    first = next((found for one in told if (found := _first(words, one))), None)
    read = _read(reader, asks, [first]) if first else None
    if read is None or read.score < READ:
        read = max(filter(None, (read, _read(reader, asks, told))), key=lambda one: one.score, default=None)
    if read is None:
        return UNREAD
    within = read.low < wanted.last + 1 and wanted.first < read.high
    if read.score >= READ:
        return 1.0 if within else OTHERWISE
    unsurely = within and wanted.asks.startswith("When was")  # when somebody died is often read of the birth
    return 1.0 / (1.0 + math.exp(-read.score)) if unsurely else UNREAD


def _first(words: str, passage: Passage) -> Passage | None:
    """The first sentence of a passage that names such a time, by itself."""
    for start, end in sentences(passage.text):
        if says(words, passage.text[start:end]):
            return cut(passage, start, end)
    return None


class _Read(NamedTuple):
    """From when to when something was, in years, and the log-odds at which that was read."""

    low: float
    high: float
    score: float


def _read(reader: Reader, asks: str, passages: Sequence[Passage]) -> _Read | None:
    """What passages say of when it was; None where it is likelier that they do not."""
    chains = [Chain((Hit(one, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC) for one in passages]
    for one in reader.read(asks, chains):
        span = day(one)
        if one.score >= 0.0 and (years := (span.low, span.high) if span else years_of(one.text)):
            return _Read(*years, one.score)
    return None
