"""Which encoder: by name for an engine, and the fastest one with the same weights for a long list of passages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from answerable.encoders.encoder import Asked, Encoder, Passages, Vectors
from answerable.encoders.pretrained import HUB, is_pretrained, local_folder
from answerable.encoders.shipped import open_shipped
from answerable.errors import ModelError, UsageError
from answerable.types import Skill

if TYPE_CHECKING:
    from answerable.encoders.dense import DenseEncoder

SHIPPED = Path(__file__).parent.parent / "models"
"""The models in the package: tokenizer.json, minilm/, reader/ and, where one is shipped, skills/."""
MINILM = "minilm"
HASHED = "hashed"
SKILLS = "skills"


def open_encoder(name: str = MINILM, threads: int = 0) -> Encoder:
    """The encoder called `name`: `minilm`, `skills`, `hashed` (no weights), a folder that holds a model, or `hf:` and a
    name of the Hugging Face Hub.

    `threads` is how many processors it may use, 0 for all. Raises `UsageError` for an unknown name, `ModelError` for a
    folder that holds no model.
    """
    if name == HASHED:
        from answerable.encoders.hashed import HashedEncoder

        return HashedEncoder()
    if is_pretrained(name):
        from answerable.encoders.pooled import PooledEncoder

        return PooledEncoder(name, threads)
    folder = encoder_folder(name)
    if not folder.is_dir():
        known = f"{MINILM}, {SKILLS}, {HASHED}, the folder of a model or {HUB}NAME"
        hint = f"models.encoder (ANSWERABLE_MODELS_ENCODER) is {known}"
        raise UsageError(f"there is no encoder {name!r}", hint=hint)
    if open_shipped(folder).about.get("task") == SKILLS:
        from answerable.encoders.skills import ModularEncoder

        return ModularEncoder(folder, threads)
    from answerable.encoders.dense import DenseEncoder

    return DenseEncoder(folder, threads)


def encoder_folder(name: str) -> Path:
    """Where the weights of an encoder lie that has some."""
    return SHIPPED / name if name in (MINILM, SKILLS) else local_folder(name)


def for_passages(encoder: Encoder) -> Encoder:
    """The fastest encoder here whose passages go with the queries of `encoder`; often `encoder` itself.

    That is torch in bf16 when the extra `train` and its copy of the weights are installed and the hardware helps.
    """
    from answerable.encoders.dense import DenseEncoder

    if isinstance(encoder, DenseEncoder) and find_spec("torch") and find_spec("safetensors"):
        return BulkEncoder(encoder)
    return encoder


class BulkEncoder:
    """A `DenseEncoder` with another way to encode passages, looked for when the first ones come: torch loads slowly."""

    def __init__(self, queries: DenseEncoder) -> None:
        self.name = queries.name
        self.dimension = queries.dimension
        self._queries = queries
        self._passages: Encoder | None = None

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """As `DenseEncoder.encode_query`."""
        return self._queries.encode_query(text, skill, passages)

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """As `DenseEncoder.encode_queries`."""
        return self._queries.encode_queries(queries)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows, in order."""
        self._passages = self._passages or self._fastest()
        return self._passages.encode_passages(texts)

    def _fastest(self) -> Encoder:
        from answerable.encoders.torch_dense import TorchDenseEncoder, has_fast_bf16
        from answerable.encoders.trunk import minilm_folder

        if not has_fast_bf16():
            return self._queries
        try:
            return TorchDenseEncoder(self._queries, minilm_folder() / "model.safetensors")
        except ModelError:  # no copy of the weights, or an encoder made from others
            return self._queries
