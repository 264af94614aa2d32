"""Rows of marked texts: padding is not read, and what a token is of is."""

from __future__ import annotations

from pathlib import Path

import torch

from answerable.encoders.modular import SkillShape
from answerable.training.marked import MarkedModel
from answerable.training.start import begin
from answerable.types import Skill
from tests.training.documents.worlds import write_bert


def test_padding_is_not_read_and_marks_are(tmp_path: Path) -> None:
    encoder = begin(str(write_bert(tmp_path)), SkillShape())[0]
    model = MarkedModel(encoder, Skill.FIT, 4).eval()
    ids, segments = torch.tensor([[2, 7, 3, 8, 3]]), torch.tensor([[1, 1, 1, 2, 2]])
    with torch.no_grad():
        mean, logits = model(ids, segments)
        assert mean.shape == (1, encoder.trunk.shape.width) and logits.shape == (1, 4)
        padded = (torch.nn.functional.pad(one, (0, 3)) for one in (ids, segments))
        assert torch.allclose(model(*padded)[1], logits, atol=1e-5)
        other = segments.clamp(max=1) + 2 * (segments == 2)
        assert torch.allclose(model(ids, other)[1], logits, atol=1e-6), "marks begin as nothing"
        model.marks[1] += torch.linspace(-1.0, 1.0, encoder.trunk.shape.width)
        assert not torch.allclose(model(ids, other)[1], logits, atol=1e-3)
        assert torch.allclose(model(ids, segments)[1], logits, atol=1e-6)
