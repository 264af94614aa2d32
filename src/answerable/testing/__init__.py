"""Contracts of parts, as classes of tests: inherit one, say which part, and pytest does the rest (`docs/parts.md`).

    class TestMine(EncoderContract):
        encoder = Mine()

Needs pytest, which nothing else here does.
"""

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in ("encoder", "index", "reader")))

from answerable.testing.encoder import (  # noqa: E402
    EncoderContract,
    LinkerContract,
    MatcherContract,
    PairRerankerContract,
)
from answerable.testing.index import SearchableEnclaveContract  # noqa: E402
from answerable.testing.reader import GeneratorContract, JudgeContract, ReaderContract  # noqa: E402

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
