"""Changes to a store, all or none of them: the only code that writes to its tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.fields import row_of
from answerable.corpora.pair_tables import Connection, PairWriting
from answerable.corpora.seals import SEALED_PASSAGE, name_seal, seal, seal_counts, seal_enclave, with_check
from answerable.corpora.units import codes, packed
from answerable.errors import FormatError, UsageError
from answerable.types import Document, Passage

_LONG = 16_384
"""Characters of a document up to which its passages are cut out of it when read; those of longer ones are kept apart,
because SQLite counts characters from the start."""
_ENTITY = "/entity"
_MODULUS = 2**128


Outcome = Literal["added", "kept", "replaced", "taken"]
"""What became of a document: new, as it was, in place of another text, or refused because its id is another's."""


@dataclass(frozen=True, slots=True)
class FileState:
    """How far a source is: `stamp` (size and time) and `digest` say which content, `records` where to go on reading.

    `edition` counts the contents it has had, from 1. `problem` is why the rest was given up, or None. `place` is the
    file it was last read from.
    """

    stamp: str
    digest: str
    edition: int = 1
    records: int = 0
    complete: bool = False
    problem: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class KeptBook:
    """What walks a document: (n, d) float16 of its sentences, (p, d) of paragraphs, and a digest of it all."""

    digest: bytes
    sentences: NDArray[np.float16]
    wholes: NDArray[np.float16]


def passage_hash(id: str, title: str, section: str, text: str) -> int:
    """128 bits of a passage. A fingerprint is the sum over an enclave's passages, modulo 2^128.

    A sum forgets the order, so that the same passages have the same fingerprint however they came (Bellare and
    Micciancio 1997, AdHash). It guards against accidents, not against forgers.
    """
    content = f"{id}\0{title}\0{section}\0{text}".encode()
    return int.from_bytes(blake2b(content, digest_size=16).digest(), "little")


def entity_side(encoder: str) -> str:
    """The name under which an encoder's vectors of pages are kept, those that mentions find, beside its others."""
    return f"{encoder}{_ENTITY}"


def encoder_of(made_by: str) -> str:
    """The encoder that made vectors, whichever of its two sides they are kept under."""
    return made_by.removesuffix(_ENTITY)


def other_side(made_by: str) -> str:
    """The name of an encoder's other side."""
    encoder = encoder_of(made_by)
    return entity_side(encoder) if made_by == encoder else encoder


class Transaction(PairWriting):
    """Handed out by `Store.write()`. Keeps the counts and the fingerprint of each enclave in step."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._documents: Counter[str] = Counter()
        self._passages: Counter[str] = Counter()
        self._sums: dict[str, int] = {}
        self._vectors: Counter[tuple[str, str]] = Counter()
        self._torn: set[str] = set()  # enclaves that lost what was not as it was stored: their sums are of that
        self.sealed: set[str] = set()
        """Enclaves that are known to have seals."""

    def seal(self, enclave: str) -> None:
        """Write down that everything in an enclave has a seal."""
        if enclave not in self.sealed:
            seal_enclave(self._run, enclave)
            self.sealed.add(enclave)

    def put(self, document: Document, passages: Sequence[Passage], edition: int = 1) -> Outcome:
        """Keep a document and its passages as part of an edition of its source.

        A document that is there already with the same text and passages stays, with its vectors; another text under
        its id is replaced. An id that belongs to another source, or came before in this edition, is taken.
        Raises `UsageError` when a passage is not the text it points at, `FormatError` on text that is no Unicode.
        """
        sections = json.dumps([[s.title, s.depth, s.start, s.end] for s in document.sections], ensure_ascii=False)
        meta = json.dumps(dict(document.meta), ensure_ascii=False, default=str)
        digest = _digest(document, passages, sections)
        self.seal(document.enclave)
        found = self._found(document.enclave, document.id)
        if found:
            key, source, before, last_edition = found
            if source != document.source or last_edition >= edition:
                return "taken"
            if before == digest:
                self._keep(document.enclave, document.id, key, edition)
                return "kept"
            self.remove(document.enclave, [document.id])
        fields = (
            document.id,
            document.enclave,
            document.title,
            document.text,
            document.source,
            document.kind,
            sections,
            meta,
        )
        (key,) = self._new_keys("documents", 1)
        numbered = [*zip(self._new_keys("passages", len(passages)), passages, strict=True)]
        self._write(document, key, fields, digest, edition, numbered)
        self._stored(document, numbered)
        self._documents[document.enclave] += 1
        self._passages[document.enclave] += len(passages)
        self._add_to_sum(document.enclave, sum(passage_hash(p.id, document.title, p.section, p.text) for p in passages))
        return "replaced" if found else "added"

    def retire(self, enclave: str, source: str, edition: int | None = None) -> int:
        """Remove the documents of a source that its edition no longer has (None: all). How many there were."""
        return self.remove(enclave, self._former(enclave, source, edition))

    def remove(self, enclave: str, ids: Sequence[str]) -> int:
        """Remove documents by id with their passages, vectors and pairs; how many there were. A purge is then due."""
        removed = 0
        for id in ids:
            found = self._run("SELECT key FROM documents WHERE enclave = ? AND id = ?", (enclave, id)).fetchone()
            if found is None:
                continue
            (key,) = found
            passages = self._run(f"{SEALED_PASSAGE} WHERE p.document = ?", (key,)).fetchall()
            if any(row[1] is not None and row[1] != seal(row[0], row[2:]) for row in passages):
                self._torn.add(enclave)
            keys = [row[0] for row in passages]
            self._drop_vectors(enclave, keys)
            self._drop_pairs_of(enclave, id, keys)
            self._dropped(keys)
            self._run("DELETE FROM document_seals WHERE document = ?", (key,))
            self._many("DELETE FROM passage_seals WHERE passage = ?", [row[:1] for row in passages])
            self._run("DELETE FROM passages WHERE document = ?", (key,))
            self._run("DELETE FROM editions WHERE document = ?", (key,))
            self._run("DELETE FROM books WHERE document = ?", (key,))
            self._run("DELETE FROM fields WHERE enclave = ? AND document = ?", (enclave, key))
            self._run("DELETE FROM documents WHERE key = ?", (key,))
            self._documents[enclave] -= 1
            self._passages[enclave] -= len(passages)
            self._add_to_sum(enclave, -sum_of(passages))
            removed += 1
        if removed:
            self._make_purge_due(enclave)
        return removed

    def put_days(self, enclave: str, days: Mapping[str, str]) -> None:
        """Keep for files, by source, the day their text is of, for documents of which none is known."""
        self._many(
            "UPDATE fields SET day = ?3 WHERE enclave = ?1 AND day = '' AND document IN "
            "(SELECT key FROM documents WHERE enclave = ?1 AND source = ?2)",
            [(enclave, source, day) for source, day in days.items()],
        )

    def put_vectors(self, enclave: str, encoder: str, keys: Sequence[int], vectors: NDArray[np.floating]) -> None:
        """Keep (n, d) unit vectors, a byte a number (`units`), for the passages with these keys.

        In place of all that another encoder made; those of this encoder's other side (`entity_side`) stay.
        """
        self.seal(enclave)
        self._drop_vectors(enclave, keys, keep=other_side(encoder))
        rows = zip(keys, codes(vectors), strict=True)
        kept = [(key, encoder, packed(one.tobytes(), key)) for key, one in rows]
        self._many("INSERT INTO vectors VALUES (?, ?, ?)", kept)
        self._vectors[enclave, encoder] += len(keys)

    def put_book(self, enclave: str, id: str, navigator: str, kept: KeptBook) -> bool:
        """Keep what walks a document, in place of all that was kept for it; False when there is no such document."""
        found = self._run("SELECT key FROM documents WHERE enclave = ? AND id = ?", (enclave, id)).fetchone()
        if found is None:
            return False
        self._run("DELETE FROM books WHERE document = ?", found)
        halves = (np.ascontiguousarray(one, np.float16).tobytes() for one in (kept.sentences, kept.wholes))
        arrays = [with_check(one, found[0]) for one in halves]
        self._run("INSERT INTO books VALUES (?, ?, ?, ?, ?)", (*found, navigator, kept.digest, *arrays))
        return True

    def put_file(self, enclave: str, source: str, state: FileState) -> None:
        """Write down how far a source is."""
        self._run(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (enclave, source) DO UPDATE SET "
            "stamp = excluded.stamp, digest = excluded.digest, edition = excluded.edition, records = excluded.records, "
            "complete = excluded.complete, problem = excluded.problem, place = excluded.place",
            (
                enclave,
                source,
                state.stamp,
                state.digest,
                state.edition,
                state.records,
                int(state.complete),
                state.problem,
                state.place,
            ),
        )

    def forget_file(self, enclave: str, source: str) -> None:
        """Forget a source, so that it is read again the next time it is met."""
        self._run("DELETE FROM files WHERE enclave = ? AND source = ?", (enclave, source))

    def settle(self) -> None:
        """Write the counts and fingerprints; the store calls this before it commits."""
        self._settle_pairs()
        for enclave in sorted(self._documents.keys() | self._sums.keys()):
            self._run("INSERT INTO enclaves VALUES (?, 0, 0, ?) ON CONFLICT DO NOTHING", (enclave, f"{0:032x}"))
            (before,) = self._run("SELECT fingerprint FROM enclaves WHERE name = ?", (enclave,)).fetchone()
            total = (int(before, 16) + self._sums.get(enclave, 0)) % _MODULUS
            if enclave in self._torn:
                total = sum_of(self._run(f"{SEALED_PASSAGE} WHERE p.enclave = ?", (enclave,))) % _MODULUS
            self._run(
                "UPDATE enclaves SET passages = passages + ?, documents = documents + ?, fingerprint = ? "
                "WHERE name = ?",
                (self._passages[enclave], self._documents[enclave], f"{total:032x}", enclave),
            )
        for (enclave, encoder), count in self._vectors.items():
            self._run(
                "INSERT INTO vector_counts VALUES (?1, ?2, ?3) "
                "ON CONFLICT (enclave, encoder) DO UPDATE SET count = vector_counts.count + ?3",
                (enclave, encoder, count),
            )
        seal_counts(self._run)

    def foresee(self, enclave: str, ids: Sequence[str]) -> None:
        """Documents of these ids are about to be put: for a database where each question costs time."""

    def _found(self, enclave: str, id: str) -> tuple[int, str, bytes, int] | None:
        """The key, source, digest and edition of a document that is there."""
        sql = (
            "SELECT d.key, d.source, e.digest, e.edition FROM documents d JOIN editions e ON e.document = d.key "
            "WHERE d.enclave = ? AND d.id = ?"
        )
        found: tuple[int, str, bytes, int] | None = self._run(sql, (enclave, id)).fetchone()
        return found

    def _former(self, enclave: str, source: str, edition: int | None) -> list[str]:
        """Documents of a source that are of an earlier edition, or of any."""
        rows = self._run(
            "SELECT d.id FROM documents d JOIN editions e ON e.document = d.key "
            "WHERE d.enclave = ?1 AND d.source = ?2 AND e.edition < COALESCE(?3, e.edition + 1)",
            (enclave, source, edition),
        )
        return [id for (id,) in rows.fetchall()]

    def _keep(self, enclave: str, id: str, key: int, edition: int) -> None:
        self._run("UPDATE editions SET edition = ? WHERE document = ?", (edition, key))

    def _write(
        self,
        document: Document,
        key: int,
        fields: Sequence[str],
        digest: bytes,
        edition: int,
        passages: Sequence[tuple[int, Passage]],
    ) -> None:
        """Put a document and its passages into the tables, under their keys. `fields`: as `seals.DOCUMENT`."""
        self._insert("documents (key, id, enclave, title, text, source, kind, sections, meta)", [(key, *fields)])
        self._insert("document_seals (document, digest)", [(key, seal(key, fields))])
        known = (document.enclave, key, *row_of(document.kind, document.meta))
        self._insert("fields (enclave, document, kind, sender, recipients, day)", [known])
        self._insert("editions (document, digest, edition)", [(key, digest, edition)])
        # SQLite's substr stops at a null character.
        apart = len(document.text) > _LONG or "\0" in document.text
        self._insert(
            "passages (key, enclave, id, document, start, stop, section, text)",
            [
                (one, document.enclave, p.id, key, p.start, p.end, p.section, p.text if apart else None)
                for one, p in passages
            ],
        )
        self._insert(
            "passage_seals (passage, name, digest)",
            [(one, name_seal(one, p.id), seal(one, sealed_fields(document, p))) for one, p in passages],
        )

    def _insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Put rows into a table, which is named with its columns."""
        places = table.count(",") + 1
        self._many(f"INSERT INTO {table} VALUES ({','.join('?' * places)})", rows)

    def _new_keys(self, table: str, count: int) -> Sequence[int]:
        """Keys for so many rows, above all that the table ever had."""
        last = self._run("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        first = last[0] + 1 if last else 1
        return range(first, first + count)

    def _stored(self, document: Document, passages: Sequence[tuple[int, Passage]]) -> None:
        """Passages with their keys were put into the store: for one that indexes them itself."""

    def _dropped(self, keys: Sequence[int]) -> None:
        """Passages with these keys are about to be removed."""

    def _drop_vectors(self, enclave: str, keys: Sequence[int], keep: str = "") -> None:
        for key in keys:
            for (encoder,) in self._run("SELECT encoder FROM vectors WHERE key = ?", (key,)).fetchall():
                if encoder != keep:
                    self._run("DELETE FROM vectors WHERE key = ? AND encoder = ?", (key, encoder))
                    self._vectors[enclave, encoder] -= 1

    def _add_to_sum(self, enclave: str, change: int) -> None:
        self._sums[enclave] = (self._sums.get(enclave, 0) + change) % _MODULUS


def sealed_fields(document: Document, p: Passage) -> tuple[object, ...]:
    """As `seals.PASSAGE`."""
    return p.id, document.id, p.enclave, document.title, p.text, p.start, p.end, p.section


def sum_of(passages: Iterable[Sequence[Any]]) -> int:
    """Of the hashes of passages, as `SEALED_PASSAGE` gives them."""
    return sum(passage_hash(row[2], row[5], row[9], row[6]) for row in passages)


def _digest(document: Document, passages: Sequence[Passage], sections: str) -> bytes:
    """128 bits of a document, its place in its file left out; checks its text on the way."""
    for passage in passages:
        if document.text[passage.start : passage.end] != passage.text:
            raise UsageError(f"passage {passage.id!r} is not the text of its document at its offsets")
    meta = json.dumps({name: value for name, value in document.meta.items() if name != "record"}, default=str)
    spans = "".join(f"{p.id}\0{p.section}\0" for p in passages)
    parts = (document.title, document.kind, sections, meta, spans, document.text)
    try:
        document.id.encode()
        return blake2b("\0".join(parts).encode(), digest_size=16).digest()
    except UnicodeEncodeError as error:
        raise FormatError(f"{document.id!a} holds characters that are no Unicode text") from error
