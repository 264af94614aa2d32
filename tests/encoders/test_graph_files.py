from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import graph_files

# Messages of onnx.proto: where a tensor may lie in a model, as numbers of fields from the model inwards.
PLACES = {
    "an initializer": (7, 5),
    "a constant": (7, 1, 5, 5),
    "one of several": (7, 1, 5, 10),
    "in a branch": (7, 1, 5, 6, 5),
    "in a branch of a branch": (7, 1, 5, 6, 1, 5, 11, 5),
    "a sparse one's values": (7, 15, 1),
    "a sparse one's places": (7, 15, 2),
    "a sparse constant": (7, 1, 5, 22, 1),
    "in a function": (25, 7, 5, 5),
    "a function's default": (25, 11, 5),
    "for training": (20, 1, 5),
}


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def graph(place: tuple[int, ...] = (7, 5), location: str = "../secret.bin") -> bytes:
    """A model with one tensor whose weights lie elsewhere."""
    made = field(1, b"\x02") + field(13, field(1, b"location") + field(2, location.encode())) + b"\x70\x01"
    for number in reversed(place):
        made = field(99, b"a name") + field(number, made)
    return b"\x08\x08" + made


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_every_place_of_a_tensor_is_looked_at(place: tuple[int, ...], tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(graph(place))
    assert graph_files(tmp_path / "model.onnx") == {"../secret.bin"}


def _located(message: Any) -> list[str]:
    """What all tensors of a message that is read by the package onnx say of where they lie."""
    found = [entry.value for entry in getattr(message, "external_data", ())]
    for told, value in message.ListFields():
        if told.message_type and not found:
            for one in value if told.is_repeated else [value]:
                found += _located(one)
    return found


def test_the_package_onnx_reads_the_same() -> None:
    onnx = pytest.importorskip("onnx")
    for name, place in PLACES.items():
        assert _located(onnx.ModelProto.FromString(graph(place))) == ["../secret.bin"], name


def test_models_that_ship() -> None:
    assert graph_files(SHIPPED / "reader" / "model.onnx") == set()
    assert graph_files(SHIPPED / "skills" / "fit.onnx") == {"fit.bin", "shared.bin"}


@pytest.mark.parametrize(
    "written",
    [
        b"\x3b" + graph() + b"\x3c",  # within a group
        graph().replace(b"\x3a", b"\xba\x80\x80\x80\x80\x02", 1),  # the field's number with more than 32 bits
        graph() + b"\xff" * 40,  # before what is no field
    ],
)
def test_what_a_reader_may_take_for_a_tensor_is_seen(written: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(written)
    assert graph_files(tmp_path / "model.onnx") == {"../secret.bin"}


@pytest.mark.parametrize("written", [b"", b"weights", b"\xff" * 5000, b"\x3a\xff\xff\xff\x7f", graph()[:-9]])
def test_what_is_no_graph_names_nothing(written: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(written)
    assert graph_files(tmp_path / "model.onnx") == set()
