"""Models that few questions need, opened when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.shipped import open_shipped
from answerable.types import Chain

if TYPE_CHECKING:
    from answerable.encoders.encoder import Decides, Passages, Vectors
    from answerable.qapairs.verify import Verifier
    from answerable.readers.paths import PathReader


class OpenedDecider:
    """What decides questions for yes or no."""

    def __init__(self, make: Callable[[], Decides]) -> None:
        self._make, self._lock = make, Lock()
        self._decider: Decides | None = None

    def decide(self, question: str, told: str, passages: Passages) -> Vectors:
        """As `Decides.decide`. Raises `ModelError` where the weights are missing or damaged."""
        with self._lock:
            self._decider = self._decider or self._make()
        return self._decider.decide(question, told, passages)


class OpenedRanker:
    """The ranker of pairs of evidence: few questions want two pieces."""

    def __init__(self, threads: int) -> None:
        self._threads, self._lock = threads, Lock()
        self._ranker: PathReader | None = None

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        """As `PathReader.rank`. Raises `ModelError` where the weights are missing or damaged."""
        from answerable.readers.paths import open_paths

        with self._lock:
            self._ranker = self._ranker or open_paths(open_shipped(encoder_folder(SKILLS)), self._threads)
        return self._ranker.rank(question, chains)


class OpenedVerifier:
    """Whether two questions ask the same: few texts ask any."""

    def __init__(self, make: Callable[[], Verifier]) -> None:
        self._make, self._lock = make, Lock()
        self._verify: Verifier | None = None

    def __call__(self, one: str, other: str) -> bool:
        """As `corpora.faq.Same`. Raises `ModelError` where the weights are missing or damaged."""
        with self._lock:
            self._verify = self._verify or self._make()
        return self._verify(one, other).same
