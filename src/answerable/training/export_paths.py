"""A trained path reader to int8 ONNX: the encoder's graphs, reading's among them, and the heads in `reading.npz`.

One folder then serves as the encoder and as the reader, with what they share stored once (`export_skills`).
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from answerable.encoders.shipped import Shipped
from answerable.errors import ModelError
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.paths import HEADS
from answerable.training.export_skills import export_skills
from answerable.training.paths.model import PathModel
from answerable.training.paths.start import open_paths_run
from answerable.training.skills.start import TOKENIZER

CALIBRATION = "calibration.json"


def export_paths(
    model: PathModel, out: Path, name: str, tokenizer: Path, about: Mapping[str, Any], tokens: int = MAX_TOKENS
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `readers.paths.open_paths`.

    `tokens` is how long a sequence it reads. Until a selector recipe is run with it, it is calibrated as the shipped
    reader is. `about` joins the manifest: where the weights come from and on what terms.
    """
    out.mkdir(parents=True, exist_ok=True)
    calibrate(out)
    read = {"reading": {"tokens": min(tokens, model.encoder.trunk.shape.positions)}}
    return export_skills(model.encoder, out, name, tokenizer, {**read, **about}, {HEADS: heads_of(model)})


def heads_of(model: PathModel) -> dict[str, Tensor]:
    """The heads of a path reader, by the names in `reading.npz`."""
    return {
        "passages": model.passages.weight[0],
        "sentences": model.sentences.weight[0],
        "span": model.span.weight,
        "bias": model.span.bias,
    }


def calibrate(out: Path) -> None:
    """Give the reader in `out` the shipped reader's calibration, unless it has one."""
    from answerable.encoders.choose import SHIPPED

    if not (out / CALIBRATION).exists():
        shutil.copyfile(SHIPPED / "reader" / CALIBRATION, out / CALIBRATION)


def main() -> None:
    """`python -m answerable.training.export_paths RUN OUT`: write what a training run has left."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_paths", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("out", type=Path, help="the folder of the model")
    parser.add_argument("--name", default="skills", help="what the model's name begins with")
    parser.add_argument("--tokens", type=int, default=MAX_TOKENS, help="the longest sequence, as in the recipe")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest: source, licence")
    given = parser.parse_args()
    if not (given.run / TOKENIZER).is_file():
        raise ModelError(f"{given.run} holds no trained path reader", hint="train one: answerable train")
    model = open_paths_run(given.run)
    export_paths(model, given.out, given.name, given.run / TOKENIZER, given.about, given.tokens)


if __name__ == "__main__":
    main()
