"""Where a matcher of questions begins: an encoder of skills, whose expert of matching begins as that of questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from answerable.encoders.modular import SkillShape, Special, regrown
from answerable.errors import ModelError, UsageError
from answerable.training.pairs.model import MatchModel
from answerable.training.skills.start import MODEL, TOKENIZER, begin, has_own, unfilled, weights


def begin_matcher(start: str, dropout: float) -> tuple[MatchModel, Path]:
    """A matcher to train and the tokenizer it reads with. All but its expert, its marks and its head is frozen.

    `start` is what `skills.start.begin` takes, or the folder of an earlier run of this kind, which is gone on from.
    Raises `UsageError` for a model without experts.
    """
    folder = Path(start)
    if (folder / MODEL).is_file() and matches(folder):
        old = open_matcher_run(folder)
        model = MatchModel(regrown(old.model, replace(old.model.how, dropout=dropout)))
        model.load_state_dict(old.state_dict())
        model.train_alone()
        return model, folder / TOKENIZER
    begun = begin(start, SkillShape(reading=True))
    if begun.model.how.special is Special.NONE:
        raise UsageError("the model to start from has no experts, so that none can be trained alone")
    model = MatchModel(regrown(begun.model, replace(begun.model.how, matching=True, dropout=dropout)))
    model.train_alone()
    return model, begun.tokenizer


def matches(folder: Path) -> bool:
    """Whether a run left a model with an expert of matching."""
    return has_own(folder, "matching")


def open_matcher_run(folder: Path) -> MatchModel:
    """The matcher that a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    try:
        model = MatchModel(unfilled(folder))
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(
            f"{folder} holds no trained matcher of questions", hint="train one: answerable train"
        ) from error
    return model
