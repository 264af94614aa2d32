"""What an evaluation's systems are called, as its commands take it: nothing heavy is loaded to know the names."""

from __future__ import annotations

from enum import StrEnum


class PairSystemName(StrEnum):
    """What answers in `evaluate pairs`."""

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


class SetSystemName(StrEnum):
    """What finds sets in `evaluate finding`."""

    BM25 = "bm25"
    """Documents by words: the paper's sparse retriever. It gives no sets."""
    DENSE = "dense"
    """Documents by vectors: the paper's dual encoder, by the workspace's encoder."""
    HYBRID = "hybrid"
    """Both, fused by rank."""
    CANDIDATES = "candidates"
    """The documents that `Workspace.find` would judge."""
    CLASSIFIER = "classifier"
    """The paper's retriever and classifier of whole queries."""
    FIND = "find"
    """`Workspace.find`."""


class Understood(StrEnum):
    """Where the expression of a query comes from."""

    PARSED = "parsed"
    """From the query's words."""
    DATA = "data"
    """From the data: what the query was made of. Shows what parsing costs."""
    WHOLE = "whole"
    """The whole query is one constraint: nothing is taken apart."""
