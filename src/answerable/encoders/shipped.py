"""Folders of weights: a manifest that names each file with its sha256, checked before anything is loaded.

Which other files an ONNX graph takes weights from is told from its bytes: a graph is a message of protocol buffers
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). Every tensor that it may hold is looked at, at any depth;
everything else is stepped over, so that weights are not read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from answerable.encoders.adapter import ADAPTER
from answerable.errors import ModelError
from answerable.types import PUBLIC, Label

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
            if data.find(b"location") < 0:  # how every such tensor says where it lies
                return found
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


MANIFEST = "manifest.json"
BESIDE = "../tokenizer.json"
"""The one file of a manifest outside of its folder: models that stand in one folder may share a tokenizer there."""
LABEL = "label"
"""In a manifest: the private enclaves on whose text the model was trained. Not among the checksums."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A folder of weights whose files are those its manifest was written for."""

    folder: Path
    name: str
    """Identifies the weights, whatever arithmetic runs them."""
    about: dict[str, Any]
    """The whole manifest."""

    def file(self, name: str) -> Path:
        """Path of a file the manifest names, e.g. `model.onnx`.

        Raises `ModelError` when it names none such, or one that is a graph with weights in files it does not name.
        """
        for listed in self.about["files"]:
            if Path(listed).name == name:
                path = self.folder / str(listed)
                if path.suffix == ".onnx":
                    self._require_own(path)
                return path
        raise ModelError(f"the model in {self.folder} has no {name}", hint="reinstall answerable")

    def _require_own(self, graph: Path) -> None:
        """That its weights lie in the graph or in files of its folder that the manifest vouches for."""
        beside = graph.parent.relative_to(self.folder)
        for name in sorted(graph_files(graph)):
            if (beside / name).as_posix() not in self.about["files"] or name != Path(name).name:
                raise ModelError(
                    f"{graph} takes weights from a file that its manifest does not name ({name!r})",
                    hint="export the model again, with all of its weights in its folder",
                )
        if (graph.parent / ADAPTER).exists() and (beside / ADAPTER).as_posix() not in self.about["files"]:
            raise ModelError(f"an adapter stands beside {graph} that its manifest does not name", hint="take it away")


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_shipped(folder: Path) -> Shipped:
    """Check a folder of weights. Raises `ModelError` when a file is missing or is not the one named."""
    hint = "reinstall answerable, or give the folder of an exported model"
    try:
        about = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files, name = dict(about["files"]), str(about["name"])
    except OSError as error:
        raise ModelError(f"there is no model in {folder}", hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{folder / MANIFEST} is not the manifest of a model", hint=hint) from error
    for listed, expected in files.items():
        path = folder / listed
        if not _belongs(folder, listed):
            raise ModelError(f"{folder / MANIFEST} names a file outside of its folder ({listed!r})", hint=hint)
        if not path.is_file():
            raise ModelError(f"the model's file {path} is missing", hint=hint)
        if sha256(path) != expected:
            raise ModelError(f"the model's file {path} is damaged or is another version", hint=hint)
    return Shipped(folder, name, about)


def _belongs(folder: Path, listed: str) -> bool:
    """Whether a file lies in the folder, links followed, or is the tokenizer that stands beside it."""
    path, home = (folder / listed).resolve(), folder.resolve()
    if listed == BESIDE:
        return path == home.parent / Path(BESIDE).name
    return path.is_relative_to(home) and ".." not in Path(listed).parts


def taught_label(folder: Path) -> Label:
    """The private enclaves on whose text the model in a folder was trained, by its manifest; empty where there is none.

    Raises `ModelError` for a manifest that says it in another way than as a list of names.
    """
    try:
        label = json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get(LABEL, [])
    except (OSError, ValueError, AttributeError):
        return PUBLIC  # no model: whoever opens it says so
    if not isinstance(label, list) or not all(isinstance(word, str) for word in label):
        raise ModelError(f"{folder / MANIFEST} has a label that is no list of enclaves", hint="train the model again")
    return frozenset(label)


def mark_taught(folder: Path, label: Label) -> None:
    """Say in the manifest of a model that it was trained on text of these private enclaves, besides those it names."""
    about = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    _describe(folder, about | {LABEL: sorted(label | taught_label(folder))})


def seal(folder: Path, name: str, files: list[str], about: dict[str, Any]) -> Shipped:
    """Write the manifest of a folder of weights; `files` are paths relative to it. Done last, so that it vouches."""
    listed = {file: sha256(folder / file) for file in files}
    _describe(folder, {"name": name, "files": listed} | about)
    return open_shipped(folder)


def _describe(folder: Path, about: dict[str, Any]) -> None:
    part = folder / f"{MANIFEST}.tmp"
    part.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    part.replace(folder / MANIFEST)


@contextmanager
def opening(shipped: Shipped) -> Iterator[None]:
    """What onnxruntime and tokenizers raise, with no common base, for a damaged file, as a `ModelError`."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"the model in {shipped.folder} cannot be run", hint="export it again") from error
