"""How pairs are made, kept and answered from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from answerable.records import setting


@dataclass(frozen=True, slots=True)
class PairSettings:
    """What `answerable pairs` does unless told otherwise, and whether `ask` looks among pairs first."""

    answer: bool = setting(True, "ask answers from pairs where it is sure enough")
    remember: bool = setting(True, "keep each asker's last answers, so that they can be called good or bad")
    threshold: float | None = setting(None, "least confidence of an answer from a pair; empty: as calibrated", 0, 1)
    rerank: int = setting(10, "pairs found that are read with the question; 0: none", 0, 1_000)
    early: int = setting(3, "passages of the first search that ask reads before it searches on; 0: none", 0, 100)
    early_threshold: float | None = setting(None, "least confidence of what is read there; empty: as calibrated", 0, 1)
    index: Literal["auto", "flat", "graph"] = setting(
        "auto", "how questions are searched: flat (all of them), graph (extra pairs), or auto (a graph of many)"
    )
    numbers: Literal["f16", "i8"] = setting("f16", "what their vectors are kept as: f16, or i8 (a byte a number)")
    budget: str | None = setting(
        None, "what model, index and text may take together, as 500MB; empty: as much as they need"
    )
