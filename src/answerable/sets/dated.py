"""When something happened to what a set looks for, read in each document: "people born in the 1930s".

A judge of texts knows what a person is, and counts no years; that a text names one of them tells little, since it also
says when its person died. The reader is asked when it was, where the text names a year that would do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from answerable.readers.comparing import READ, day
from answerable.readers.reader import Reader
from answerable.sets.times import event, other_years
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

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
) -> dict[str, Probabilities]:
    """(n,) float64 for each `dated` constraint: what is left of how likely documents fit it, of those that are `read`
    by when it happened to them; nothing without a `reader`."""
    if reader is None:
        return {}
    left = {text: fits[text].copy() for text in dated}
    for text, own in left.items():
        for at, passages in read.items():
            own[at] *= when(reader(), dated[text], passages)
    return left


def when(reader: Reader, words: str, passages: Sequence[Passage]) -> float:
    """What is left of the probability of a constraint that says when something happened, by what is read of that in
    the passages of a document."""
    wanted = event(words)
    if wanted is None:
        return 1.0
    told = [one for one in passages if not other_years(words, f"{one.heading} {one.text}")] or passages
    chains = [Chain((Hit(one, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC) for one in told]
    read = (one for one in reader.read(wanted.asks.format(passages[0].title), chains) if one.score >= READ)
    span = next((span for one in read if (span := day(one))), None)
    if span is None:
        return UNREAD
    return 1.0 if span.low < wanted.last + 1 and wanted.first < span.high else OTHERWISE
