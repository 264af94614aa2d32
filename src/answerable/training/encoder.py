"""The encoder that ships, from MiniLM's weights: nothing is trained."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from answerable.encoders.trunk import minilm_folder
from answerable.training.export import export_encoder
from answerable.training.recipe import Kind, Made, ModelRecipe, setting
from answerable.training.start import TOKENIZER


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderRecipe(ModelRecipe):
    """A recipe of the kind `encoder`."""

    start: str = "minilm"
    name: str = "minilm-l6"


def _export(recipe: EncoderRecipe, _: Path, folder: Path) -> Made:
    """Write the encoder, and its tokenizer beside it, where other models share it."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = folder.resolve().parent / TOKENIZER
    shutil.copyfile(minilm_folder() / TOKENIZER, tokenizer)
    weights = minilm_folder() / "model.safetensors"
    return Made.of(export_encoder(weights, folder, recipe.name, tokenizer, recipe.about))


KINDS = {
    "encoder": Kind(
        EncoderRecipe,
        lambda recipe, _, out: _export(recipe, out, out / "model"),
        setting("encoder"),
        _export,
        needs_data=False,
    )
}
