"""Folders of weights: a manifest that names each file with its sha256, checked before anything is loaded."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.encoders.graph_files import graph_files
from answerable.errors import ModelError
from answerable.types import PUBLIC, Label

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
    path = folder / MANIFEST
    about = json.loads(path.read_text(encoding="utf-8"))
    about[LABEL] = sorted(label | taught_label(folder))
    part = folder / f"{MANIFEST}.tmp"
    part.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def seal(folder: Path, name: str, files: list[str], about: dict[str, Any]) -> Shipped:
    """Write the manifest of a folder of weights; `files` are paths relative to it. Done last, so that it vouches."""
    listed = {file: sha256(folder / file) for file in files}
    text = json.dumps({"name": name, "files": listed} | about, indent=1) + "\n"
    part = folder / f"{MANIFEST}.tmp"
    part.write_text(text, encoding="utf-8")
    part.replace(folder / MANIFEST)
    return open_shipped(folder)
