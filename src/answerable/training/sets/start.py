"""Where a judge of constraints begins: an encoder of skills, whose expert of judging begins as that of reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from answerable.encoders.modular import SkillShape, Special, regrown
from answerable.errors import ModelError, UsageError
from answerable.training.sets.model import FitModel
from answerable.training.skills.start import MODEL, TOKENIZER, begin, has_own, unfilled, weights

TOGETHER = "together.json"
"""Left by a run whose judge reads query and document as one text."""


def begin_judge(start: str, dropout: float, together: bool) -> tuple[FitModel, Path]:
    """A judge to train and the tokenizer it reads with. All but its expert and its head is frozen.

    `start` is what `skills.start.begin` takes, or the folder of an earlier run of this kind, which is gone on from.
    Raises `UsageError` for a model without experts.
    """
    folder = Path(start)
    if (folder / MODEL).is_file() and judges(folder):
        old = open_judge_run(folder)
        model = FitModel(regrown(old.model, replace(old.model.how, dropout=dropout)), together)
        model.load_state_dict(old.state_dict())
        model.train_alone()
        return model, folder / TOKENIZER
    begun = begin(start, SkillShape(reading=True))
    if begun.model.how.special is Special.NONE:
        raise UsageError("the model to start from has no experts, so that none can be trained alone")
    model = FitModel(regrown(begun.model, replace(begun.model.how, fitting=True, dropout=dropout)), together)
    model.train_alone()
    return model, begun.tokenizer


def judges(folder: Path) -> bool:
    """Whether a run left a model with an expert of judging."""
    return has_own(folder, "fitting")


def open_judge_run(folder: Path) -> FitModel:
    """The judge that a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    try:
        model = FitModel(unfilled(folder), (folder / TOGETHER).is_file())
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(
            f"{folder} holds no trained judge of constraints", hint="train one: answerable train"
        ) from error
    return model
