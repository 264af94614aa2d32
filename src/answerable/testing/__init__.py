"""Contracts of parts, as classes of tests: inherit one, say which part, and pytest does the rest (`docs/parts.md`).

    class TestMine(EncoderContract):
        encoder = Mine()

Needs pytest, which nothing else here does.
"""

import pytest

_ROOMS = ("encoder", "generator", "index", "judge", "matcher", "reader")
pytest.register_assert_rewrite(*(f"{__name__}.{room}" for room in _ROOMS))

from answerable.testing.encoder import EncoderContract, LinkerContract  # noqa: E402
from answerable.testing.generator import GeneratorContract  # noqa: E402
from answerable.testing.index import SearchableEnclaveContract  # noqa: E402
from answerable.testing.judge import JudgeContract  # noqa: E402
from answerable.testing.matcher import MatcherContract, PairRerankerContract  # noqa: E402
from answerable.testing.reader import ReaderContract  # noqa: E402

__all__ = [
    "EncoderContract",
    "GeneratorContract",
    "JudgeContract",
    "LinkerContract",
    "MatcherContract",
    "PairRerankerContract",
    "ReaderContract",
    "SearchableEnclaveContract",
]
