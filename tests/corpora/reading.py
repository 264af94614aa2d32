"""Reading one file in a test: its documents, and what was reported."""

from __future__ import annotations

from pathlib import Path

from answerable.corpora.formats import Limits, find_files, read_documents
from answerable.types import Document


def read(path: Path, limits: Limits | None = None, start: int = 0) -> tuple[list[Document], list[str]]:
    reports: list[str] = []
    documents: list[Document] = []
    for found in find_files([path], reports.append):
        documents += read_documents(found, "notes", limits or Limits(), reports.append, start)
    return documents, reports


def write(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path
