"""A trained reader of many passages to int8 ONNX: the encoder's graphs, and `fused.onnx`, which reads with all of it.

One folder then serves as the encoder and as the reader, with what they share stored once (`export_skills`). The heads
are in the graph: it scores spans, with fifteen to a token too many for a file of small heads to be of use.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from answerable.encoders.modular import SkillModel
from answerable.encoders.shipped import Shipped
from answerable.encoders.wordpieces import PASSAGE_TOKENS
from answerable.errors import ModelError
from answerable.readers.fused import FUSED, GRAPH
from answerable.training.export import Axes
from answerable.training.export_paths import calibrate
from answerable.training.export_skills import export_skills, quantised
from answerable.training.fusion.model import FusedModel
from answerable.training.fusion.start import open_fused_run
from answerable.training.skills.start import TOKENIZER

_AXES: Axes = {key: {0: "passages", 1: "tokens"} for key in ("ids", "mask", "scores")}


class _OneQuestion(nn.Module):
    """The passages of one question, as the graph reads them: ids and mask (p, n) to scores (p, n, longest) and ()."""

    def __init__(self, reader: FusedModel) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        scores, none = self.reader.scores(ids[None], mask[None])
        return scores[0], none[0]


def export_fusion(
    model: FusedModel, out: Path, name: str, tokenizer: Path, about: Mapping[str, Any], tokens: int = PASSAGE_TOKENS
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `readers.fused.open_fused`.

    `tokens` is how long a sequence it reads, one passage with the question. Until a selector recipe is run with it, it
    is calibrated as the shipped reader is. `about` joins the manifest: where the weights come from and on what terms.
    """
    out.mkdir(parents=True, exist_ok=True)
    calibrate(out)
    read = {FUSED: {"tokens": min(tokens, model.model.trunk.shape.positions)}}
    graphs = {GRAPH.removesuffix(".onnx"): fused_graph(model)}
    return export_skills(model.model, out, name, tokenizer, {**read, **about}, graphs=graphs)


def fused_graph(model: FusedModel) -> Callable[[SkillModel, Path], Any]:
    """Makes the int8 graph of the reader, of its encoder as graphs compute it and a folder to work in."""
    reader = copy.deepcopy(model).cpu().eval().float()

    def graph(plain: SkillModel, work: Path) -> Any:
        reader.encoder.model = plain
        return quantised(_OneQuestion(reader), ("scores", "none"), _AXES, work)

    return graph


def main() -> None:
    """`python -m answerable.training.export_fusion RUN OUT`: write what a training run has left."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_fusion", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("out", type=Path, help="the folder of the model")
    parser.add_argument("--name", default="skills", help="what the model's name begins with")
    parser.add_argument("--tokens", type=int, default=PASSAGE_TOKENS, help="the longest sequence, as in the recipe")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest: source, licence")
    given = parser.parse_args()
    if not (given.run / TOKENIZER).is_file():
        raise ModelError(f"{given.run} holds no trained reader of many passages", hint="train one: answerable train")
    model = open_fused_run(given.run)
    export_fusion(model, given.out, given.name, given.run / TOKENIZER, given.about, given.tokens)


if __name__ == "__main__":
    main()
