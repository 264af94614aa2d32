"""What a walk has learned besides its encoder: a file of arrays beside the model (DocHopper, equations 4 to 8)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from answerable.encoders.deciding import DECISIONS
from answerable.encoders.encoder import Vectors
from answerable.errors import ModelError


@dataclass(frozen=True, slots=True)
class WalkWeights:
    """Arrays in float32, d wide. A query of length 1 is multiplied by `scale` before it attends.

    `mix_query` and `mix_sentence` (d, d): the halves of W_q, applied as `vector @ matrix`. `chosen` (d,): v of equation
    6. `classed` (d,), `classes` (d, 4) and `classes_bias` (4,): u and W_c of section 4.3. `stop` (d,) and `stop_bias`
    (1,): whether two steps are enough. `paragraph` (2,): lambda 1 of equation 8, for a first and a
    second piece of evidence; `sparse` (2,): lambda 2, of the longest
    run of words in common and of BM25. `trust` (1,): what a unit of the walk's score is worth beside the
    reader's. `confidence` (3,): the logistic regression that tells how likely an answer is right.
    """

    scale: Vectors
    mix_query: Vectors
    mix_sentence: Vectors
    chosen: Vectors
    classed: Vectors
    classes: Vectors
    classes_bias: Vectors
    stop: Vectors
    stop_bias: Vectors
    paragraph: Vectors
    sparse: Vectors
    trust: Vectors
    confidence: Vectors

    def save(self, path: Path) -> None:
        """Write an .npz file; the matrices in float16, which halves it."""
        arrays = {one.name: getattr(self, one.name) for one in fields(self)}
        np.savez(path, **{name: a.astype(np.float16) if a.ndim == 2 else a for name, a in arrays.items()})


def open_weights(path: Path) -> WalkWeights:
    """What `save` wrote. Raises `ModelError` when it is missing, damaged or lacks something."""
    try:
        with np.load(path) as held:
            return WalkWeights(**{one.name: held[one.name].astype(np.float32) for one in fields(WalkWeights)})
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{path} does not hold what a walk has learned", hint="reinstall answerable") from error


def plain_weights(width: int) -> WalkWeights:
    """Weights nobody trained, for encoders without a walk: queries move a little toward what they attended to."""
    zero = np.zeros(width, np.float32)
    return WalkWeights(
        scale=np.array([20.0], np.float32),
        mix_query=np.zeros((width, width), np.float32),
        mix_sentence=np.eye(width, dtype=np.float32) * 2.0,
        chosen=zero,
        classed=zero,
        classes=np.zeros((width, len(DECISIONS)), np.float32),
        classes_bias=np.array([0.0, 0.0, 0.0, 1.0], np.float32),
        stop=zero,
        stop_bias=np.array([1.0], np.float32),
        paragraph=np.array([1.0, 0.0], np.float32),
        sparse=np.array([0.3, 0.0], np.float32),
        trust=np.array([0.5], np.float32),
        confidence=np.array([0.1, 0.1, -0.5], np.float32),
    )
