"""Which other files an ONNX graph takes weights from, told from its bytes before anything loads it.

A graph is a message of protocol buffers (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). Every tensor that it
may hold is looked at, at any depth; everything else is stepped over, so that weights are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

_INSIDE = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {},
}
"""Of each message, the numbers of the fields in which tensors lie, and what message they are."""
_KEY, _VALUE = 1, 2
_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5


def graph_files(model: Path) -> set[str]:
    """The paths, as the graph writes them, of all files that it takes tensors from; empty where it has its own.

    Of a file that is no graph it gives what was met before that showed: such a file cannot be loaded either.
    """
    found: set[str] = set()
    with model.open("rb") as file:
        if not file.seek(0, 2):
            return found
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            todo = [("model", 0, len(data))]
            while todo:
                kind, begin, end = todo.pop()
                told = {}
                for number, first, last in _fields(data, begin, end):
                    if kind == "entry":
                        told[number] = data[first:last]
                    elif number in _INSIDE[kind]:
                        todo.append((_INSIDE[kind][number], first, last))
                if told.get(_KEY) == b"location":
                    found.add(told.get(_VALUE, b"").decode("utf-8", "replace"))
    return found


def _fields(data: mmap, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(number, begin, end) of each field of bytes, up to `end` or to what is no field.

    Groups, an old way to nest, are walked as if they were not there.
    """
    while at < end:
        tag, at = _varint(data, at)
        number, kind = (tag & 0xFFFFFFFF) >> 3, tag & 7  # a reader may drop what is above 32 bits
        if kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            at += 8 if kind == _EIGHT else 4
        elif kind == _LENGTH:
            size, at = _varint(data, at)
            if at + size > end:
                return
            yield number, at, at + size
            at += size
        elif kind > _FOUR:
            return


def _varint(data: mmap, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where it ends: the end of the file for what is none."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at
    return 0, len(data)
