"""Which encoder, by name."""

from __future__ import annotations

from pathlib import Path

from answerable.encoders.encoder import Encoder
from answerable.encoders.pretrained import HUB, is_pretrained, local_folder, minilm_folder
from answerable.errors import UsageError

SHIPPED = Path(__file__).parent.parent / "models"
"""The models in the package: tokenizer.json, reader/, skills/ and pairs/."""
HASHED = "hashed"
MINILM = "minilm"
"""What the shipped encoder began from, to train from and to measure beside it, where its package is installed."""
SKILLS = "skills"


def open_encoder(name: str = SKILLS, threads: int = 0) -> Encoder:
    """The encoder called `name`: `skills`, `hashed` (no weights), a model's folder, or `hf:` and a name of the Hub.

    `threads` is how many processors it may use, 0 for all. Raises `UsageError` for an unknown name, `ModelError` for a
    folder that holds no model.
    """
    if name == HASHED:
        from answerable.encoders.hashed import HashedEncoder

        return HashedEncoder()
    if is_pretrained(name) or name == MINILM:
        from answerable.encoders.pooled import PooledEncoder

        return PooledEncoder(str(minilm_folder()) if name == MINILM else name, threads)
    folder = encoder_folder(name)
    if not folder.is_dir():
        known = f"{SKILLS}, {HASHED}, the folder of a model or {HUB}NAME"
        hint = f"models.encoder (ANSWERABLE_MODELS_ENCODER) is {known}"
        raise UsageError(f"there is no encoder {name!r}", hint=hint)
    from answerable.encoders.skills import ModularEncoder

    return ModularEncoder(folder, threads)


def encoder_folder(name: str) -> Path:
    """Where the weights of an encoder lie that has some."""
    if name == MINILM:
        return minilm_folder()
    return SHIPPED / name if name == SKILLS else local_folder(name)
