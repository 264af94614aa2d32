"""What the logits of a test of two questions mean: Platt scaling and a threshold, on groups it did not learn from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.sameness import SAME, QuestionTest
from answerable.encoders.shipped import Shipped
from answerable.training.add_expert import resealed, tunable
from answerable.training.recipe import Kind, Made, ModelRecipe, setting
from answerable.training.same.lessons import Lesson, held_out
from answerable.training.sets.tune import platt

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SameTuning(ModelRecipe):
    """A recipe of the kind `same-question-tune`: `start` is an exported model with a test, of which a copy is tuned.

    `groups`: those whose development part counts. `near_misses`: the share of these that may be taken for the same.
    """

    groups: tuple[str, ...]
    near_misses: float = 0.02


def bar(wrong: Floats, share: float) -> float:
    """The least number above which at most this share of `wrong` lies."""
    return float(np.sort(wrong)[-1 - int(share * len(wrong))])


def tuned(shipped: Shipped, held: Sequence[Lesson], near_misses: float, threads: int) -> Shipped:
    """The manifest with scale, shift and the least probability at which two questions are taken for the same."""
    test = QuestionTest(shipped, threads)
    logits = np.array([test.logit(one.one, one.other) for one in held])
    same = np.array([one.same for one in held])
    scale, shift = platt(logits, same, np.full(len(same), 1.0 / len(same)))
    wrong = bar(scale * logits[~same] + shift, near_misses)
    least = float(np.nextafter(1 / (1 + np.exp(-wrong)), 1.0))
    return resealed(shipped, {SAME: {**shipped.about[SAME], "scale": scale, "shift": shift, "least": least}})


def _make(recipe: SameTuning, _: Path, out: Path) -> Made:
    """Calibrate the test in a copy of the model."""
    held = held_out(recipe.groups)
    shipped = tuned(tunable(recipe.start, out / "model"), held, recipe.near_misses, recipe.threads)
    test = QuestionTest(shipped, recipe.threads)
    kept = [test.probability(one.one, one.other) >= test.least for one in held]
    told = {key: shipped.about[SAME][key] for key in ("scale", "shift", "least")}
    for same, name in ((True, "paraphrases kept"), (False, "near misses kept")):
        of = [one for one, lesson in zip(kept, held, strict=True) if lesson.same is same]
        told |= {name: round(sum(of) / len(of), 4), f"of {name.split()[0]}": len(of)}
    return replace(Made.of(shipped), record=told, said=(json.dumps(told, indent=1),))


KINDS = {"same-question-tune": Kind(SameTuning, _make, setting("matcher"), needs_data=False)}
