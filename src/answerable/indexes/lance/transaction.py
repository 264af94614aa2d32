"""Changes to an enclave in LanceDB, gathered and committed at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from answerable.corpora.fields import row_of
from answerable.corpora.seals import name_seal, seal, with_check
from answerable.corpora.transaction import FileState, KeptBook, Transaction, other_side, passage_hash, sealed_fields
from answerable.indexes.lance.tables import TEXT_SCHEMA, TEXTS, VECTORS, Row, Tables, among, literal, vector_schema
from answerable.languages import language
from answerable.types import Document, Passage

_KEYS = 1024
"""Keys that are taken at once; those that are left over are never used."""
_COUNTER = "k:"
HEAD = ("id", "key", "source", "edition", "digest", "part_of", "what")
"""What is known of a document without its text, but for its title and what filters go by."""
ALL_FIELDS = dict.fromkeys(TEXT_SCHEMA.names)


def vectors_by(made_by: str) -> str:
    """The name of the table of vectors under a name."""
    return VECTORS + made_by.encode().hex()


def made_by(table: str) -> str:
    """The name under which the vectors of a table are kept."""
    return bytes.fromhex(table.removeprefix(VECTORS)).decode()


class LanceTransaction(Transaction):
    """Changes to one enclave. Texts are committed in one piece; vectors, which can be made again, beside them."""

    def __init__(self, tables: Tables, enclave: str) -> None:
        super().__init__(_Nothing())
        self._tables, self._enclave = tables, enclave
        self._rows: dict[str, Row] = {}
        self._heads: dict[str, Row | None] = {}
        self._gone: set[str] = set()
        self._written: set[str] = set()
        self._unread: set[str] = set()
        self._lost: list[int] = []
        self._made: list[tuple[str, list[int], NDArray[np.float16]]] = []
        self._keys: list[int] = []

    def seal(self, enclave: str) -> None:
        """Everything has a seal as it comes."""
        self.sealed.add(enclave)

    def foresee(self, enclave: str, ids: Sequence[str]) -> None:
        """As `Transaction.foresee`."""
        known = [id for id in dict.fromkeys(ids) if id not in self._heads and id == id.encode(errors="ignore").decode()]
        names = [f"{kind}:{id}" for id in known for kind in "he"]
        self._heads |= dict.fromkeys(known) | heads_of(self._tables.for_each(TEXTS, "row", names, "TRUE", HEAD))

    def _found(self, enclave: str, id: str) -> tuple[int, str, bytes, int] | None:
        self.foresee(enclave, [id])
        head = self._heads.get(id)
        return (head["key"], head["source"], head["digest"], head["edition"]) if head else None

    def _keep(self, enclave: str, id: str, key: int, edition: int) -> None:
        head = self._heads[id]
        assert head is not None
        self._heads[id] = head | {"edition": edition}
        self._add(f"e:{id}", part_of=id, what="edition", source=head["source"], edition=edition)

    def _add(self, row: str, **values: Any) -> None:
        self._rows[row] = ALL_FIELDS | {"row": row} | values

    def _new_keys(self, table: str, count: int) -> Sequence[int]:
        while len(self._keys) < count:
            (last,) = self._tables.rows(TEXTS, f"row = {literal(_COUNTER)}", ["key"]) or [{"key": None}]
            if last["key"] is None:
                self._tables.put(TEXTS, TEXT_SCHEMA, [ALL_FIELDS | {"row": _COUNTER, "what": "keys", "key": 0}])
                continue
            upto = last["key"] + max(_KEYS, count)
            if self._tables.advance(TEXTS, _COUNTER, last["key"], upto):
                self._keys = [*range(last["key"] + 1, upto + 1)]  # in one piece: they are in order within a document
        taken, self._keys = self._keys[:count], self._keys[count:]
        return taken

    def _write(
        self,
        document: Document,
        key: int,
        fields: Sequence[str],
        digest: bytes,
        edition: int,
        passages: Sequence[tuple[int, Passage]],
    ) -> None:
        id, _, title, text, source, kind, sections, meta = fields
        total = sum(passage_hash(p.id, title, p.section, p.text) for _, p in passages) % 2**128
        self._written.add(id)
        own = {"part_of": id, "key": key, "source": source, "title": title}
        known, blob = json.dumps(row_of(document.kind, document.meta)), total.to_bytes(16, "little")
        head = {"id": id, "data": known, "edition": edition, "digest": digest, "blob": blob, "start": len(passages)}
        self._add(f"h:{id}", what="head", **own, **head)
        self._heads[id] = self._rows[f"h:{id}"]
        parts = json.dumps([kind, sections, meta])
        self._add(f"d:{id}", what="text", id=id, text=text, data=parts, digest=seal(key, fields), **own)
        for number, p in passages:
            where = {"section": p.section, "start": p.start, "stop": p.end, "name": name_seal(number, p.id)}
            what = {"id": p.id, "title": title, "text": p.text, "digest": seal(number, sealed_fields(document, p))}
            self._add(f"p:{p.id}", part_of=id, what="passage", key=number, document=key, **what, **where)

    def _former(self, enclave: str, source: str, edition: int | None) -> list[str]:
        where = f"what IN ('head', 'edition') AND source = {literal(source)}"
        now = {**heads_of(self._tables.rows(TEXTS, where, HEAD)), **self._heads}
        of = (row for row in now.values() if row and row["source"] == source)
        return [row["id"] for row in of if edition is None or row["edition"] < edition]

    def remove(self, enclave: str, ids: Sequence[str]) -> int:
        """As `Transaction.remove`."""
        self.foresee(enclave, ids)
        there = [id for id in dict.fromkeys(ids) if self._heads.get(id)]
        self._rows = {name: row for name, row in self._rows.items() if row["part_of"] not in {*there}}
        self._heads |= dict.fromkeys(there)
        old = [id for id in there if id not in self._gone]
        columns = ["key", "title", "section", "text"]
        for row in self._tables.for_each(TEXTS, "part_of", old, "what = 'passage'", columns):
            self._lost.append(row["key"])
            self._add(f"x:{row['key']}", what="gone", key=row["key"], data=json.dumps(words_of(row)))
        self._gone |= {*old}
        if there:
            self._add("u:", what="due")
        return len(there)

    def put_days(self, enclave: str, days: Mapping[str, str]) -> None:
        """As `Transaction.put_days`."""
        stored = self._tables.for_each(TEXTS, "source", [*days], "what = 'head'", HEAD)
        for head in (heads_of(stored) | self._heads).values():
            if head and head["source"] in days:
                self._add(f"y:{head['id']}", part_of=head["id"], what="day", data=days[head["source"]])

    def put_vectors(self, enclave: str, encoder: str, keys: Sequence[int], vectors: NDArray[np.floating]) -> None:
        """As `Transaction.put_vectors`."""
        self._made.append((encoder, [*keys], np.ascontiguousarray(vectors, np.float16)))

    def put_book(self, enclave: str, id: str, navigator: str, kept: KeptBook) -> bool:
        """As `Transaction.put_book`."""
        found = self._found(enclave, id)
        if found is None:
            return False
        halves = (np.ascontiguousarray(one, np.float16).tobytes() for one in (kept.sentences, kept.wholes))
        first, second = (with_check(one, found[0]) for one in halves)
        both = {"digest": kept.digest, "blob": first + second, "start": len(first)}
        self._add(f"b:{id}", part_of=id, what="book", key=found[0], title=navigator, **both)
        return True

    def put_file(self, enclave: str, source: str, state: FileState) -> None:
        """As `Transaction.put_file`."""
        self._unread.discard(f"f:{source}")
        self._add(f"f:{source}", what="file", source=source, data=json.dumps(asdict(state)))

    def forget_file(self, enclave: str, source: str) -> None:
        """As `Transaction.forget_file`."""
        self._rows.pop(f"f:{source}", None)
        self._unread.add(f"f:{source}")

    def settle(self) -> None:
        """Commit: the vectors of what is gone go first, and those that are new come last."""
        if self._lost:
            self._drop_made(self._lost, [])
        # What is written of a document takes the place of all that is there of it, also of what another has just put.
        whole = sorted(self._gone | self._written)
        instead = [among("part_of", whole)] if whole else []
        instead += [among("row", sorted(self._unread))] if self._unread else []
        if self._rows or instead:
            self._tables.put(TEXTS, TEXT_SCHEMA, [*self._rows.values()], " OR ".join(instead) or None)
        for encoder, keys, matrix in self._made:
            there = {row["key"] for row in self._tables.for_each(TEXTS, "key", keys, "what = 'passage'", ["key"])}
            kept = np.array([key in there for key in keys], bool)
            numbers, rows = np.array(keys, np.int64)[kept], matrix[kept]
            self._drop_made(keys, [encoder, other_side(encoder)])
            self._tables.put(vectors_by(encoder), vector_schema(matrix.shape[1]), _vector_rows(numbers, rows))

    def _drop_made(self, keys: Sequence[int], keep: Sequence[str]) -> None:
        """Remove the vectors of passages, but for those under some names."""
        for name in self._tables.names():
            if name.startswith(VECTORS) and made_by(name) not in keep:
                self._tables.delete(name, among("key", keys))

    def remove_all_pairs(self, enclave: str) -> int:
        """There are none."""
        return 0


def heads_of(rows: Iterable[Row]) -> dict[str, Row]:
    """Documents by id, each with the last edition that it was met in."""
    rows = [*rows]
    met = {row["part_of"]: row["edition"] for row in rows if row["what"] == "edition"}
    heads = (row for row in rows if row["what"] == "head")
    return {row["id"]: row | {"edition": max(row["edition"], met.get(row["id"], 0))} for row in heads}


def words_of(row: Row) -> list[str]:
    """The words of a passage as they are indexed, in order."""
    from answerable.indexes.terms import tokens

    own, section = language(row["text"]), row["section"]
    heading = f"{row['title']} {section}" if section else row["title"]
    return [*tokens(heading, own), *tokens(row["text"], own)]


def _vector_rows(keys: NDArray[np.int64], rows: NDArray[np.float16]) -> pa.Table:
    checks = [crc32(row.tobytes(), key & 0xFFFFFFFF) for key, row in zip(keys.tolist(), rows, strict=True)]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rows.shape[1])
    return pa.table(
        {"row": list(map(str, keys.tolist())), "key": keys, "check": checks, "vector": flat},
        schema=vector_schema(rows.shape[1]),
    )


class _Nothing:
    """In place of a connection: no statement is ever run."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Never called."""
        raise NotImplementedError

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Never called."""
        raise NotImplementedError
