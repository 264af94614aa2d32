"""What a workspace says of itself: what it holds, here and elsewhere, and what one `index` did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from answerable.corpora.store import Store
from answerable.corpora.transaction import entity_side
from answerable.errors import RemoteError
from answerable.indexes.shared import SharedStore
from answerable.workspace.declarations import FILE_NAME, Declaration, Kind
from answerable.workspace.settings import Settings

if TYPE_CHECKING:
    from answerable.corpora.ingest import Ingested
    from answerable.remote.client import RemoteEnclave
    from answerable.remote.sharded import ShardedEnclave


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

    `pages`: documents that a name can be linked to. `remote`: the addresses of the machines that hold it, which are
    asked for the numbers; `shares_encoder`: whether queries travel there as vectors. `whose`: where it lies, in words.
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
    whose: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds, and its size on disk in bytes."""

    folder: Path
    encoder: str
    enclaves: tuple[EnclaveStatus, ...]
    bytes: int


def status_of(
    folder: Path,
    settings: Settings,
    store: Store,
    encoder: str,
    problems: Mapping[str, str],
    remotes: Mapping[str, RemoteEnclave | ShardedEnclave],
) -> Status:
    """What each enclave holds, declared ones first. `problems`: why some cannot be searched, by name."""
    held = {one.enclave for one in store.enclaves()}
    rows = []
    for name in [*settings.enclaves, *sorted(held - settings.enclaves.keys())]:
        declared = settings.enclaves.get(name)
        if declared and name in remotes:
            rows.append(remote_status(declared, remotes[name]))
        else:
            rows.append(held_status(name, declared, store, encoder, problems.get(name)))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Status(folder, encoder, tuple(rows), size)


def travels_as(one: EnclaveStatus, settings: Settings) -> str:
    """In what form queries travel to an enclave elsewhere, by how it is ranked: "text", "vectors" or both.

    To one with another encoder no vector does; names that are looked for (`search.linking`) are vectors in every mode.
    """
    mode = settings.enclaves[one.name].mode or settings.search.mode
    text = mode != "dense" or not one.shares_encoder
    vectors = one.shares_encoder and (mode != "lexical" or settings.search.linking)
    return " and ".join(["text"] * text + ["vectors"] * vectors)


def held_status(
    name: str, declared: Declaration | None, store: Store, encoder: str, problem: str | None
) -> EnclaveStatus:
    """What the store holds of an enclave; one that is not declared (None) is nobody's."""
    held, counts = store.holdings(name), store.vector_counts(name)
    vectors, pages = counts.get(encoder, 0), counts.get(entity_side(encoder), 0)
    kind = declared.kind.value if declared else "undeclared"
    problem = problem if declared else f"not declared in {FILE_NAME}: nobody may read it"
    whose = declared.whose if declared else ""
    whose = whose.replace("on this machine", f"in {store.kind}") if isinstance(store, SharedStore) else whose
    return EnclaveStatus(name, kind, held.documents, held.passages, vectors, pages, problem, whose=whose)


def remote_status(declared: Declaration, remote: RemoteEnclave | ShardedEnclave) -> EnclaveStatus:
    """What the other machines say that they hold, or why one says nothing."""
    name, kind, url = declared.name, declared.kind.value, remote.url
    try:
        about, shared = remote.about(again=True), remote.shares_encoder()
    except RemoteError as error:
        return EnclaveStatus(name, kind, 0, 0, 0, 0, str(error.args[0]), url)
    return EnclaveStatus(
        name, kind, about.documents, about.passages, about.vectors, about.pages, None, url, shares_encoder=shared
    )
