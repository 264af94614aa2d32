from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import answerable
from answerable.encoders.dense import DenseEncoder
from answerable.errors import ModelError
from answerable.testing.encoder import PASSAGES, EncoderContract, MatcherContract
from answerable.types import Skill

MODELS = Path(answerable.__file__).parent / "models"
FOLDER = MODELS / "minilm"


class TestDenseEncoder(EncoderContract):
    encoder = DenseEncoder(FOLDER, threads=1)

    def test_meaning_counts_and_not_words_alone(self) -> None:
        texts = [("", "He was laid off last spring."), ("", "The spring in the watch was laid flat.")]
        query = self.encoder.encode_query("losing one's job", Skill.SINGLE)
        assert int((self.encoder.encode_passages(texts) @ query).argmax()) == 0

    def test_threads_change_nothing(self) -> None:
        texts = [(title, f"{text} {i}") for i in range(16) for title, text in PASSAGES]
        two = DenseEncoder(FOLDER, threads=2)
        np.testing.assert_allclose(two.encode_passages(texts), self.encoder.encode_passages(texts), atol=1e-6)

    def test_a_title_is_part_of_a_passage(self) -> None:
        with_title, without = self.encoder.encode_passages([("Tiree", "It is lit."), ("", "It is lit.")])
        assert float(with_title @ without) < 0.9

    def test_what_follows_the_last_token_does_not_count(self) -> None:
        words = "lamp " * 400
        rows = self.encoder.encode_passages([("", words + "whale"), ("", words)])
        np.testing.assert_array_equal(rows[0], rows[1])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of models of which everything but the weights is a copy."""
    shutil.copytree(MODELS, tmp_path / "models", ignore=shutil.ignore_patterns("reader"))
    return tmp_path / "models" / "minilm"


def test_the_name_comes_from_the_weights(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    encoder = DenseEncoder(copy, threads=1)
    assert encoder.name == manifest["name"]
    assert encoder.name.endswith(manifest["weights_sha256"][:8])


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model in"):
        DenseEncoder(tmp_path)


def test_a_damaged_file_is_refused(copy: Path) -> None:
    path = copy / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(ModelError, match=r"model\.onnx is damaged"):
        DenseEncoder(copy)


def test_a_missing_file_is_refused(copy: Path) -> None:
    (copy.parent / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        DenseEncoder(copy)


@pytest.mark.parametrize("text", ["[]", "{", '{"name": "x"}', '{"name": "x", "files": 3}'])
def test_a_manifest_that_is_not_one_is_refused(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(ModelError, match="not the manifest"):
        DenseEncoder(copy)


class TestAsAMatcher(MatcherContract):
    opened = DenseEncoder(FOLDER, threads=1)

    def matcher(self):
        return self.opened
