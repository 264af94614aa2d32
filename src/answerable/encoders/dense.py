"""The bi-encoder: a transformer as int8 ONNX, mean-pooled (Reimers and Gurevych 2019, section 3). Needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answerable.encoders.encoder import Asked, Passages, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import Shipped, open_shipped
from answerable.encoders.wordpieces import (
    PASSAGE_TOKENS,
    QUERY_TOKENS,
    WordPieces,
    pad,
    passage_text,
    plan_batches,
    slices,
)
from answerable.errors import ModelError
from answerable.types import Skill

BATCH_TOKENS = 256
"""Passages of a usual length go alone, and short ones together: batches of 1,024 tokens take a tenth longer, and
leave a vector depending on more other texts."""


class DenseEncoder:
    """Unit vectors of queries and passages from a folder that `answerable.training.export` wrote."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        """Open the model in `folder` on `threads` processors (0: all).

        Raises `ModelError` when it is missing or damaged.
        """
        shipped = open_shipped(folder)
        self.shipped: Shipped = shipped
        self.name = shipped.name
        self.dimension = int(shipped.about["dimension"])
        self.pieces = WordPieces(shipped.file("tokenizer.json"))
        path = shipped.file("model.onnx")
        try:
            self._session = Session(path, threads)
        except Exception as error:  # onnxruntime raises exceptions of its own, with no common base
            raise ModelError(f"the model in {shipped.folder} cannot be run", hint="reinstall answerable") from error

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """(dimension,) float32, of length 1, of the first 256 tokens; all skills are alike here.

        Of passages it takes the names.
        """
        vector: Vectors = self.encode_queries([(text, skill, passages)])[0]
        return vector

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """(n, dimension) float32: each as `encode_query` gives it, each a batch of its own."""
        texts = [expanded_text(text, passages) for text, _, passages in queries]
        found = self._session.run_all([_feed(self.pieces.ids([text], QUERY_TOKENS)) for text in texts])
        return np.array([_unit(pooled)[0] for (pooled,) in found], np.float32).reshape(-1, self.dimension)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows of the first 192 tokens of `title. text`, in order.

        With int8 arithmetic a row depends a little on its batch, and batches are made of like lengths: equal lists
        give equal rows, whatever the number of threads.
        """
        out = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for part in slices(texts):
            ids = self.pieces.ids([passage_text(*text) for text in part], PASSAGE_TOKENS)
            batches = plan_batches([len(row) for row in ids], BATCH_TOKENS)
            found = self._session.run_all([_feed([ids[i] for i in batch]) for batch in batches])
            for batch, (pooled,) in zip(batches, found, strict=True):
                out[[done + i for i in batch]] = _unit(pooled)
            done += len(part)
        return out

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows, in order, encoded in batches: a matcher of questions among pairs."""
        return self.encode_passages([("", question) for question in questions])


def _feed(rows: list[list[int]]) -> Feed:
    ids, mask = pad(rows)
    return {"ids": ids, "mask": mask}


def _unit(pooled: Vectors) -> Vectors:
    unit: Vectors = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
    return unit
