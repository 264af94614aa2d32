from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.modular import SkillModel, SkillShape, Special  # noqa: E402
from answerable.errors import ModelError, UsageError  # noqa: E402
from answerable.training.experts import open_expert  # noqa: E402
from answerable.training.fusion import train  # noqa: E402
from answerable.training.fusion.model import FUSION, begin_fused  # noqa: E402
from answerable.training.fusion.train import FusionRecipe, train_fusion  # noqa: E402
from answerable.training.paths.model import PathModel  # noqa: E402
from answerable.training.start import TOKENIZER, begin, keep  # noqa: E402
from answerable.types import Skill  # noqa: E402
from tests.training.fusion.worlds import write_data  # noqa: E402
from tests.training.paths.worlds import SHAPE, write_bert  # noqa: E402

RECIPE: dict[str, Any] = {
    "kind": "fusion",
    "threads": 1,
    "tokens": 128,
    "judged": 2,
    "draw": {"fewest": 2, "most": 3},
    "loop": {"rate": 1e-3, "tokens": 1024, "evaluate_steps": 3, "checkpoint_seconds": 0.0, "most": 6},
    "sources": {"hotpotqa": 0.3, "nq": 1.2, "boolq": 0.2},
}
IDS = torch.tensor([[2, 30, 9, 7, 3], [2, 8, 3, 0, 0]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder, a BERT, and a run that trained a reader of paths."""
    folder = tmp_path_factory.mktemp("training")
    write_data(folder / "data")
    write_bert(folder / "bert")
    trained = PathModel(begin(str(folder / "bert"), SkillShape(reading=True, temperature=0.2)).model)
    torch.manual_seed(9)
    for weight in trained.parameters():
        weight.data += 0.02 * torch.randn_like(weight)
    keep(trained.encoder, folder / "bert" / TOKENIZER, folder / "paths")
    torch.save({"model": trained.state_dict()}, folder / "paths/best.pt")
    return folder


def log(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if k not in ("per_second", "minutes")} for line in lines]


def vectors(model: SkillModel, skill: Skill) -> torch.Tensor:
    with torch.no_grad():
        return model.eval()(IDS, (IDS > 0).long(), skill)


def test_it_goes_on_from_a_reader_of_paths_and_moves_no_other_skill(folder: Path, tmp_path: Path) -> None:
    start, _ = begin_fused(str(folder / "paths"), 0.0)
    theirs = torch.load(folder / "paths/best.pt", weights_only=True)["model"]
    begun = start.model.state_dict()
    assert all(torch.equal(begun[name], theirs[f"encoder.{name}"]) for name in begun)
    found = train_fusion(FusionRecipe.of(RECIPE | {"start": str(folder / "paths")}), folder / "data", tmp_path)
    for skill in Skill:
        same = torch.equal(vectors(found.model, skill), vectors(start.model, skill))
        assert same == (skill is not Skill.READ)
    for part in ("encoder.globals", "first.weight", "last.weight", "span.weight", "none.weight"):
        assert not torch.equal(found.state_dict()[part], start.state_dict()[part]), part
    lines = log(tmp_path)
    judged = [line["evaluation"] for line in lines if "evaluation" in line]
    assert [line["step"] for line in lines][-1] == 6 and len(judged) == 2
    assert set(judged[0]) == {f"{source} answer" for source in RECIPE["sources"]}
    assert all(0 <= value <= 1 for one in judged for value in one.values())
    again = open_expert(FUSION, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(found.parameters(), again.parameters(), strict=True))


def test_an_interrupted_run_gives_the_same_curve(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = RECIPE | {"start": str(folder / "bert"), "dropout": 0.2}
    whole = train_fusion(FusionRecipe.of(recipe), folder / "data", tmp_path / "whole")
    steps: list[int] = []
    loss = train._loss

    def failing(*given: Any) -> torch.Tensor:
        steps.append(1)
        if len(steps) == 5:
            raise KeyboardInterrupt
        return loss(*given)

    monkeypatch.setattr(train, "_loss", failing)
    with pytest.raises(KeyboardInterrupt):
        train_fusion(FusionRecipe.of(recipe), folder / "data", tmp_path / "parts")
    parts = train_fusion(FusionRecipe.of(recipe), folder / "data", tmp_path / "parts")
    assert log(tmp_path / "whole") == log(tmp_path / "parts")
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), parts.parameters(), strict=True))


def test_what_cannot_be_begun_from_or_opened_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no trained reader of many passages"):
        open_expert(FUSION, folder / "paths")
    plain = begin(str(folder / "bert"), SkillShape(special=Special.NONE)).model
    keep(plain, folder / "bert" / TOKENIZER, tmp_path)
    torch.save({"model": plain.state_dict()}, tmp_path / "best.pt")
    with pytest.raises(UsageError, match="no experts"):
        begin_fused(str(tmp_path), 0.1)
    with pytest.raises(UsageError, match=f"reads {SHAPE.positions} tokens"):
        train_fusion(
            FusionRecipe.of(RECIPE | {"start": str(folder / "bert"), "tokens": 384}), folder / "data", tmp_path
        )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"colour": "red"}, "colour"),
        ({"sources": {"swapped": 1}}, "no source 'swapped'"),
        ({"sources": {}}, "no sources"),
        ({"sources": {"nq": "often"}}, "often"),
        ({"draw": {"hole": 1}}, "hole"),
        ({"draw": {"fewest": 5, "most": 4}}, "fewest is 5 and most 4"),
        ({"tokens": 40}, "tokens is 40"),
    ],
)
def test_recipes_that_cannot_be_used_say_why(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        FusionRecipe.of(RECIPE | change)


def test_the_recipe_that_ships_can_be_read() -> None:
    path = Path(__file__).parents[3] / "recipes" / "fusion.toml"
    recipe = FusionRecipe.of(tomllib.loads(path.read_text(encoding="utf8")))
    assert recipe.start == "skills" and recipe.loop.evaluate_steps and set(recipe.sources) == set(train.SOURCES)
