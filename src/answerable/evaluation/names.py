"""What an evaluation's systems are called, as its commands take it: nothing heavy is loaded to know the names."""

from __future__ import annotations

from enum import StrEnum


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
