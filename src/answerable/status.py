"""What a workspace holds, and what the machines of its remote enclaves say that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from answerable.declarations import Declaration
from answerable.errors import RemoteError
from answerable.remote.client import RemoteEnclave


@dataclass(frozen=True, slots=True)
class EnclaveStatus:
    """What an enclave holds. `vectors` below `passages`: indexing is unfinished; `problem`: why it cannot be asked.

    `pages`: documents that a name can be linked to. `remote`: the address of the machine that holds it, which is asked
    for the numbers; `shares_encoder`: whether queries travel there as vectors.
    """

    name: str
    kind: str
    documents: int
    passages: int
    vectors: int
    pages: int
    problem: str | None
    remote: str | None = None
    shares_encoder: bool = True


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds, and its size on disk in bytes."""

    folder: Path
    encoder: str
    enclaves: tuple[EnclaveStatus, ...]
    bytes: int


def remote_status(declared: Declaration, remote: RemoteEnclave) -> EnclaveStatus:
    """What the other machine says that it holds, or why it says nothing."""
    name, kind, url = declared.name, declared.kind.value, remote.place.url
    try:
        about, shared = remote.about(again=True), remote.shares_encoder()
    except RemoteError as error:
        return EnclaveStatus(name, kind, 0, 0, 0, 0, str(error.args[0]), url)
    return EnclaveStatus(
        name, kind, about.documents, about.passages, about.vectors, about.pages, None, url, shares_encoder=shared
    )
