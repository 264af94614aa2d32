"""Where a reader of many passages begins, and how one that was trained is opened."""

from __future__ import annotations

from pathlib import Path

from answerable.errors import ModelError
from answerable.training.fusion.model import FusedModel
from answerable.training.paths.start import begin_paths
from answerable.training.skills.start import unfilled, weights


def begin_fused(start: str, dropout: float) -> tuple[FusedModel, Path]:
    """A reader to train and the tokenizer it reads with. All but its expert, global tokens and heads is frozen.

    `start` is what `begin_paths` takes: an encoder, whose expert of reranking reading begins as, or the folder of a
    run of `recipes/paths.toml`, whose expert of reading it goes on from. Raises `UsageError` for a model without
    experts, since none could be trained alone.
    """
    begun, tokenizer = begin_paths(start, False, dropout)
    model = FusedModel(begun.encoder)
    model.train_alone()
    return model, tokenizer


def open_fused_run(folder: Path) -> FusedModel:
    """The reader that a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    try:
        model = FusedModel(unfilled(folder))
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        hint = "train one: answerable train"
        raise ModelError(f"{folder} holds no trained reader of many passages", hint=hint) from error
    return model
