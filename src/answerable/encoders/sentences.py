"""The encoder of sentences in their paragraphs without torch: int8 ONNX, from a folder that has learned to walk.

Made by `answerable.training.experts`; what it computes is `training.documents.encoder.GlobalEncoder`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.encoders.sentence_layout import Laid, SentenceLayout, feeding
from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import Shipped
from answerable.encoders.wordpieces import plan_batches
from answerable.errors import ModelError

GRAPH, WALK = "navigate.onnx", "walk.npz"
"""The graph of global tokens, and what the walk has learned besides; in a folder that has them."""
BATCH_TOKENS = 1024
"""As for `dense.DenseEncoder`: what fits a processor's cache."""


class SentenceEncoder:
    """A `Navigator` from a folder that `export_navigation` wrote."""

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model on `threads` processors (0: all). Raises `ModelError` when it is damaged or does not walk."""
        from tokenizers import Tokenizer

        if not walks(shipped):
            raise ModelError(f"the model in {shipped.folder} does not walk documents", hint="use skills, which ships")
        try:
            self._layout = SentenceLayout(
                Tokenizer.from_file(str(shipped.file("tokenizer.json"))), int(shipped.about["navigate"]["tokens"])
            )
            self._session = Session(shipped.file(GRAPH), threads)
            self.dimension = int(shipped.about["dimension"])
            self.name = str(shipped.about["navigate"]["name"])
        except ModelError:
            raise
        except Exception as error:  # onnxruntime and tokenizers raise bare exceptions of their own
            raise ModelError(f"the model in {shipped.folder} cannot be run", hint="export it again") from error

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """(headings, sentences) of each paragraph to ((n, dimension), (dimension,)) float32 of length 1.

        A long paragraph is read by windows; its whole is the mean of theirs.
        """
        found: list[tuple[Vectors, Vectors]] = []
        for begin in range(0, len(paragraphs), _AT_ONCE):
            windows = self._layout.paragraphs(paragraphs[begin : begin + _AT_ONCE])
            rows = iter(self._run([row for paragraph in windows for row in paragraph]))
            for paragraph in windows:
                mine = [next(rows) for _ in paragraph]
                whole = np.sum([one[-1] for one in mine], axis=0)
                found.append((np.concatenate([one[:-1] for one in mine]), whole / max(1e-12, np.linalg.norm(whole))))
        return found

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """(n + nulls, dimension) float32 of length 1: a question of n sentences, then its dummies."""
        return self._run(self._layout.asked([(sentences, nulls)]))[0]

    def _run(self, rows: Sequence[Laid]) -> list[Vectors]:
        """(globals, dimension) of each row."""
        plan = plan_batches([len(row.ids) for row in rows], BATCH_TOKENS)
        feeds = [_feed([rows[i] for i in batch]) for batch in plan]
        found: dict[int, Vectors] = {}
        for batch, (vectors,) in zip(plan, self._session.run_all(feeds), strict=True):
            found |= {i: vectors[place, : len(rows[i].roles)] for place, i in enumerate(batch)}
        return [found[i] for i in range(len(rows))]


_AT_ONCE = 2048
"""Paragraphs encoded together: bounds what is in memory, and is part of how batches are made."""


def _feed(rows: Sequence[Laid]) -> Feed:
    fed = feeding(rows)
    return {"ids": fed.ids, "mask": fed.mask, "belongs": fed.belongs, "roles": fed.roles}


def walks(shipped: Shipped) -> bool:
    """Whether a folder of weights can walk documents."""
    return {GRAPH, WALK} <= set(shipped.about["files"])
