"""A time for reranking, turned into a number of chains before anything is asked.

A clock that ran during an ask would let how long private text takes decide what is searched for next, and two equal
questions could be answered differently. So the pace of this machine is measured once, on text that is always the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from answerable.chains.beam import BeamSettings
from answerable.encoders.encoder import Encoder, Reranker

_PASSAGES = [
    (f"Harbour {number}", "The pier was built of granite, and boats from the islands land there with mail. " * 6)
    for number in range(8)
]
_QUESTION = "Which pier do the boats from the islands use when the wind is from the west?"


def affordable(
    settings: BeamSettings, encoder: Encoder, clock: Callable[[], float] = time.perf_counter
) -> BeamSettings:
    """The settings with no more chains to rerank at a hop than fit into `settings.seconds`, but at least the width.

    Nothing changes without such a limit, without reranking, and with an encoder that cannot.
    """
    if not (settings.seconds and settings.rerank and isinstance(encoder, Reranker)):
        return settings
    encoder.rerank(_QUESTION, _PASSAGES[:1])  # the first reading opens the model
    took = []
    for _ in range(2):
        began = clock()
        encoder.rerank(_QUESTION, _PASSAGES)
        took.append(clock() - began)
    pace = max(min(took), 1e-9) / len(_PASSAGES)
    return replace(settings, rerank=min(settings.rerank, max(settings.width, int(settings.seconds / pace))))
