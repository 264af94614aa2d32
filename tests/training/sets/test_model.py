"""The judge in torch: who attends to whom."""

from __future__ import annotations

import pytest
import torch

from answerable.encoders.constraints import Laid, feeding, lay
from answerable.training.sets.model import FitModel, seen
from tests.training.documents.worlds import write_bert
from tests.training.sets.worlds import begun

TEXT, TOWER, BIRD = [2, 9, 8, 7, 3], [2, 11, 3], [2, 12, 13, 3]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> FitModel:
    return begun(write_bert(tmp_path_factory.mktemp("bert")))[0]


def run(model: FitModel, *rows: Laid) -> torch.Tensor:
    fed = feeding(rows)
    with torch.no_grad():
        return model(*(torch.from_numpy(one) for one in fed.values()))


def test_what_is_said_of_a_constraint_does_not_depend_on_the_others(model: FitModel) -> None:
    alone = run(model, lay(TEXT, [TOWER]))[0, 0]
    first = run(model, lay(TEXT, [TOWER, BIRD]))[0]
    last = run(model, lay(TEXT, [BIRD, BIRD, TOWER]), lay([*TEXT, 5, 6, 7], [BIRD]))[0]
    assert torch.allclose(first[0], alone, atol=1e-5)
    assert torch.allclose(last[2], alone, atol=1e-5)
    assert not torch.allclose(first[1], alone, atol=1e-5)


def test_a_constraint_is_judged_by_the_text(model: FitModel) -> None:
    assert not torch.allclose(run(model, lay(TEXT, [TOWER])), run(model, lay([2, 5, 6, 3], [TOWER])), atol=1e-5)


def test_the_text_attends_to_itself_and_constraints_to_both() -> None:
    apart = seen(torch.tensor([[1, 1, 2, 3, 0]]))[0, 0] == 0
    assert apart[0].tolist() == [True, True, False, False, False]
    assert apart[2].tolist() == [True, True, True, False, False]
    assert apart[3].tolist() == [True, True, False, True, False]
