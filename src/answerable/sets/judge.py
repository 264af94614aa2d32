"""Whether a document fits a constraint: what judges say, whichever model they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@runtime_checkable
class Judge(Protocol):
    """Gives texts a probability of fitting each constraint, from these alone: no other text changes it.

    Source: the relevance classifier of Malaviya et al. 2023, section 4.3, asked of one constraint at a time.
    """

    @property
    def name(self) -> str:
        """Which model it is, for reports and manifests."""
        ...

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        """(texts, constraints) float32 probabilities, 0 to 1, calibrated; a text is a title and what stands below."""
        ...
