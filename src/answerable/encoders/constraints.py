"""The judge of constraints without torch: int8 ONNX, from a folder that has learned to judge.

Made by `answerable.training.experts`; what it computes is `training.sets.model.FitModel`, which lays texts out the same
way: `[CLS] title. text [SEP]` and, for each constraint, `[CLS] constraint [SEP]`. The text attends to itself, a
constraint to itself and to the text: it is read once, and what is said of one constraint does not depend on the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.session import Expert, Feed
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import passage_text
from answerable.errors import ModelError

TEXT, FIRST = 1, 2
"""In `segments`: 0 is padding, the text is 1, and the constraints follow from 2."""
TEXT_TOKENS, CONSTRAINT_TOKENS = 192, 48
"""The most tokens read of each, [CLS] and [SEP] counted."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A row of n tokens with k constraints: what each token is of, its place there, and each constraint's [CLS]."""

    ids: list[int]
    segments: list[int]
    places: list[int]
    heads: list[int]


def lay(text: Sequence[int], constraints: Sequence[Sequence[int]]) -> Laid:
    """The row of a text and its constraints, given as token ids, [CLS] and [SEP] included."""
    row = Laid(list(text), [TEXT] * len(text), list(range(len(text))), [])
    for number, ids in enumerate(constraints):
        row.heads.append(len(row.ids))
        row.ids.extend(ids)
        row.segments.extend([FIRST + number] * len(ids))
        row.places.extend(range(len(ids)))
    return row


def feeding(rows: Sequence[Laid]) -> Feed:
    """Rows side by side: `ids`, `segments` and `places` (b, n), `heads` (b, k), int64; a row with fewer has zeros."""
    size, most = max(len(row.ids) for row in rows), max(len(row.heads) for row in rows)
    ids, segments, places = (np.zeros((len(rows), size), np.int64) for _ in range(3))
    heads = np.zeros((len(rows), most), np.int64)
    for number, row in enumerate(rows):
        n = len(row.ids)
        ids[number, :n], segments[number, :n], places[number, :n] = row.ids, row.segments, row.places
        heads[number, : len(row.heads)] = row.heads
    return {"ids": ids, "segments": segments, "places": places, "heads": heads}


FIT, GRAPH = "fit", "fit.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
BATCH_TOKENS = 384
"""Rows read together. Those of a find are few and of every length: larger batches are a fifth slower by what they pad,
and 25 documents would be three of them, which two processors share badly."""
MOST = 16
"""Constraints judged in one reading of a text; more are judged in several."""


class ConstraintJudge(Expert):
    """A judge (`sets.judge.Judge`) from a folder that `training.experts.export_expert` wrote."""

    key, lacking = FIT, "judges no constraints"

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model as `Expert`."""
        super().__init__(shipped, threads)
        with opening(shipped):
            self._scale, self._shift = (float(self.about.get(*one)) for one in (("scale", 1.0), ("shift", 0.0)))
        if not math.isfinite(self._scale) or not math.isfinite(self._shift):
            raise ModelError(f"the model in {shipped.folder} is calibrated to no number", hint="export it again")

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """(texts, constraints) float32 probabilities; rounding depends a little on the texts judged with it."""
        scores = self._scale * self.logits(constraints, texts) + self._shift
        probabilities: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-scores))).astype(np.float32)
        return probabilities

    def logits(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """What the probabilities are made of, before calibration: (texts, constraints) float32."""
        found = np.zeros((len(texts), len(constraints)), np.float32)
        if not found.size:
            return found
        said = self._pieces.ids(constraints, CONSTRAINT_TOKENS)
        read = self._pieces.ids([passage_text(*text) for text in texts], TEXT_TOKENS)
        for begin in range(0, len(said), MOST):
            some = said[begin : begin + MOST]
            found[:, begin : begin + MOST] = self._outputs(
                [lay(ids, some) for ids in read], feeding, BATCH_TOKENS, len(some)
            )
        return found
