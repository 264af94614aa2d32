"""What may answer in `evaluate pairs`, by the names that the command takes: nothing heavy is loaded to know them."""

from __future__ import annotations

from enum import StrEnum


class SystemName(StrEnum):
    """What answers."""

    WORDS = "words"
    """The pair whose question shares the most telling words with the one asked (BM25)."""
    VECTORS = "vectors"
    """The nearest pair by vectors that nobody trained on questions."""
    TRAINING = "training"
    """The nearest of the questions given with `--training`, and nothing made from the text (PAQ, table 4, row 1)."""
    RETRIEVE = "retrieve"
    """The workspace's pairs, by its matcher alone (RePAQ, retriever only)."""
    RERANK = "rerank"
    """The same, the best of them read again (RePAQ with its reranker)."""
    EARLY = "early"
    """The same, and where none is sure, what stands in the first passages found: an ask before it searches on."""
    ENGINE = "engine"
    """`ask` without pairs: retrieve and read."""
