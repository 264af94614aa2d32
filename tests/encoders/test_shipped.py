from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import mark_taught, open_shipped, seal, taught_label
from answerable.errors import ModelError
from answerable.readers.span import SpanReader
from tests.encoders.test_graph_files import graph


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
    with pytest.raises(ModelError, match="damaged"):
        SpanReader(*(open_shipped(tmp_path).file(name) for name in ("model.onnx", "tokenizer.json")))


@pytest.mark.parametrize("listed", ["../secret.npz", "sub/../../secret.npz", "linked.npz", "sub/linked/secret.npz"])
def test_a_manifest_names_no_file_outside_of_its_folder(tmp_path: Path, listed: str) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.npz").write_bytes(b"weights")
    (folder / "linked.npz").symlink_to(tmp_path / "secret.npz")
    (folder / "sub" / "linked").symlink_to(tmp_path)
    with pytest.raises(ModelError, match="names a file outside of its folder"):
        seal(folder, "one-1", [listed], {})
    with pytest.raises(ModelError, match="names a file outside of its folder"):
        seal(folder, "one-1", [str(tmp_path / "secret.npz")], {})


def test_files_within_it_and_a_tokenizer_beside_it_are_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "weights.npz").write_bytes(b"weights")
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "other").symlink_to(folder)
    seal(folder, "one-1", ["sub/weights.npz", "../tokenizer.json"], {})
    assert open_shipped(tmp_path / "other").file("weights.npz").read_bytes() == b"weights"
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "tokenizer.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(ModelError, match="names a file outside of its folder"):
        open_shipped(folder)


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/passwd", "other.bin", "./own.bin", "*/_ORT_MEM_ADDR_/*"])
def test_a_graph_takes_weights_only_from_files_of_the_manifest(tmp_path: Path, location: str) -> None:
    for name in ("own.bin", "other.bin", "../secret.bin"):
        (tmp_path / name).write_bytes(b"weights")
    (tmp_path / "own.onnx").write_bytes(graph(location="own.bin"))
    (tmp_path / "model.onnx").write_bytes(graph(location=location))
    shipped = seal(tmp_path, "one-1", ["own.onnx", "model.onnx", "own.bin"], {})
    assert shipped.file("own.onnx").is_file()
    with pytest.raises(ModelError, match="takes weights from a file that its manifest does not name"):
        shipped.file("model.onnx")


def test_an_encoder_with_weights_elsewhere_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "tokenizer.json", tmp_path)
    (tmp_path / "model.onnx").write_bytes(graph())
    seal(tmp_path, "one-1", ["model.onnx", "tokenizer.json"], {"dimension": 8})
    with pytest.raises(ModelError, match=r"takes weights from a file .*'\.\./secret\.bin'"):
        SpanReader(*(open_shipped(tmp_path).file(name) for name in ("model.onnx", "tokenizer.json")))
