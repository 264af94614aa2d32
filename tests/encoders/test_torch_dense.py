from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="bf16 encoding needs the extra `train`")

from answerable.encoders.choose import SHIPPED, for_passages  # noqa: E402
from answerable.encoders.dense import DenseEncoder  # noqa: E402
from answerable.encoders.torch_dense import TorchDenseEncoder, has_fast_bf16  # noqa: E402
from answerable.encoders.trunk import minilm_folder  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.testing.encoder import PASSAGES, EncoderContract  # noqa: E402
from answerable.types import Skill  # noqa: E402


class TestTorchDenseEncoder(EncoderContract):
    light = DenseEncoder(SHIPPED / "minilm", threads=1)
    encoder = TorchDenseEncoder(light, minilm_folder() / "model.safetensors", "cpu")

    def test_int8_agrees_with_it(self) -> None:
        near = (self.encoder.encode_passages(PASSAGES) * self.light.encode_passages(PASSAGES)).sum(axis=1)
        assert near.min() > 0.97
        assert near.mean() > 0.985

    def test_it_has_the_name_of_the_weights(self) -> None:
        assert self.encoder.name == self.light.name

    def test_a_row_is_the_same_in_any_batch(self) -> None:
        apart = np.concatenate([self.encoder.encode_passages([one]) for one in PASSAGES])
        assert (apart * self.encoder.encode_passages(PASSAGES)).sum(axis=1).min() > 0.999

    def test_it_is_chosen_for_passages_where_it_helps(self) -> None:
        chosen = for_passages(self.light)
        expected = self.encoder if has_fast_bf16() else self.light
        np.testing.assert_array_equal(chosen.encode_passages(PASSAGES), expected.encode_passages(PASSAGES))
        query = chosen.encode_query("Who lit it?", Skill.SINGLE)
        np.testing.assert_array_equal(query, self.light.encode_query("Who lit it?", Skill.SINGLE))
        assert (chosen.name, chosen.dimension) == (self.light.name, self.light.dimension)

    def test_without_the_weights_int8_encodes_passages_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def absent() -> Path:
            raise ModelError("the MiniLM weights are not installed")

        monkeypatch.setattr("answerable.encoders.trunk.minilm_folder", absent)
        rows = for_passages(self.light).encode_passages(PASSAGES)
        np.testing.assert_array_equal(rows, self.light.encode_passages(PASSAGES))

    def test_other_weights_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "model.safetensors").write_bytes(b"other")
        with pytest.raises(ModelError, match="not what the encoder minilm"):
            TorchDenseEncoder(self.light, tmp_path / "model.safetensors")
