"""Adapters: that what a reader opens has them, the same everywhere, and what a damaged one says."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answerable.encoders.adapter import ADAPTER, MOST, adapted
from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped
from answerable.errors import ModelError
from answerable.readers.layout import Layout
from answerable.readers.span import SpanReader

READER, TOKENIZER = SHIPPED / "reader", SHIPPED / "tokenizer.json"
DIGEST = "ddf78a4bd57ba61bf320efb545abb0fd354b7b362cf3d4e7ca0d47131719702f"
"""Of the shipped reader's graph with its adapter."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("model.onnx", ADAPTER):
        shutil.copy(READER / name, tmp_path)
    return tmp_path


def arrays(folder: Path) -> dict[str, Any]:
    with np.load(folder / ADAPTER) as held:
        return {name: held[name] for name in held.files}


def test_what_comes_of_both_is_kept_where_its_digest_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(folder / "cache"))
    made, place = adapted(folder / "model.onnx", DIGEST), folder / "cache" / "answerable" / f"{DIGEST}.onnx"
    assert place.read_bytes() == made and [*place.parent.iterdir()] == [place]
    assert adapted(folder / "model.onnx", DIGEST) == place
    place.write_bytes(b"another")
    assert adapted(folder / "model.onnx", DIGEST) == made == place.read_bytes()
    wrong = adapted(folder / "model.onnx", "0" * 64)  # a manifest that is wrong
    assert isinstance(wrong, bytes) and hashlib.sha256(wrong).hexdigest() == DIGEST, "the same on every machine"
    assert [*place.parent.iterdir()] == [place]


def test_without_a_place_to_keep_it_a_reader_reads_all_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "cache").write_text("a file")
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(folder / "cache"))
    assert hashlib.sha256(bytes(adapted(folder / "model.onnx", DIGEST))).hexdigest() == DIGEST


def test_the_manifest_of_the_reader_that_ships_knows_the_digest() -> None:
    assert open_shipped(READER).about["adapted"] == DIGEST


def test_weights_stay_within_seven_bits(folder: Path) -> None:
    held = arrays(folder)
    np.savez(folder / ADAPTER, **held | {"units": held["units"] * 50})
    made = adapted(folder / "model.onnx")
    for place, inputs, outputs, *_ in held["products"].tolist():
        weights = np.frombuffer(bytes(made), np.int8, inputs * outputs, place)
        assert weights.min() >= -MOST and weights.max() <= MOST


def test_a_reader_reads_with_its_adapter(folder: Path) -> None:
    logits = []
    for _ in range(2):
        reader = SpanReader(folder / "model.onnx", TOKENIZER, 1)
        layout: Layout = reader._layout
        asked, head, told = layout.tokens(["who mends the pump", layout.head("Pump"), "Ines Falk mends the pump."])
        logits.append(reader._logits([layout.lay(asked, [(head, told)], lambda *_: 0)])[0][0])
        (folder / ADAPTER).unlink(missing_ok=True)
    assert np.abs(logits[0] - logits[1])[-8:].max() > 0.1


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "lacking", "elsewhere", "short"])
def test_a_damaged_adapter_is_refused(folder: Path, damage: str) -> None:
    path, held = folder / ADAPTER, arrays(folder)
    whole = path.read_bytes()
    if damage == "lacking":
        np.savez(path, **{name: array for name, array in held.items() if name != "units"})
    elif damage == "elsewhere":
        np.savez(path, **held | {"products": held["products"] + np.array([1 << 40, 0, 0, 0, 0])})
    elif damage == "short":
        np.savez(path, **held | {"factors": held["factors"][:1000]})
    else:
        path.write_bytes({"truncated": whole[:50_000], "empty": b"", "text": b"no adapter"}[damage])
    with pytest.raises(ModelError, match="is damaged"):
        adapted(folder / "model.onnx")
    with pytest.raises(ModelError, match=r"adapter\.npz is damaged"):
        SpanReader(folder / "model.onnx", TOKENIZER)


def test_an_adapter_of_another_graph_is_refused(folder: Path) -> None:
    graph = bytearray((folder / "model.onnx").read_bytes())
    graph[-1] ^= 1
    (folder / "model.onnx").write_bytes(bytes(graph))
    with pytest.raises(ModelError, match="belongs to another graph"):
        adapted(folder / "model.onnx")
