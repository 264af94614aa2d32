"""What holds of every expert: it learns and resumes, is put beside an encoder or exported whole, and is opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from answerable.encoders.modular import SkillShape
from answerable.encoders.shipped import Shipped, open_shipped
from answerable.errors import ModelError
from answerable.training import experts
from answerable.training.experts import begin_expert, export_expert, open_expert, put_expert
from answerable.training.export import digest_of, export_skills
from tests.training.cases import CASES
from tests.training.experts import Case, check_run


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.kind)
def case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def folder(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return case.world(tmp_path_factory.mktemp(case.kind))


def test_a_run_learns_and_resumes_to_the_same_weights(case: Case, folder: Path, tmp_path: Path) -> None:
    check_run(case, folder, tmp_path)


def test_it_is_put_beside_an_encoder_that_it_does_not_change(case: Case, folder: Path, tmp_path: Path) -> None:
    trained, shipped = case.grafted(folder, tmp_path)
    assert case.runs(shipped)
    assert put_expert(case.spec, trained, tmp_path / "model", 128).about["files"] == shipped.about["files"]


def test_nothing_of_the_encoder_learns_but_the_expert(case: Case, folder: Path) -> None:
    model: Any = begin_expert(case.spec, str(folder / "model"), 0.0)[0]
    encoder = {name for name, weight in model.model.named_parameters() if weight.requires_grad}
    assert encoder and all(f".{model.model.how.expert(case.spec.skill)}." in name for name in encoder)
    every = sum(weight.requires_grad for weight in model.parameters())
    assert every > len(encoder), "what is around it learns too"


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Shipped]:
    """Exports an encoder of skills; one of the same weights is not traced again."""
    made: dict[tuple[str, SkillShape], Path] = {}

    def export(model: Any, out: Path, *given: Any) -> Shipped:
        key = digest_of(model.state_dict()), model.how
        if key not in made:
            made[key] = export_skills(model, tmp_path_factory.mktemp("traced"), *given).folder
        return open_shipped(Path(shutil.copytree(made[key], out)))

    return export


def test_from_a_bert_it_is_exported_whole(
    case: Case, folder: Path, tmp_path: Path, traced: Callable[..., Shipped], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experts, "export_skills", traced)
    torch.manual_seed(1)  # what a BERT has none of is drawn alike for all
    model, tokenizer = begin_expert(case.spec, str(folder / "bert"), 0.0)
    assert case.runs(export_expert(case.spec, model, tmp_path / "model", tokenizer, 128, "tiny", {}))


def test_what_is_none_is_refused(case: Case, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=case.none):
        case.runs(open_shipped(folder / "model"))
    with pytest.raises(ModelError, match=f"no trained {case.spec.called}"):
        open_expert(case.spec, tmp_path)


def test_a_recipe_trains_and_exports_one_that_opens(case: Case, folder: Path, tmp_path: Path) -> None:
    short = {**case.given["loop"], "most": 2, "evaluate_steps": 0}
    made = case.made.make(case.made.recipe.of(case.how(folder, loop=short)), folder / "data", tmp_path / "run")
    assert made.folder == tmp_path / "run/model" and case.runs(open_shipped(made.folder))
    assert made.name == open_shipped(folder / "model").name
