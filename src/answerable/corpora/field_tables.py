"""What a store knows of documents besides their text, and which passages are of documents that fit."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.corpora.database import Statements
from answerable.corpora.fields import FieldRow


class FieldReading(Statements):
    """The part of a store that is asked for fields."""

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
