from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from answerable.encoders.modular import SkillModel, SkillShape, Special
from answerable.errors import ModelError, UsageError
from answerable.training.experts import begin_expert, open_expert
from answerable.training.paths.model import PATHS
from answerable.training.paths.train import PathRecipe
from answerable.training.start import TOKENIZER, begin, keep
from answerable.types import Skill
from tests.training.cases import READING
from tests.training.experts import noised
from tests.training.paths.worlds import SHAPE

IDS = torch.tensor([[2, 30, 9, 7, 3], [2, 8, 3, 0, 0]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its world, and a run that trained skills."""
    folder = READING.world(tmp_path_factory.mktemp("training"))
    trained = noised(begin(str(folder / "bert"), SkillShape(dropout=0.3, temperature=0.2))[0], 0.02)
    keep(trained, folder / "bert" / TOKENIZER, folder / "skills")
    torch.save({"model": trained.state_dict()}, folder / "skills/best.pt")
    return folder


def vectors(model: SkillModel, skill: Skill) -> torch.Tensor:
    with torch.no_grad():
        return model.eval()(IDS, (IDS > 0).long(), skill)


def test_other_skills_stay_as_they_are_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    start = str(folder / "skills")
    found: Any = READING.train(READING.how(folder, start=start), folder, tmp_path)
    before = begin_expert(PATHS, start, 0.0)[0].encoder
    for skill in Skill:
        same = torch.equal(vectors(found.encoder, skill), vectors(before, skill))
        assert same == (skill is not Skill.READ)
    assert found.encoder.how.reading and found.encoder.how.temperature == 0.2
    with pytest.raises(ModelError, match="no trained path reader"):
        open_expert(PATHS, folder / "skills")


def test_without_experts_none_can_be_trained_alone(folder: Path, tmp_path: Path) -> None:
    plain = begin(str(folder / "bert"), SkillShape(special=Special.NONE))[0]
    keep(plain, folder / "bert" / TOKENIZER, tmp_path)
    torch.save({"model": plain.state_dict()}, tmp_path / "best.pt")
    with pytest.raises(UsageError, match="no experts"):
        begin_expert(PATHS, str(tmp_path), 0.1)


def test_what_reads_too_little_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tokens is 40"):
        PathRecipe.of(READING.how(folder, tokens=40))
    with pytest.raises(UsageError, match=f"reads {SHAPE.positions} tokens"):
        READING.train(READING.how(folder, start=str(folder / "bert"), tokens=384), folder, tmp_path)
