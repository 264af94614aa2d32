"""What a store knows of documents besides their text, and a look at all that it holds, which reading in the ordinary
way never takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from answerable.corpora.fields import FieldRow
from answerable.corpora.pair_tables import PairReading, pair_hash
from answerable.corpora.seals import SEALED_DOCUMENT, SEALED_PASSAGE, root_of, seal
from answerable.corpora.transaction import sum_of
from answerable.corpora.units import unpacked
from answerable.printing import counted

_MODULUS = 2**128
_NAMED = 5  # documents


class Audit(PairReading):
    """The part of a store that is asked for fields, and that is looked through whole."""

    def fields(self, enclave: str) -> list[FieldRow]:
        """Of every document what filters go by, in the order they came."""
        sql = (
            "SELECT d.id, f.kind, f.sender, f.recipients, f.day FROM fields f JOIN documents d ON d.key = f.document "
            "WHERE f.enclave = ? ORDER BY f.document"
        )
        return [tuple(row) for row in self._all(sql, (enclave,))]

    def passages_of(self, enclave: str, documents: Sequence[str]) -> list[str]:
        """Ids of the passages of these documents."""
        sql = "SELECT p.id FROM passages p JOIN documents d ON d.key = p.document WHERE d.enclave = ? AND d.id IN ({})"
        return [id for (id,) in self._in_parts(f"{sql} ORDER BY p.key", documents, (enclave,))]

    def undated(self, enclave: str) -> set[str]:
        """Sources of files with a document of which no day is known."""
        sql = (
            "SELECT DISTINCT d.source FROM fields f JOIN documents d ON d.key = f.document "
            "WHERE f.enclave = ? AND f.day = '' AND f.kind NOT IN ('mail', 'record')"
        )
        return {source for (source,) in self._all(sql, (enclave,))}

    def roots(self) -> dict[str, str]:
        """The root over the documents of each enclave of which everything has a seal (`seals.root_of`)."""
        sql = (
            "SELECT s.digest FROM documents d JOIN document_seals s ON s.document = d.key "
            "WHERE d.enclave = ? ORDER BY d.id"
        )
        names = self._all("SELECT enclave FROM sealed WHERE enclave != '' ORDER BY enclave")
        return {name: root_of(digest for (digest,) in self._stream(sql, (name,))) for (name,) in names}

    def faults(self, enclave: str, anchor: str | None = None) -> Iterator[str]:
        """What of an enclave is not as it was stored, in words that name documents by their ids, for who may read it.

        `anchor`: a root that was noted elsewhere, which its documents are to have. Of an enclave without seals nothing
        can be said.
        """
        if not self._sound():
            yield "the file of the store is damaged"
        wrong, digests = [], []
        for key, digest, *fields in self._documents_as_stored(enclave):
            digests.append(seal(key, fields))
            wrong += [] if digest == digests[-1] else [str(fields[0])]
        held = self._counted(enclave) or (0, 0, f"{0:032x}")  # where nothing was ever put in
        passages, total = 0, 0
        for row in self._passages_as_stored(enclave):
            passages, total = passages + 1, total + sum_of([row])
            wrong += [] if row[1] == seal(row[0], row[2:]) else [str(row[3])]
        if names := list(dict.fromkeys(wrong)):
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            yield f"not as stored: {', '.join(names[:_NAMED])}{more}"
        elif held != (len(digests), passages, f"{total % _MODULUS:032x}"):
            yield "documents or passages were taken out, put in or moved"
        elif anchor not in (None, root_of(digests)):
            yield "not the documents of the last line about it in the journal; index again if none was kept"
        spoilt = self._spoilt(enclave)
        if spoilt or self._vectors_missing(enclave):
            yield f"{counted(spoilt, 'vector is', 'vectors are')} not as stored, or some are missing"
        pairs = sum(pair_hash(pair) for _, pair in self.pairs(enclave)) % _MODULUS
        if f"{pairs:032x}" != self.pair_fingerprint(enclave):
            yield "its question-answer pairs are not as stored"

    def _documents_as_stored(self, enclave: str) -> Iterator[Sequence[Any]]:
        """Rows as `SEALED_DOCUMENT` has them, by id."""
        return self._stream(f"{SEALED_DOCUMENT} WHERE d.enclave = ? ORDER BY d.id", (enclave,))

    def _passages_as_stored(self, enclave: str) -> Iterator[Sequence[Any]]:
        """Rows as `SEALED_PASSAGE` has them."""
        return self._stream(f"{SEALED_PASSAGE} WHERE p.enclave = ?", (enclave,))

    def _counted(self, enclave: str) -> tuple[int, int, str] | None:
        """Documents, passages and fingerprint as they were counted."""
        rows = self._all("SELECT documents, passages, fingerprint FROM enclaves WHERE name = ?", (enclave,))
        return tuple(rows[0]) if rows else None

    def _vectors_missing(self, enclave: str) -> bool:
        """Whether there are not as many vectors as were counted."""
        counted = "SELECT COALESCE(sum(count), 0) FROM vector_counts WHERE enclave = ?"
        there = "SELECT count(*) FROM vectors v JOIN passages p ON p.key = v.key WHERE p.enclave = ?"
        return bool(self._all(counted, (enclave,)) != self._all(there, (enclave,)))

    def _sound(self) -> bool:
        """Whether the database finds no fault with its own file."""
        return bool(self._all("PRAGMA integrity_check(1)") == [("ok",)])

    def _spoilt(self, enclave: str) -> int:
        """How many vectors are not as stored."""
        sql = "SELECT v.key, v.vector FROM vectors v JOIN passages p ON p.key = v.key WHERE p.enclave = ?"
        rows = self._stream(sql, (enclave,))
        return sum(unpacked(one, key) is None for key, one in rows)
