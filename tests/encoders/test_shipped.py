from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.dense import DenseEncoder
from answerable.encoders.shipped import mark_taught, open_shipped, seal, taught_label
from answerable.errors import ModelError


def test_a_sealed_folder_opens_with_what_was_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"weights")
    shipped = seal(tmp_path, "one-1", ["model.onnx"], {"dimension": 8})
    assert shipped == open_shipped(tmp_path)
    assert shipped.about["dimension"] == 8
    assert shipped.file("model.onnx").read_bytes() == b"weights"
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["manifest.json", "model.onnx"]


def test_a_model_says_what_private_text_it_was_taught(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"weights")
    assert taught_label(tmp_path) == set()  # no model yet
    seal(tmp_path, "one-1", ["model.onnx"], {"dimension": 8})
    assert taught_label(tmp_path) == set()
    for word in ("mail", "clinic"):
        mark_taught(tmp_path, frozenset({word}))
    assert taught_label(tmp_path) == {"mail", "clinic"}  # it only grows
    assert open_shipped(tmp_path).about["dimension"] == 8
    (tmp_path / "manifest.json").write_text('{"label": "mail"}')
    with pytest.raises(ModelError, match="no list of enclaves"):
        taught_label(tmp_path)


def test_a_file_the_manifest_does_not_name_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "model.onnx").write_bytes(b"weights")
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        seal(tmp_path, "one-1", ["model.onnx"], {}).file("tokenizer.json")


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "tokenizer.json", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a network")
    seal(tmp_path, "one-1", ["model.onnx", "tokenizer.json"], {"dimension": 8})
    with pytest.raises(ModelError, match="cannot be run"):
        DenseEncoder(tmp_path)
