"""What the tests of every expert begin with: its world and its recipe, and what holds of the training of each."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from answerable.encoders.modular import SkillShape
from answerable.encoders.shipped import Shipped
from answerable.encoders.skills import ModularEncoder
from answerable.testing.encoder import PASSAGES
from answerable.training.experts import ExpertSpec, begin_expert, open_expert, put_expert
from answerable.training.export import export_skills
from answerable.training.recipe import Kind, kind_of
from answerable.training.start import TOKENIZER, begin
from tests.training.documents.worlds import write_bert


def noised(model: Any, by: float = 0.1, seed: int = 8) -> Any:
    """A model after what could have been the training of its weights that learn."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:
                weight += by * torch.randn_like(weight)
    return model.eval()


@cache
def begun(write: Callable[[Path], Path]) -> Path:
    """A folder of a BERT that is written so and, as some training could have left it, its encoder of skills: `model`.

    To be copied, since tracing an encoder takes longer than most that is tried of it.
    """
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    bert = write(folder / "bert")
    model = noised(begin(str(bert), SkillShape())[0], 0.03, 2)
    export_skills(model, folder / "model", "tiny", bert / TOKENIZER, {"licence": "ours"})
    return folder


@dataclass(frozen=True)
class Case:
    """An expert of one kind. `write` writes the data of its world into a folder, and gives what its recipe says of it.

    `runs` opens what was exported, and fails with `none` where there is no such expert. `judged`: what a run is judged
    by.
    """

    kind: str
    spec: ExpertSpec[Any]
    trains: Callable[[Any, Path, Path], torch.nn.Module]
    given: Mapping[str, Any]
    write: Callable[[Path], Mapping[str, Any]]
    runs: Callable[[Shipped], object]
    none: str
    judged: frozenset[str] = frozenset()
    bert: Callable[[Path], Path] = write_bert

    def world(self, folder: Path) -> Path:
        """Data, a BERT, and an encoder of skills exported from it."""
        (folder / "how.json").write_text(json.dumps(dict(self.write(folder))))
        return Path(shutil.copytree(begun(self.bert), folder, dirs_exist_ok=True))

    def how(self, folder: Path, **changed: Any) -> dict[str, Any]:
        """Its recipe, over that world."""
        return {
            **self.given,
            "start": str(folder / "model"),
            **json.loads((folder / "how.json").read_text()),
            **changed,
        }

    @property
    def made(self) -> Kind[Any]:
        """Its kind."""
        return kind_of(self.kind)

    def train(self, how: dict[str, Any], folder: Path, out: Path) -> torch.nn.Module:
        """What a recipe trains."""
        return self.trains(self.made.recipe.of(how), folder / "data", out)

    def grafted(self, folder: Path, out: Path) -> tuple[Any, Shipped]:
        """A trained model, and an encoder of that world with its expert, which changed nothing else."""
        model = Path(shutil.copytree(folder / "model", out / "model"))
        before = ModularEncoder(model, threads=1)
        name, vectors = before.name, before.encode_passages(PASSAGES)
        trained = noised(begin_expert(self.spec, str(model), 0.0)[0])
        shipped = put_expert(self.spec, trained, model, 128, {"terms": "ours"})
        assert shipped.name == name and shipped.about["licence"] == "ours"
        assert np.array_equal(ModularEncoder(model, threads=1).encode_passages(PASSAGES), vectors)
        return trained, shipped


def learned(model: torch.nn.Module, loss: Callable[[], torch.Tensor], steps: int, rate: float) -> list[float]:
    """The losses of some steps."""
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=rate)
    losses = []
    for _ in range(steps):
        made = loss()
        made.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(made.detach()))
    return losses


def log(folder: Path) -> list[dict[str, Any]]:
    """What a run has logged, but for the times."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if k not in ("per_second", "minutes")} for line in lines]


def check_run(case: Case, folder: Path, out: Path) -> None:
    """A run leaves what it gives, can be gone on from, and run again changes nothing."""
    given = case.how(folder)
    trained = case.train(given, folder, out / "whole").state_dict()
    lines = log(out / "whole")
    assert all(np.isfinite(line["loss"]) for line in lines)
    assert {name for line in lines for name in line.get("evaluation", {})} == case.judged
    assert all(0 <= value <= 1 for line in lines for value in line.get("evaluation", {}).values())
    again = open_expert(case.spec, out / "whole").state_dict()
    onward = begin_expert(case.spec, str(out / "whole"), 0.1)[0].state_dict()
    assert trained.keys() == again.keys() == onward.keys()
    assert all(torch.equal(value, again[name]) and torch.equal(value, onward[name]) for name, value in trained.items())
    short = given | {"loop": {"most": 4} | given["loop"] | {"evaluate_steps": 0}}
    one = case.train(short, folder, out / "one").state_dict()
    saved = torch.load(out / "one/checkpoint.pt", weights_only=True)
    assert saved["step"] == log(out / "one")[-1]["of"]
    shutil.copytree(out / "one", out / "two")
    two = case.train(short, folder, out / "two").state_dict()
    assert all(torch.equal(value, two[name]) for name, value in one.items())
