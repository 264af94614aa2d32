from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.qapairs.generation.heads import PAIRS, PassageSelector, SelectionHead
from tests.contracts.selector import SelectorContract, passage


@pytest.fixture(scope="module")
def encoder() -> ModularEncoder:
    return ModularEncoder(SHIPPED / "skills", 1)


class TestShipped(SelectorContract):
    @pytest.fixture(autouse=True)
    def _open(self, encoder: ModularEncoder) -> None:
        self.selector = PassageSelector(encoder)

    def test_what_many_ask_about_comes_before_what_nobody_does(self) -> None:
        known = passage("The heart pumps blood through the body; the left ventricle is its strongest part.", "Heart")
        obscure = passage("Wola Mała is a village in the administrative district of Gmina Baranów.", "Wola Mała")
        likely, unlikely = self.selector.score([known, obscure])
        assert likely > unlikely


def test_a_head_of_another_encoder_is_refused(encoder: ModularEncoder, tmp_path: Path) -> None:
    shutil.copytree(PAIRS / "selection", tmp_path / "other")
    about = json.loads((tmp_path / "other" / "manifest.json").read_text())
    (tmp_path / "other" / "manifest.json").write_text(json.dumps({**about, "encoder": "skills-00000000"}))
    with pytest.raises(ModelError) as error:
        PassageSelector(encoder, tmp_path / "other")
    assert "skills-00000000" in str(error.value) and "answerable train" in str(error.value)


def test_a_head_without_a_scale_is_refused(encoder: ModularEncoder, tmp_path: Path) -> None:
    shutil.copytree(PAIRS / "selection", tmp_path / "other")
    about = json.loads((tmp_path / "other" / "manifest.json").read_text())
    del about["scale"]
    (tmp_path / "other" / "manifest.json").write_text(json.dumps(about))
    with pytest.raises(ModelError, match="no selector"):
        PassageSelector(encoder, tmp_path / "other")


def test_rows_are_scored_by_the_mlp() -> None:
    rng = np.random.default_rng(3)
    weights = {"rise": rng.normal(size=(4, 3)), "bias": rng.normal(size=3), "out": rng.normal(size=3)}
    head = SelectionHead({name: value.astype(np.float32) for name, value in weights.items()})
    rows = rng.normal(size=(5, 4)).astype(np.float32)
    wanted = np.maximum(rows @ weights["rise"] + weights["bias"], 0) @ weights["out"]
    np.testing.assert_allclose(head.scores(rows), wanted, rtol=1e-4, atol=1e-5)
