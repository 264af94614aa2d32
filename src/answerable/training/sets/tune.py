"""How a judge's logits become probabilities: Platt scaling (Platt 1999) on development queries.

The judge learns from as many documents that fit as do not; where it is used, few do. So its logits are calibrated over
the documents that finds judge for development queries, as `benchmarks/set_members.py` keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.constraints import FIT
from answerable.errors import UsageError
from answerable.evaluation.sets.meaning import read_atoms
from answerable.selective.calibrate import fit
from answerable.sets.evidence import judged_as
from answerable.sets.expression import read_expression
from answerable.training.add_expert import resealed, tunable
from answerable.training.reading import lines_of
from answerable.training.recipe import Kind, Made, ModelRecipe, setting

Floats = NDArray[np.float64]
_SMALL = 1e-9
"""How strongly the scale is shrunk: hardly, but to something where logits tell all that fits from all that does not."""
_KEPT = 1e-5
"""Probabilities are kept to as many places."""


def pooled(judged: Path, atoms: Path, scale: float, shift: float) -> tuple[list[Floats], list[NDArray[np.bool_]]]:
    """The logits of each constraint of each query that was judged, before calibration, and what is true.

    Constraints count that the benchmark knows by these words. `scale` and `shift`: how the judge was calibrated then.
    Raises as `lines_of`.
    """
    sets = read_atoms(atoms)
    logits, fits = [], []
    for line in lines_of(judged):
        for said, words in judged_as(read_expression(line["e"])).items():
            if said in sets and words in line["cons"]:
                column = 1 + line["cons"].index(words)
                share = np.clip([row[column] for row in line["rows"]], _KEPT, 1 - _KEPT)
                logits.append((np.log(share / (1 - share)) - shift) / scale)
                fits.append(np.array([row[0] in sets[said] for row in line["rows"]]))
    return logits, fits


def evenly(logits: Sequence[Floats], fits: Sequence[NDArray[np.bool_]]) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """All logits, whether each fits, and its weight, every query counting as much as any other."""
    weight = np.concatenate([np.full(one.size, 1.0 / one.size) for one in logits])
    return np.concatenate([one.ravel() for one in logits]), np.concatenate([one.ravel() for one in fits]), weight


def platt(x: Floats, fits: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """The scale and shift of (n,) logits with the least log loss, each by its weight.

    Raises `UsageError` where nothing, or everything, fits.
    """
    if not 0 < fits.sum() < len(fits):
        raise UsageError("there is nothing to calibrate on that fits, or only such", hint="give more")
    (scale,), shift = fit(x[:, None], fits, _SMALL, weight)
    return scale, shift


def log_loss(logits: Sequence[Floats], fits: Sequence[NDArray[np.bool_]], scale: float, shift: float) -> float:
    """The mean over queries of the mean log loss of their answers, in nats."""
    each = []
    for x, y in zip(logits, fits, strict=True):
        z = scale * x + shift
        each.append(float(np.mean(np.logaddexp(0.0, np.where(y, -z, z)))))
    return sum(each) / len(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTuning(ModelRecipe):
    """A recipe of the kind `constraints-tune`: `start` is an exported model that judges, of which a tuned copy is made.

    `judged`: files that `benchmarks/set_members.py` kept of this judge, each with the `atoms` of its benchmark.
    """

    judged: tuple[str, ...]
    atoms: tuple[str, ...]

    def check(self) -> None:
        """As `ModelRecipe`."""
        if len(self.judged) != len(self.atoms):
            raise UsageError("the recipe names other numbers of judged and of atoms", hint="one for each benchmark")


def _make(recipe: JudgeTuning, _: Path, out: Path) -> Made:
    """Calibrate the judge in a copy of the model."""
    shipped = tunable(recipe.start, out / "model")
    about = shipped.about.get(FIT, {})
    was = float(about.get("scale", 1.0)), float(about.get("shift", 0.0))
    found = [pooled(Path(one), Path(own), *was) for one, own in zip(recipe.judged, recipe.atoms, strict=True)]
    logits = [one for pool, _ in found for one in pool]
    fits = [one for _, pool in found for one in pool]
    scale, shift = platt(*evenly(logits, fits))
    resealed(shipped, {FIT: {**about, "scale": scale, "shift": shift}})
    told = {
        "constraints": len(logits),
        "answers": sum(one.size for one in fits),
        "scale": scale,
        "shift": shift,
        "log loss before": log_loss(logits, fits, *was),
        "log loss": log_loss(logits, fits, scale, shift),
    }
    return Made(told, (json.dumps(told, indent=1),), shipped.name, shipped.folder)


KINDS = {"constraints-tune": Kind(JudgeTuning, _make, setting("judge"), needs_data=False)}
