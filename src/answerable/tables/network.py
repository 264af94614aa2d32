"""A small network beside the weights of features: what goes together, and what a question means in words of its own.

Wide and deep (Cheng et al. 2016, section 3): the wide part is the sum of the weights of a program's features. The deep
one adds up a vector for each feature, once as it is and once as far as the vector of the question lets it through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Network:
    """`vectors` (features, d) int8 by the `places` of features' names, in steps of `scale`; `bias` (d,); `gate`
    (1 + encoder's dimension, d) for a question's vector, `hidden` (1 + 2 d, h) and `out` (h,): the first row of a
    matrix is its bias."""

    places: Mapping[str, int]
    vectors: NDArray[np.int8]
    scale: Floats
    bias: Floats
    gate: Floats
    hidden: Floats
    out: Floats

    @staticmethod
    def load(path: Path, names: Sequence[str]) -> Network:
        """The one of a file; the first names are of the features that have vectors."""
        with np.load(path, allow_pickle=False) as arrays:
            own = {name: arrays[name].astype(np.float32) for name in ("scale", "bias", "gate", "hidden", "out")}
            vectors = arrays["vectors"]
        return Network({name: at for at, name in enumerate(names[: len(vectors)])}, vectors, **own)

    def part(self, features: Sequence[str]) -> Floats:
        """(d,) the sum of the vectors of features; those that are not known have none."""
        known = [at for name in features if (at := self.places.get(name)) is not None]
        total: Floats = self.vectors[known].sum(0, dtype=np.int32) * self.scale
        return total

    def scores(self, programs: Floats, question: Vectors) -> Floats:
        """(n,) what is added to the scores of programs, by the sums (n, d) of their parts and a question's vector."""
        each = np.maximum(programs + self.bias, 0)
        through = np.tanh(self.gate[0] + question @ self.gate[1:])
        hidden = np.maximum(self.hidden[0] + np.concatenate([each, each * through], 1) @ self.hidden[1:], 0)
        scores: Floats = hidden @ self.out
        return scores
