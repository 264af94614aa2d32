"""What the tests of every expert begin with, and what holds of the training of each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from answerable.encoders.modular import SkillShape
from answerable.training.experts import ExpertSpec, begin_expert, open_expert
from answerable.training.export import export_skills
from answerable.training.start import TOKENIZER, begin


def export_encoder(bert: Path, folder: Path) -> None:
    """An encoder of skills of a BERT, as some training could have left it, exported."""
    model = begin(str(bert), SkillShape()).model
    torch.manual_seed(2)
    for weight in model.parameters():
        weight.data += 0.03 * torch.randn_like(weight)
    export_skills(model, folder, "tiny", bert / TOKENIZER, {"licence": "ours"})


def log(folder: Path) -> list[dict[str, Any]]:
    """What a run has logged, but for the times."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if k not in ("per_second", "minutes")} for line in lines]


def check_interrupted(
    patch: pytest.MonkeyPatch, module: Any, name: str, train: Callable[[Path], torch.nn.Module], folder: Path
) -> None:
    """A run that is stopped in its fifth step, the function `name` of `module`, goes on to the same curve and weights.

    `train` trains in a folder.
    """
    whole = train(folder / "whole")
    steps: list[int] = []
    step = getattr(module, name)

    def failing(*given: Any) -> Any:
        steps.append(1)
        if len(steps) == 5:
            raise KeyboardInterrupt
        return step(*given)

    patch.setattr(module, name, failing)
    with pytest.raises(KeyboardInterrupt):
        train(folder / "parts")
    parts = train(folder / "parts")
    assert log(folder / "whole") == log(folder / "parts")
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), parts.parameters(), strict=True))


def check_run(
    spec: ExpertSpec[Any], train: Callable[[dict[str, Any], Path], torch.nn.Module], given: dict[str, Any], folder: Path
) -> set[str]:
    """A run leaves what it gives, can be gone on from, and run again changes nothing; what it was judged by.

    `train` trains by a recipe in a folder.
    """
    trained = train(given, folder / "whole").state_dict()
    lines = log(folder / "whole")
    assert all(np.isfinite(line["loss"]) for line in lines)
    again = open_expert(spec, folder / "whole").state_dict()
    onward = begin_expert(spec, str(folder / "whole"), 0.1)[0].state_dict()
    assert trained.keys() == again.keys() == onward.keys()
    assert all(torch.equal(value, again[name]) and torch.equal(value, onward[name]) for name, value in trained.items())
    short = given | {"loop": {"most": 4} | given["loop"] | {"evaluate_steps": 0}}
    one = train(short, folder / "one").state_dict()
    saved = torch.load(folder / "one/checkpoint.pt", weights_only=True)
    assert saved["step"] == log(folder / "one")[-1]["of"]
    shutil.copytree(folder / "one", folder / "two")
    two = train(short, folder / "two").state_dict()
    assert all(torch.equal(value, two[name]) for name, value in one.items())
    return {name for line in lines for name in line.get("evaluation", {})}
