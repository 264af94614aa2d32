"""An enclave as JSONL: every line carries its enclave and label, and one export never holds two enclaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from answerable.corpora.lines import MANIFEST
from answerable.corpora.store import Store
from answerable.errors import EnclaveError, UsageError, WorkspaceError
from answerable.printing import as_json, replacing
from answerable.types import Enclave, Label

_BATCH = 500  # passages looked up at once


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written where."""

    enclave: str
    label: Label
    documents: int
    passages: int
    files: tuple[Path, ...]


def export(store: Store, enclave: Enclave, target: Path) -> Exported:
    """Write an enclave to `target`: one file when it ends in `.jsonl`, else a folder with one file for each kind.

    Document lines have `_id`, `title` and `text`, so that they can be indexed again. An earlier export of the same
    enclave is replaced. Raises `EnclaveError` where `target` holds another enclave, and `UsageError` where it holds
    anything else.
    """
    try:
        if target.suffix == ".jsonl":
            require_same(target, enclave.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing(target) as file:
                documents = _write(file, _documents(store, enclave))
                passages = _write(file, _passages(store, enclave))
            return Exported(enclave.name, enclave.label, documents, passages, (target,))
        return _export_folder(store, enclave, target)
    except OSError as error:
        raise WorkspaceError(f"{target} cannot be written: {error.strerror or type(error).__name__}") from error


def _export_folder(store: Store, enclave: Enclave, target: Path) -> Exported:
    manifest = target / MANIFEST
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if not manifest.is_file():
            raise UsageError(f"{target} exists and is no export", hint="name a new folder")
        require_same(manifest, enclave.name)
    target.mkdir(parents=True, exist_ok=True)
    files = (target / "documents.jsonl", target / "passages.jsonl")
    with replacing(files[0]) as file:
        documents = _write(file, _documents(store, enclave))
    with replacing(files[1]) as file:
        passages = _write(file, _passages(store, enclave))
    with replacing(manifest) as file:
        _write(file, iter([{**_owner(enclave), "documents": documents, "passages": passages}]))
    return Exported(enclave.name, enclave.label, documents, passages, (*files, manifest))


def require_same(path: Path, enclave: str) -> None:
    """`path` is not there or empty, or its first line says that it is an export of this enclave."""
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return
    try:
        with path.open(encoding="utf8") as file:
            found = json.loads(file.readline(2**24))["enclave"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{path} exists and is no export", hint="name a new file") from None
    if found != enclave:
        raise EnclaveError(
            f"{path} holds enclave {found!s}", hint=f"export {enclave} elsewhere: enclaves are never mixed"
        )


def _owner(enclave: Enclave) -> dict[str, Any]:
    return {"enclave": enclave.name, "label": sorted(enclave.label)}


def _documents(store: Store, enclave: Enclave) -> Iterator[dict[str, Any]]:
    for id, _, _ in store.documents(enclave.name):
        document = store.document(enclave.name, id)
        if document is None:  # deleted since the listing began
            continue
        yield {
            "type": "document",
            **_owner(enclave),
            "_id": document.id,
            "title": document.title,
            "text": document.text,
            "source": document.source,
            "kind": document.kind,
            "sections": [asdict(section) for section in document.sections],
            "meta": dict(document.meta),
        }


def _passages(store: Store, enclave: Enclave) -> Iterator[dict[str, Any]]:
    ids = (row.id for row in store.rows(enclave.name))
    while some := list(islice(ids, _BATCH)):
        for passage in store.passages(enclave.name, some):
            yield {
                "type": "passage",
                **_owner(enclave),
                "_id": passage.id,
                "document": passage.document_id,
                "title": passage.title,
                "text": passage.text,
                "start": passage.start,
                "end": passage.end,
                "section": passage.section,
            }


def _write(file: BinaryIO, records: Iterator[dict[str, Any]]) -> int:
    count = 0
    for record in records:
        file.write(f"{as_json(record, default=str)}\n".encode())
        count += 1
    return count
