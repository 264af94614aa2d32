"""Small heads beside a frozen encoder: a file of weights whose manifest says on which encoder it was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import Shipped, open_shipped, seal, sha256
from answerable.errors import ModelError

Floats = NDArray[np.float32]
PAIRS = SHIPPED / "pairs"
"""The heads in the package."""


def open_head(folder: Path, file: str, encoder: str) -> tuple[Shipped, dict[str, Floats]]:
    """The manifest and the weights, as float32, of a head that was trained on the encoder of this name.

    Raises `ModelError` when it is missing or damaged, is another kind of head, or was trained on another encoder.
    """
    shipped = open_shipped(folder)
    trained_on = shipped.about.get("encoder")
    if trained_on != encoder:
        raise ModelError(
            f"the model in {folder} was trained on the encoder {trained_on}, and this one is {encoder}",
            hint="use the encoder it was trained on, or train it on this one with `answerable train`",
        )
    try:
        with np.load(shipped.file(file)) as held:
            return shipped, {name: held[name].astype(np.float32) for name in held.files}
    except (OSError, ValueError) as error:
        raise ModelError(f"the weights in {folder} cannot be read", hint="train the model again") from error


def save_head(folder: Path, file: str, task: str, weights: dict[str, Floats], about: dict[str, object]) -> Shipped:
    """Write a head's weights in float16 and its manifest; its name is `task` and the beginning of their SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    held = {name: value.astype(np.float16) for name, value in sorted(weights.items())}
    np.savez(folder / file, **held)  # type: ignore[arg-type]
    name = f"{task}-{sha256(folder / file)[:8]}"
    return seal(folder, name, [file], {"task": task, **about})
