"""A judge between the one a run began from and the one it came to: weights so far along the way (Wortsman et al. 2022).

What was learned last weighs less then, and what was known before is kept.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from answerable.errors import UsageError
from answerable.training.experts import expert_kind, open_expert
from answerable.training.fit import ExpertRecipe
from answerable.training.recipe import setting
from answerable.training.sets.model import JUDGING, FitModel
from answerable.training.start import MODEL, TOKENIZER, WEIGHTS, weights


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRecipe(ExpertRecipe):
    """A recipe of the kind `constraints-mean`: the judge that lies the `share` (0 to 1) of the way from the one in
    the folder of the run `first` to that of `last`, beside the encoder `start`."""

    first: str
    last: str
    share: float = 0.6


def between(recipe: MeanRecipe, _: Any, folder: Path) -> FitModel:
    """Write that judge to `folder`, a run like the others. Raises `UsageError` for a folder without one."""
    try:
        first, last = weights(Path(recipe.first)), weights(Path(recipe.last))
        made = {name: torch.lerp(first[name], one, recipe.share) for name, one in last.items()}
    except (OSError, KeyError, RuntimeError) as error:
        raise UsageError(f"{recipe.first} and {recipe.last} hold no two judges of one shape") from error
    torch.save({"model": made}, folder / WEIGHTS[0])
    for name in (MODEL, TOKENIZER):
        shutil.copyfile(Path(recipe.last) / name, folder / name)
    return open_expert(JUDGING, folder)


KINDS = {"constraints-mean": replace(expert_kind(MeanRecipe, between, JUDGING, setting("judge")), needs_data=False)}
