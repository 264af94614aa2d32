"""What a workspace says of itself: what it holds, and what one `index` did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from answerable.corpora.ingest import Ingested
from answerable.settings import Kind


@dataclass(frozen=True, slots=True)
class Indexed:
    """What one `index` did. `skipped`: a sentence for each file or record passed over; never text of a document."""

    enclave: str
    kind: Kind
    files: Ingested
    documents: int
    passages: int
    skipped: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EnclaveStatus:
    """What an enclave holds. `vectors` below `passages`: indexing is unfinished; `problem`: why it cannot be asked.

    `pages`: documents that a name can be linked to.
    """

    name: str
    kind: str
    documents: int
    passages: int
    vectors: int
    pages: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds, and its size on disk in bytes."""

    folder: Path
    encoder: str
    enclaves: tuple[EnclaveStatus, ...]
    bytes: int
