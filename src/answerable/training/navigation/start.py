"""Where a walk begins: an encoder of skills, whose expert of walking begins as that of passages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from answerable.encoders.modular import SkillShape, Special, regrown
from answerable.encoders.sentence_layout import WINDOW
from answerable.errors import ModelError, UsageError
from answerable.training.navigation.model import Walker
from answerable.training.skills.start import MODEL, TOKENIZER, begin, has_own, unfilled, weights


def begin_walker(start: str, dropout: float) -> tuple[Walker, Path]:
    """A walk to train and the tokenizer it reads with. All but its expert and its own weights is frozen.

    `start` is what `skills.start.begin` takes, or the folder of an earlier run of this kind, which is gone on from.
    Raises `UsageError` for a model without experts.
    """
    folder = Path(start)
    if (folder / MODEL).is_file() and walks(folder):
        old = open_walker_run(folder)
        model = Walker(regrown(old.model, replace(old.model.how, dropout=dropout)))
        model.load_state_dict(old.state_dict())
        model.train_alone()
        return model, folder / TOKENIZER
    begun = begin(start, SkillShape())
    if begun.model.how.special is Special.NONE:
        raise UsageError("the model to start from has no experts, so that none can be trained alone")
    model = Walker(regrown(begun.model, replace(begun.model.how, navigating=True, dropout=dropout)))
    model.train_alone()
    return model, begun.tokenizer


def walks(folder: Path) -> bool:
    """Whether a run left a model with an expert of walking."""
    return has_own(folder, "navigating")


def open_walker_run(folder: Path) -> Walker:
    """The walk that a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    try:
        model = Walker(unfilled(folder))
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no trained walk", hint="train one: answerable train") from error
    return model


def read_together(walker: Walker) -> int:
    """How many tokens a walk's encoder reads together."""
    return min(WINDOW, walker.model.trunk.shape.positions)
