"""Where a path reader begins and is kept: an encoder whose expert of reading begins as reranking's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from answerable.encoders.modular import SkillShape, Special, regrown
from answerable.errors import ModelError, UsageError
from answerable.training.paths.model import PathModel
from answerable.training.skills.start import MODEL, TOKENIZER, begin, has_own, open_run, unfilled, weights


def begin_paths(start: str, joint: bool, dropout: float) -> tuple[PathModel, Path]:
    """A reader to train and the tokenizer it reads with.

    `start` is what `skills.start.begin` takes (`minilm`, the folder of a run of skills or of a BERT, a name on the hub)
    or the folder of an earlier run of this kind. Without `joint` all of the encoder but the expert of reading is
    frozen; with it the encoder learns as well, and vectors made before are of another model. Raises `UsageError` for a
    model without experts that is to be frozen.
    """
    folder = Path(start)
    if (folder / MODEL).is_file():
        old = open_paths_run(folder) if reads(folder) else PathModel(open_run(folder))
        model = PathModel(regrown(old.encoder, replace(old.encoder.how, reading=True, dropout=dropout)))
        heads = {name: weight for name, weight in old.state_dict().items() if not name.startswith("encoder.")}
        model.load_state_dict(heads, strict=False)
        tokenizer = folder / TOKENIZER
    else:
        begun = begin(start, SkillShape(reading=True, dropout=dropout))
        model, tokenizer = PathModel(begun.model), begun.tokenizer
    if not joint:
        if model.encoder.how.special is Special.NONE:
            raise UsageError(
                "the model to start from has no experts, so that none can be trained alone",
                hint="give `joint = true`, or start from one with experts",
            )
        model.train_alone()
    return model, tokenizer


def reads(folder: Path) -> bool:
    """Whether a run left a model with an expert of reading."""
    return has_own(folder, "reading")


def open_paths_run(folder: Path) -> PathModel:
    """The reader that a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    try:
        model = PathModel(unfilled(folder))
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no trained path reader", hint="train one: answerable train") from error
    return model
