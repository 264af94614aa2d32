"""Seals: digests of what the store holds, kept beside it, so that nothing is read that is not as it was stored.

Each document, each passage as it is read (with its place, its title and its enclave) and each vector has one, and so
have the counts of the store together. They show damage and careless edits. Whoever edits the store and knows of them
can write them anew: what shows that is a root noted elsewhere (`root_of`, and the journal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

from answerable.errors import WorkspaceError


class Rows(Protocol):
    """What a statement gives: a cursor of any database."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Any:
        """The next row, None after the last."""
        ...

    def fetchall(self) -> list[Any]:
        """Those that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


Run = Callable[..., Rows]
"""Runs a statement with values in the place of its question marks."""
TEXT = "COALESCE(p.text, substr(d.text, CAST(p.start + 1 AS INTEGER), CAST(p.stop - p.start AS INTEGER)))"
DOCUMENT = "d.id, d.enclave, d.title, d.text, d.source, d.kind, d.sections, d.meta"
"""What the seal of a document covers, with its key."""
PASSAGE = f"p.id, d.id, p.enclave, d.title, {TEXT}, p.start, p.stop, p.section"
"""What the seal of a passage covers, with its key: the fields of a `Passage`."""
SEALED_DOCUMENT = (
    f"SELECT d.key, s.digest, {DOCUMENT} FROM documents d LEFT JOIN document_seals s ON s.document = d.key"
)
SEALED_PASSAGE = (
    f"SELECT p.key, s.digest, {PASSAGE} FROM passages p JOIN documents d ON d.key = p.document "
    "LEFT JOIN passage_seals s ON s.passage = p.key"
)
_COUNTS = (
    "SELECT name, passages, documents, fingerprint FROM enclaves ORDER BY name",
    "SELECT enclave, encoder, count FROM vector_counts ORDER BY enclave, encoder",
    "SELECT enclave, count, fingerprint FROM pair_counts ORDER BY enclave",
    "SELECT enclave FROM sealed WHERE enclave != '' ORDER BY enclave",
)
CHECK = 4
"""Bytes behind a vector that are worked out from it and the key of its passage."""
_AT_ONCE = 500


def seal(key: int, fields: Sequence[object]) -> bytes:
    """128 bits of a row."""
    texts = [str(one) for one in (key, *fields)]
    return blake2b(
        "".join(f"{len(one)}:{one}" for one in texts).encode(errors="surrogatepass"), digest_size=16
    ).digest()


def name_seal(key: int, id: str) -> int:
    """32 bits that hold together the key of a passage and its id, which are read without the rest."""
    return crc32(str(id).encode(errors="surrogatepass"), key & 0xFFFFFFFF)


def with_check(data: bytes, key: int) -> bytes:
    """The bytes of vectors as they are stored."""
    return data + crc32(data, key & 0xFFFFFFFF).to_bytes(CHECK, "little")


def without_check(stored: bytes, key: int, unit: int) -> bytes | None:
    """Vectors of so many bytes each as they were before; None when they are not what they were.

    Of one unit too few nobody can tell.
    """
    if not isinstance(stored, bytes) or len(stored) % unit == 0:
        return stored if isinstance(stored, bytes) else None
    data = stored[:-CHECK]
    return data if with_check(data, key) == stored else None


def damaged(path: Path, what: str) -> WorkspaceError:
    """The error for what is not as it was stored. `what` names numbers and enclaves, never a text."""
    return WorkspaceError(
        f"the store {path} was damaged or edited: {what} not as stored",
        hint="answerable doctor says what; delete it and index its file again, or restore the store from a copy",
    )


def check_counts(run: Run, path: Path) -> None:
    """Raise `WorkspaceError` when the counts are not as they were.

    `run` is to see one state of all tables, whoever writes meanwhile.
    """
    kept = run("SELECT digest FROM sealed WHERE enclave = ''").fetchone()
    if kept and kept[0] != _counts(run):
        raise damaged(path, "its counts are")


def seal_counts(run: Run) -> None:
    """Keep the digest of the counts as they are now: the last thing that a transaction does."""
    run(
        "INSERT INTO sealed VALUES ('', ?) ON CONFLICT (enclave) DO UPDATE SET digest = excluded.digest",
        (_counts(run),),
    )


def seal_enclave(run: Run, enclave: str) -> None:
    """Write down that everything in an enclave has a seal; done once for each."""
    if not run("SELECT 1 FROM sealed WHERE enclave = ?", (enclave,)).fetchone():
        run("INSERT INTO sealed VALUES (?, ?)", (enclave, b""))


def root_of(digests: Iterable[bytes]) -> str:
    """SHA-256 over the seals of an enclave's documents, in the order of ids."""
    return sha256(b"".join(digests)).hexdigest()


def _counts(run: Run) -> bytes:
    return blake2b(repr([run(sql).fetchall() for sql in _COUNTS]).encode(), digest_size=16).digest()
