from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.modular import SkillModel, SkillShape, Special  # noqa: E402
from answerable.errors import ModelError, UsageError  # noqa: E402
from answerable.training.experts import begin_expert, open_expert  # noqa: E402
from answerable.training.paths import train  # noqa: E402
from answerable.training.paths.model import PATHS  # noqa: E402
from answerable.training.paths.train import PathRecipe, train_paths  # noqa: E402
from answerable.training.start import TOKENIZER, begin, keep  # noqa: E402
from answerable.types import Skill  # noqa: E402
from tests.training.experts import check_interrupted, log  # noqa: E402
from tests.training.paths.worlds import SHAPE, write_bert, write_data  # noqa: E402

RECIPE: dict[str, Any] = {
    "kind": "paths",
    "threads": 1,
    "tokens": 128,
    "judged": 6,
    "candidates": 4,
    "loop": {"rate": 1e-3, "tokens": 1024, "evaluate_steps": 3, "checkpoint_seconds": 0.0, "most": 6},
    "sources": {"hotpotqa": 1.5, "nq": 1, "squad2": 0.5},
}
IDS = torch.tensor([[2, 30, 9, 7, 3], [2, 8, 3, 0, 0]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder, a BERT, and a run that trained skills."""
    folder = tmp_path_factory.mktemp("training")
    write_data(folder / "data")
    write_bert(folder / "bert")
    trained = begin(str(folder / "bert"), SkillShape(dropout=0.3, temperature=0.2)).model
    torch.manual_seed(9)
    for weight in trained.parameters():
        weight.data += 0.02 * torch.randn_like(weight)
    keep(trained, folder / "bert" / TOKENIZER, folder / "skills")
    torch.save({"model": trained.state_dict()}, folder / "skills/best.pt")
    return folder


def vectors(model: SkillModel, skill: Skill) -> torch.Tensor:
    with torch.no_grad():
        return model.eval()(IDS, (IDS > 0).long(), skill)


def test_other_skills_stay_as_they_are_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    recipe = RECIPE | {"start": str(folder / "skills")}
    found = train_paths(PathRecipe.of(recipe), folder / "data", tmp_path)
    start = begin_expert(PATHS, str(folder / "skills"), 0.0)[0].encoder
    for skill in Skill:
        same = torch.equal(vectors(found.encoder, skill), vectors(start, skill))
        assert same == (skill is not Skill.READ)
    lines = log(tmp_path)
    assert [line["step"] for line in lines][-1] == 6
    judged = [line["evaluation"] for line in lines if "evaluation" in line]
    names = {f"hotpotqa {what}" for what in ("answer", "passages", "sentences")}
    assert len(judged) == 2 and names <= set(judged[0]) and all(0 <= v <= 1 for one in judged for v in one.values())
    again = open_expert(PATHS, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(found.parameters(), again.parameters(), strict=True))
    assert again.encoder.how.reading and again.encoder.how.temperature == 0.2


def test_an_interrupted_run_gives_the_same_curve(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = RECIPE | {"start": str(folder / "bert"), "dropout": 0.2}
    check_interrupted(
        monkeypatch, train, "_loss", lambda out: train_paths(PathRecipe.of(recipe), folder / "data", out), tmp_path
    )


def test_a_run_goes_on_from_an_earlier_one(folder: Path, tmp_path: Path) -> None:
    quick = RECIPE | {"start": str(folder / "skills"), "loop": {"tokens": 1024, "most": 1, "rate": 1e-3}}
    first = train_paths(PathRecipe.of(quick), folder / "data", tmp_path / "one")
    second, _ = begin_expert(PATHS, str(tmp_path / "one"), 0.0)
    assert asdict(second.encoder.how) == asdict(first.encoder.how) | {"dropout": 0.0}
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    with pytest.raises(ModelError, match="no trained path reader"):
        open_expert(PATHS, folder / "skills")


def test_without_experts_none_can_be_trained_alone(folder: Path, tmp_path: Path) -> None:
    plain = begin(str(folder / "bert"), SkillShape(special=Special.NONE)).model
    keep(plain, folder / "bert" / TOKENIZER, tmp_path)
    torch.save({"model": plain.state_dict()}, tmp_path / "best.pt")
    with pytest.raises(UsageError, match="no experts"):
        begin_expert(PATHS, str(tmp_path), 0.1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"colour": "red"}, "colour"),
        ({"sources": {"moon": 1}}, "no source 'moon'"),
        ({"sources": {}}, "no sources"),
        ({"sources": {"nq": "often"}}, "often"),
        ({"draw": {"hole": 1}}, "hole"),
        ({"loss": {"answers": 1}}, "answers"),
        ({"tokens": 40}, "tokens is 40"),
    ],
)
def test_recipes_that_cannot_be_used_say_why(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        PathRecipe.of(RECIPE | change)


def test_a_model_that_reads_less_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"reads {SHAPE.positions} tokens"):
        train_paths(PathRecipe.of(RECIPE | {"start": str(folder / "bert"), "tokens": 384}), folder / "data", tmp_path)


def test_the_recipe_that_ships_can_be_read() -> None:
    path = Path(__file__).parents[3] / "recipes" / "paths.toml"
    recipe = PathRecipe.of(tomllib.loads(path.read_text(encoding="utf8")))
    assert recipe.loop.evaluate_steps and (recipe.loss.answer, recipe.loss.sentences) == (1, 0.5)
