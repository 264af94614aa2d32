"""The fast way to encode many passages: the bi-encoder's own weights in bf16, run by torch (extra `train`).

On processors with bf16 matrix units this is faster than int8 and much closer to fp32, and each row is computed the same
whatever its batch. Queries still go through ONNX: one at a time it is the quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from answerable.encoders.dense import DenseEncoder
from answerable.encoders.encoder import Asked, Passages, Vectors
from answerable.encoders.shipped import sha256
from answerable.encoders.trunk import load_trunk
from answerable.encoders.wordpieces import PASSAGE_TOKENS, pad, passage_text, plan_batches, slices
from answerable.errors import ModelError
from answerable.types import Skill

BATCH_TOKENS = 2048


class TorchDenseEncoder:
    """A `DenseEncoder` whose passages are encoded by torch. Same name, since the weights are the same."""

    def __init__(self, queries: DenseEncoder, weights: Path, device: str | None = None) -> None:
        """Load the fp32 `weights` that `queries` was exported from onto `device` (by default an accelerator if any).

        Raises `ModelError` when they are other weights: their vectors would not compare.
        """
        if not weights.is_file() or sha256(weights) != queries.shipped.about.get("weights_sha256"):
            raise ModelError(f"{weights} is not what the encoder {queries.name} was made from")
        self._queries = queries
        self.name = queries.name
        self.dimension = queries.dimension
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._trunk = load_trunk(weights).eval().to(torch.device(self.device), torch.bfloat16)

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """As `DenseEncoder.encode_query`."""
        return self._queries.encode_query(text, skill, passages)

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """As `DenseEncoder.encode_queries`."""
        return self._queries.encode_queries(queries)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows of the first 192 tokens of `title. text`, in order."""
        out = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for part in slices(texts):
            ids = self._queries.pieces.ids([passage_text(*text) for text in part], PASSAGE_TOKENS)
            for batch in plan_batches([len(row) for row in ids], BATCH_TOKENS):
                out[[done + i for i in batch]] = self._run([ids[i] for i in batch])
            done += len(part)
        return out

    @torch.inference_mode()
    def _run(self, rows: list[list[int]]) -> Vectors:
        ids, mask = (torch.from_numpy(array).to(self.device) for array in pad(rows))
        hidden = self._trunk(ids, torch.zeros_like(ids), mask).float()
        summed = torch.einsum("bnw,bn->bw", hidden, mask.float())
        unit: Vectors = torch.nn.functional.normalize(summed, dim=1).cpu().numpy()
        return unit


def has_fast_bf16() -> bool:
    """Whether torch has matrix units for bf16 here. Without them bf16 is slower than int8, vector units or not."""
    able = torch.cpu.get_capabilities()
    return torch.cuda.is_available() or any(able.get(unit) for unit in ("amx_bf16", "bf16"))
