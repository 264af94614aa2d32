"""The bi-encoder: a transformer as int8 ONNX, mean-pooled (Reimers and Gurevych 2019, section 3). Needs no torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from answerable.encoders.encoder import Vectors
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

BATCH_TOKENS = 4096


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
        self._threads = threads or cores()
        self._alone = self._session(self._threads)
        self._beside: Any = None
        self._lock = Lock()

    def encode_query(self, text: str, skill: Skill) -> Vectors:
        """(dimension,) float32, of length 1, of the first 256 tokens; this encoder treats all skills alike."""
        vector: Vectors = self._run(self._alone, self.pieces.ids([text], QUERY_TOKENS))[0]
        return vector

    def encode_passages(self, texts: Sequence[tuple[str, str]]) -> Vectors:
        """(n, dimension) float32 unit rows of the first 192 tokens of `title. text`, in order.

        With int8 arithmetic a row depends a little on its batch, and batches are made of like lengths: equal lists
        give equal rows, whatever the number of threads.
        """
        out = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for part in slices(texts):
            ids = self.pieces.ids([passage_text(*text) for text in part], PASSAGE_TOKENS)
            batches = plan_batches([len(row) for row in ids], BATCH_TOKENS)
            for batch, rows in zip(batches, self._run_all([[ids[i] for i in batch] for batch in batches]), strict=True):
                out[[done + i for i in batch]] = rows
            done += len(part)
        return out

    def _run_all(self, batches: list[list[list[int]]]) -> list[Vectors]:
        """Run batches, one on each processor: a quarter faster than one batch spread over all of them."""
        if self._threads == 1 or len(batches) == 1:
            return [self._run(self._alone, batch) for batch in batches]
        with self._lock:
            self._beside = self._beside or self._session(1)
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda batch: self._run(self._beside, batch), batches))

    def _session(self, threads: int) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            path = str(self.shipped.file("model.onnx"))
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except ModelError:
            raise
        except Exception as error:  # onnxruntime raises exceptions of its own, with no common base
            raise ModelError(
                f"the model in {self.shipped.folder} cannot be run", hint="reinstall answerable"
            ) from error

    @staticmethod
    def _run(session: Any, rows: list[list[int]]) -> Vectors:
        ids, mask = pad(rows)
        pooled: Vectors = session.run(None, {"ids": ids, "mask": mask})[0]
        pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return pooled
