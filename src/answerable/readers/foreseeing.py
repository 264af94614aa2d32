"""What a path will score, told before it is read from what its passages scored alone.

Most of the time of an ask goes into reading paths, and most paths read are far from the best: a pair is little better
than its passages, and those were mostly read before it. So paths are read best first, by what is foreseen of them, and
the rest are left when not even `MARGIN` more would bring them among the best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from answerable.types import Chain, Hit

MARGIN = 3.0
"""How far a path may be above what was foreseen: what is foreseen of pairs is off by 2.7 (root of the mean square)."""
TOGETHER = 2
"""Paths read before the next are chosen: not how many processors there are, on which no answer may depend."""
ALONE, UNREAD_FIRST, UNREAD_LATER = -1.5, -3.3, -4.6
"""The median of a passage alone; what stands for a passage of a pair that was not read alone."""
SHIFT, FIRST, LATER = -0.2, 1.3, 0.65
"""Least squares over the 1,735 pairs of 331 everyday questions (`benchmarks/ask_speed.py foresee`)."""
Place = tuple[str, str]


def place_of(hit: Hit) -> Place:
    """Which passage it is."""
    return (hit.passage.enclave, hit.passage.id)


def foreseen(chain: Chain, alone: Mapping[Place, float]) -> float:
    """The score that a path will have, by those of passages read `alone`. One of three or more is always read."""
    if len(chain.hits) > 2:
        return math.inf
    if len(chain.hits) == 1:
        return ALONE
    first, later = map(place_of, chain.hits)
    return SHIFT + FIRST * alone.get(first, UNREAD_FIRST) + LATER * alone.get(later, UNREAD_LATER)
