"""How pairs are made, kept and answered from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PairSettings:
    """What `answerable pairs` does unless told otherwise, and whether `ask` looks among pairs first.

    `threshold`: least confidence of an answer from a pair; None: as calibrated. `rerank`: pairs read with the question,
    0 for none. `early`: passages of its first search that `ask` reads where no pair is sure, before it searches on, 0
    for none; `early_threshold`: least confidence of what is read there; None: as calibrated.

    `budget`: what the matcher, the index and the text of pairs may take together, as "500MB"; None: what they need.

    `endpoint`: where a language model may be asked for the questions of passages, the `/v1` of an OpenAI-compatible
    server, as `model` there with the key in `key_file`; of private passages only where `endpoint_private` says it is
    for these.
    """

    answer: bool = True
    threshold: float | None = None
    rerank: int = 10
    early: int = 3
    early_threshold: float | None = None
    index: Literal["auto", "flat", "graph"] = "auto"
    numbers: Literal["f16", "i8", "pq"] = "f16"
    budget: str | None = None
    endpoint: str | None = None
    model: str | None = None
    key_file: str | None = None
    endpoint_private: bool = False
