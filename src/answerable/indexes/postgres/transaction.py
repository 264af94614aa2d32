"""Changes to an enclave in PostgreSQL: few round trips for many documents, and words indexed as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from answerable.corpora.transaction import Transaction, other_side
from answerable.errors import FormatError
from answerable.indexes.postgres.database import NUL, Translated
from answerable.indexes.terms import analyzer, joined
from answerable.types import Document, Passage


class PostgresTransaction(Transaction):
    """Changes to one enclave, and to the index of its words."""

    def __init__(self, connection: Translated) -> None:
        super().__init__(connection)
        self._connection = connection.connection
        self._run, self._many = self._flushed(connection.execute), self._flushed(connection.executemany)
        self._rows: dict[str, list[Sequence[Any]]] = {}
        self._kept: dict[int, int] = {}
        self._last: dict[str, int] = {}
        self._foreseen: dict[str, Any] = {}
        self._new: dict[int, Counter[str]] = {}
        self._gone: list[int] = []

    def settle(self) -> None:
        """Write the words of passages that came and went, then as `Transaction.settle`."""
        self._forget_words()
        self._write_words()
        self._many("UPDATE last_keys SET key = ?2 WHERE name = ?1", self._last.items())
        super().settle()

    def put_vectors(self, enclave: str, encoder: str, keys: Sequence[int], vectors: NDArray[np.floating]) -> None:
        """As `Transaction.put_vectors`, for the passages that are still there."""
        self.seal(enclave)
        there = {key for (key,) in self._run("SELECT key FROM passages WHERE key = ANY(?)", ([*keys],))}
        rows = zip(keys, np.ascontiguousarray(vectors, np.float16), strict=True)
        kept = [(key, encoder, HalfVector(row)) for key, row in rows if key in there]
        self._drop_vectors(enclave, keys, other_side(encoder))
        self._many("INSERT INTO vectors VALUES (?, ?, ?)", kept)
        self._vectors[enclave, encoder] += len(kept)

    def _drop_vectors(self, enclave: str, keys: Sequence[int], keep: str = "") -> None:
        sql = "DELETE FROM vectors WHERE key = ANY(?) AND encoder != ? RETURNING encoder"
        self._vectors.subtract(Counter((enclave, encoder) for (encoder,) in self._run(sql, ([*keys], keep))))

    def remove_all_pairs(self, enclave: str) -> int:
        """There are none."""
        return 0

    def _drop_pairs_of(self, enclave: str, document: str, passages: Iterable[int]) -> None:
        """There are none."""

    def foresee(self, enclave: str, ids: Sequence[str]) -> None:
        """As `Transaction.foresee`."""
        sql = (
            "SELECT d.id, d.key, d.source, e.digest, e.edition FROM documents d JOIN editions e ON e.document = d.key "
            "WHERE d.enclave = ? AND d.id = ANY(?)"
        )
        ids = [id for id in ids if id == id.encode(errors="ignore").decode()]
        rows = {id: found for id, *found in self._run(sql, (enclave, ids))}
        self._foreseen = {id: rows.get(id) for id in ids}

    def _found(self, enclave: str, id: str) -> Any:
        # Once only: putting it changes what is there.
        return self._foreseen.pop(id) if id in self._foreseen else super()._found(enclave, id)

    def _keep(self, enclave: str, id: str, key: int, edition: int) -> None:
        self._kept[key] = edition

    def _insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        if any(isinstance(value, str) and NUL in value for row in rows for value in row):  # the document comes first
            raise FormatError("a document holds the last of all characters, which no text should")
        self._rows.setdefault(table, []).extend(rows)

    def _new_keys(self, table: str, count: int) -> Sequence[int]:
        if not self._last:
            self._last = dict(self._run("SELECT name, key FROM last_keys").fetchall())
        first = self._last[table] + 1
        self._last[table] += count
        return range(first, first + count)

    def _flushed(self, how: Callable[..., Any]) -> Callable[..., Any]:
        """The same, once rows that were put are written: whatever else is done may ask for them."""

        def run(*given: Any) -> Any:
            if self._rows or self._kept:
                self._flush()
            return how(*given)

        return run

    def _flush(self) -> None:
        written, self._rows = self._rows, {}
        kept, self._kept = self._kept, {}
        with self._connection.cursor() as cursor:
            for table, rows in written.items():
                with cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        if kept:
            sql = (
                "UPDATE editions e SET edition = n.edition FROM unnest(?::bigint[], ?::bigint[]) AS n (key, edition) "
                "WHERE e.document = n.key"
            )
            self._run(sql, ([*kept], [*kept.values()]))

    def _stored(self, document: Document, passages: Sequence[tuple[int, Passage]]) -> None:
        words = analyzer(stop=False).analyze
        for key, one in passages:
            heading = f"{document.title} {one.section}" if one.section else document.title
            self._new[key] = Counter(word for text in (heading, one.text) for word in words(text) + joined(text))

    def _dropped(self, keys: Sequence[int]) -> None:
        self._gone += [key for key in keys if self._new.pop(key, None) is None]

    def _forget_words(self) -> None:
        if not self._gone:
            return
        (length,) = self._run(
            "WITH lost AS (DELETE FROM passage_words WHERE key = ANY(?) RETURNING key, length, words), "
            "each AS (SELECT key, unnest(words) AS word FROM lost), "
            "cut AS (DELETE FROM postings p USING each e WHERE p.word = e.word AND p.key = e.key), "
            "fewer AS (UPDATE words w SET passages = w.passages - n.count "
            "FROM (SELECT word, count(*) FROM each GROUP BY word) n WHERE w.key = n.word) "
            "SELECT COALESCE(sum(length), 0)::bigint FROM lost",
            (self._gone,),
        ).fetchone()
        self._run("DELETE FROM words WHERE passages = 0")
        self._run("UPDATE word_totals SET words = words - ?", (length,))

    def _write_words(self) -> None:
        having = Counter(word for counts in self._new.values() for word in counts)
        if not having:
            return
        words = self._run(
            "INSERT INTO words AS w (word, passages) SELECT * FROM unnest(?::text[], ?::bigint[]) "
            "ON CONFLICT (word) DO UPDATE SET passages = w.passages + excluded.passages RETURNING word, key",
            ([*having], [*having.values()]),
        )
        numbers = dict(words.fetchall())
        lengths = {key: counts.total() for key, counts in self._new.items()}
        with self._connection.cursor() as cursor:
            with cursor.copy("COPY postings (word, key, length, count) FROM STDIN") as copy:
                for key, counts in self._new.items():
                    rows = (f"{numbers[word]}\t{key}\t{lengths[key]}\t{n}\n" for word, n in counts.items())
                    copy.write("".join(rows))
            with cursor.copy("COPY passage_words (key, length, words) FROM STDIN") as copy:
                for key, counts in self._new.items():
                    copy.write_row((key, lengths[key], [numbers[word] for word in counts]))
        self._run("UPDATE word_totals SET words = words + ?", (sum(lengths.values()),))
