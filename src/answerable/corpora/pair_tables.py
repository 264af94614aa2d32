"""Question-answer pairs in the store: their tables, how they are written, and how they are read.

A pair that was generated belongs to its passage. One that was imported belongs to its source, and to the passage that
has its answer; if none has, to every document it names. It goes with any of them in the same transaction, and with the
whole enclave in any case.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Protocol

from answerable.corpora.database import AT_ONCE, Statements
from answerable.corpora.seals import Rows
from answerable.errors import FormatError, UsageError
from answerable.types import QAPair

_NOTHING = f"{0:032x}"
_FIELDS = "r.id, r.question, r.answers, COALESCE(p.id, ''), r.enclave, r.score, r.start, r.stop"
_PAIR = f"SELECT r.key, {_FIELDS} FROM pairs r LEFT JOIN passages p ON p.key = r.passage"


def pair_hash(pair: QAPair) -> int:
    """128 bits of a pair. The sum over an enclave's pairs, modulo 2^128, is their fingerprint, as for passages.

    Raises `FormatError` for text that is no Unicode.
    """
    parts = (pair.id, pair.question, _as_json(pair.answers), pair.passage_id, repr(float(pair.score)))
    content = "\0".join((*parts, str(pair.start), str(pair.end)))
    try:
        return int.from_bytes(blake2b(content.encode(), digest_size=16).digest(), "little")
    except UnicodeEncodeError as error:
        raise FormatError(f"the pair {pair.id!a} holds characters that are no Unicode text") from error


class Connection(Protocol):
    """To a database, within a transaction. Values stand in the place of question marks, `?1` for the first."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Rows:
        """Run a statement."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run one for each row of values."""
        ...


class PairWriting:
    """The part of a transaction that writes pairs, and keeps their counts and fingerprints in step."""

    def __init__(self, connection: Connection) -> None:
        self._run = connection.execute
        self._many = connection.executemany
        self._pairs: Counter[str] = Counter()
        self._pair_sums: Counter[str] = Counter()
        self._doomed: set[int] = set()  # origins that may have lost their last pair

    def put_pairs(self, enclave: str, passage_id: str, made_by: str, pairs: Sequence[QAPair]) -> bool:
        """Keep the pairs that `made_by` generated from a passage, in place of all that were generated from it before.

        The passage is then worked on by `made_by`, even if there are none. Imported pairs stay. False when there is no
        such passage. Raises `UsageError` for a pair of another passage, that is not whole, or whose id is taken.
        """
        found = self._run("SELECT key FROM passages WHERE enclave = ? AND id = ?", (enclave, passage_id)).fetchone()
        if found is None:
            return False
        for pair in pairs:
            if pair.passage_id != passage_id:
                raise UsageError(f"the pair {pair.id!r} is not of the passage {passage_id!r}")
        generated = "r.passage = ? AND r.origin IN (SELECT key FROM pair_origins WHERE imported = 0)"
        if self._drop(enclave, generated, found):
            self._make_purge_due(enclave)
        origin = self._origin(enclave, made_by, imported=False)
        self._put(enclave, origin, ((found[0], pair) for pair in pairs))
        before = self._run("SELECT origin FROM paired WHERE passage = ?", found).fetchone()
        self._doomed.update(before or ())
        self._run(
            "INSERT INTO paired VALUES (?, ?) ON CONFLICT (passage) DO UPDATE SET origin = excluded.origin",
            (*found, origin),
        )
        return True

    def put_imported(
        self, enclave: str, source: str, pairs: Iterable[QAPair], owners: Mapping[str, Iterable[str]] | None = None
    ) -> int:
        """Keep pairs that came from elsewhere, under the name of their source, beside those it had; how many were new.

        `owners`: by the id of a pair, the documents whose deletion takes it along, here or not yet.
        Raises `UsageError` for a pair whose passage is not here, that is not whole, or whose id is taken.
        """
        origin = self._origin(enclave, source, imported=True)
        count = self._put(enclave, origin, ((self._passage_key(enclave, pair), pair) for pair in pairs))
        for id, documents in (owners or {}).items():
            self._many(
                "INSERT INTO pair_owners SELECT enclave, ?, key FROM pairs WHERE enclave = ? AND id = ? "
                "ON CONFLICT DO NOTHING",
                [(document, enclave, id) for document in documents],
            )
        return count

    def remove_pairs(self, enclave: str, source: str) -> int:
        """Remove the pairs that were imported from a source; how many there were. A purge is then due."""
        found = self._run(
            "SELECT key FROM pair_origins WHERE enclave = ? AND imported = 1 AND name = ?", (enclave, source)
        ).fetchone()
        if found is None:
            return 0
        removed = self._drop(enclave, "r.origin = ?", found)
        self._make_purge_due(enclave)
        return removed

    def remove_all_pairs(self, enclave: str) -> int:
        """Remove every pair of an enclave, wherever it is from; how many there were. A purge is then due."""
        removed = self._drop(enclave, "r.enclave = ?", (enclave,))
        self._make_purge_due(enclave)
        return removed

    def put_answers(self, enclave: str, id: str, answers: Sequence[str]) -> bool:
        """Give a pair other answers, its own one first; False when it is not there. A purge is due for lost ones."""
        found = self._run(f"{_PAIR} WHERE r.enclave = ? AND r.id = ?", (enclave, id)).fetchone()
        if found is None:
            return False
        pair = _pair(found[1:])
        self._pair_sums[enclave] += pair_hash(replace(pair, answers=tuple(answers))) - pair_hash(pair)
        self._run("UPDATE pairs SET answers = ? WHERE key = ?", (_as_json(answers), found[0]))
        if not {*pair.answers} <= {*answers}:
            self._make_purge_due(enclave)
        return True

    def _drop_pairs_of(self, enclave: str, document: str, passages: Iterable[int]) -> None:
        """Remove all pairs of a document and of its passages, given by key, and what is known of work on them."""
        owned = "r.key IN (SELECT pair FROM pair_owners WHERE enclave = ? AND document = ?)"
        self._drop(enclave, owned, (enclave, document))
        for key in passages:
            self._drop(enclave, "r.passage = ?", (key,))
            before = self._run("SELECT origin FROM paired WHERE passage = ?", (key,)).fetchone()
            self._doomed.update(before or ())
            self._run("DELETE FROM paired WHERE passage = ?", (key,))

    def _settle_pairs(self) -> None:
        """Write counts and fingerprints, and forget origins of which nothing is left."""
        for enclave in sorted(self._pairs.keys() | self._pair_sums.keys()):
            self._run("INSERT INTO pair_counts VALUES (?, 0, ?) ON CONFLICT DO NOTHING", (enclave, _NOTHING))
            (before,) = self._run("SELECT fingerprint FROM pair_counts WHERE enclave = ?", (enclave,)).fetchone()
            total = (int(before, 16) + self._pair_sums[enclave]) % 2**128
            self._run(
                "UPDATE pair_counts SET count = count + ?, fingerprint = ? WHERE enclave = ?",
                (self._pairs[enclave], f"{total:032x}", enclave),
            )
        for origin in sorted(self._doomed):
            self._run(
                "DELETE FROM pair_origins WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM pairs WHERE origin = ?1) "
                "AND NOT EXISTS (SELECT 1 FROM paired WHERE origin = ?1)",
                (origin,),
            )

    def _put(self, enclave: str, origin: int, pairs: Iterable[tuple[int | None, QAPair]]) -> int:
        count = 0
        for passage, pair in pairs:
            _check(enclave, pair)
            hashed = pair_hash(pair)
            values = (enclave, pair.id, origin, passage, pair.question, _as_json(pair.answers), float(pair.score))
            done = self._run(
                "INSERT INTO pairs (enclave, id, origin, passage, question, answers, score, start, stop) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*values, pair.start, pair.end),
            )
            if not done.rowcount:
                if self._is_there(enclave, origin, pair.id):
                    continue
                raise UsageError(f"enclave {enclave!r} has a pair {pair.id!r} already")
            self._pair_sums[enclave] += hashed
            count += 1
        self._pairs[enclave] += count
        return count

    def _is_there(self, enclave: str, origin: int, id: str) -> bool:
        """Whether an imported pair of this id came from the same source: ids are made of what is imported."""
        sql = (
            "SELECT 1 FROM pairs r JOIN pair_origins o ON o.key = r.origin "
            "WHERE r.enclave = ? AND r.id = ? AND o.key = ? AND o.imported = 1"
        )
        return self._run(sql, (enclave, id, origin)).fetchone() is not None

    def _drop(self, enclave: str, where: str, values: Sequence[int | str]) -> int:
        sql = f"{_PAIR.replace('r.key', 'r.key, r.origin', 1)} WHERE {where} LIMIT {AT_ONCE}"
        removed = 0
        while rows := self._run(sql, tuple(values)).fetchall():
            for key, origin, *fields in rows:
                self._pair_sums[enclave] -= pair_hash(_pair(tuple(fields)))
                self._doomed.add(origin)
                self._run("DELETE FROM pair_owners WHERE pair = ?", (key,))
                self._run("DELETE FROM pairs WHERE key = ?", (key,))
            removed += len(rows)
        self._pairs[enclave] -= removed
        return removed

    def _origin(self, enclave: str, name: str, imported: bool) -> int:
        if not name:
            raise UsageError("pairs need the name of what made them, or of where they are from")
        values = (enclave, int(imported), name)
        self._run("INSERT INTO pair_origins (enclave, imported, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values)
        found = self._run("SELECT key FROM pair_origins WHERE enclave = ? AND imported = ? AND name = ?", values)
        key = int(found.fetchone()[0])
        self._doomed.add(key)
        return key

    def _passage_key(self, enclave: str, pair: QAPair) -> int | None:
        if not pair.passage_id:
            return None
        found = self._run("SELECT key FROM passages WHERE enclave = ? AND id = ?", (enclave, pair.passage_id))
        key = found.fetchone()
        if key is None:
            raise UsageError(f"enclave {enclave!r} has no passage {pair.passage_id!r} for the pair {pair.id!r}")
        return int(key[0])

    def _make_purge_due(self, enclave: str) -> None:
        self._run("INSERT INTO unpurged VALUES (?) ON CONFLICT DO NOTHING", (enclave,))


class PairReading(Statements):
    """The part of a store that reads pairs."""

    def current(self, enclave: str) -> bool:
        """Whether an enclave is as its pairs know it: always where one transaction changes both."""
        return True

    def late(self) -> list[str]:
        """Enclaves with pairs that are not."""
        return []

    def follow(self, enclave: str) -> None:
        """Let go of pairs of what changed or is gone in an enclave; for the one writer."""

    def pairs(self, enclave: str, after: int = 0) -> Iterator[tuple[int, QAPair]]:
        """The pairs of an enclave with a key above `after`, in the order of keys, which grow with time."""
        sql = f"{_PAIR} WHERE r.enclave = ? AND r.key > ? ORDER BY r.key"
        for key, *fields in self._stream(sql, (enclave, after)):
            yield key, _pair(tuple(fields))

    def generated(self, enclave: str, several: bool = False) -> Iterator[QAPair]:
        """The pairs that were generated, in the order of keys; with `several` those that have more than one answer."""
        sql = (
            f"{_PAIR} JOIN pair_origins o ON o.key = r.origin WHERE r.enclave = ? AND o.imported = 0"
            f"{' AND json_array_length(r.answers) > 1' if several else ''} ORDER BY r.key"
        )
        for _, *fields in self._stream(sql, (enclave,)):
            yield _pair(tuple(fields))

    def pairs_by_key(self, keys: Sequence[int]) -> list[QAPair]:
        """The pairs of these keys, in that order; those that are gone are left out."""
        rows = self._in_parts(f"{_PAIR} WHERE r.key IN ({{}})", keys)
        found = {key: _pair(tuple(fields)) for key, *fields in rows}
        return [found[key] for key in keys if key in found]

    def pairs_of(self, enclave: str, document: str, most: int) -> list[QAPair]:
        """The pairs that belong to a document, the likeliest first: those of its passages, and those that name it."""
        sql = (
            f"{_PAIR} WHERE r.passage IN (SELECT q.key FROM passages q JOIN documents d ON d.key = q.document "
            "WHERE d.enclave = ?1 AND d.id = ?2) OR r.key IN (SELECT pair FROM pair_owners WHERE enclave = ?1 "
            "AND document = ?2) ORDER BY r.score DESC, r.key LIMIT ?3"
        )
        return [_pair(tuple(fields)) for _, *fields in self._all(sql, (enclave, document, most))]

    def pair_owners(self, key: int) -> list[str]:
        """The documents that the pair of this key belongs to, by id; none where it has a passage, or names none."""
        return [row[0] for row in self._all("SELECT document FROM pair_owners WHERE pair = ? ORDER BY 1", (key,))]

    def pair_count(self, enclave: str) -> int:
        """How many pairs an enclave has."""
        rows = self._all("SELECT count FROM pair_counts WHERE enclave = ?", (enclave,))
        return int(rows[0][0]) if rows else 0

    def pair_fingerprint(self, enclave: str) -> str:
        """Depends on an enclave's pairs alone, not on when or in what order they came."""
        rows = self._all("SELECT fingerprint FROM pair_counts WHERE enclave = ?", (enclave,))
        return str(rows[0][0]) if rows else _NOTHING

    def pair_numbers(self, enclave: str) -> Iterator[tuple[float, bool, int]]:
        """(probability, whether it has a passage, answers) of every pair of an enclave, in no order."""
        sql = "SELECT score, passage IS NOT NULL, json_array_length(answers) FROM pairs WHERE enclave = ?"
        for score, placed, answers in self._stream(sql, (enclave,)):
            yield score, bool(placed), answers

    def pair_enclaves(self) -> list[str]:
        """Enclaves that have pairs, by name."""
        return [row[0] for row in self._all("SELECT enclave FROM pair_counts WHERE count > 0 ORDER BY enclave")]

    def pair_origins(self, enclave: str) -> list[tuple[str, bool, int, int]]:
        """(name, whether imported, pairs, passages worked on) of whatever pairs of an enclave came from, by name."""
        rows = self._all(
            "SELECT o.name, o.imported, (SELECT count(*) FROM pairs r WHERE r.origin = o.key), "
            "(SELECT count(*) FROM paired w WHERE w.origin = o.key) FROM pair_origins o WHERE o.enclave = ? "
            "ORDER BY o.imported, o.name",
            (enclave,),
        )
        return [(name, bool(imported), count, worked) for name, imported, count, worked in rows]


def _pair(row: tuple[Any, ...]) -> QAPair:
    id, question, answers, passage, enclave, score, start, end = row
    return QAPair(id, question, tuple(json.loads(answers)), passage, enclave, score, start, end)


def _as_json(answers: Sequence[str]) -> str:
    return json.dumps(list(answers), ensure_ascii=False)


def _check(enclave: str, pair: QAPair) -> None:
    """Raise `UsageError` unless a pair is whole and this enclave's."""
    if pair.enclave != enclave:
        raise UsageError(f"the pair {pair.id!r} is of enclave {pair.enclave!r}, not of {enclave!r}")
    if not pair.id or not pair.question.strip() or not pair.answers or not all(one.strip() for one in pair.answers):
        raise UsageError(f"the pair {pair.id!r} lacks an id, a question or an answer")
    if not 0 <= pair.score <= 1:
        raise UsageError(f"the pair {pair.id!r} has a probability of {pair.score}, not from 0 to 1")
    if not (0 <= pair.start <= pair.end and (pair.passage_id or not pair.end)):
        raise UsageError(f"the pair {pair.id!r} has an answer at characters {pair.start} to {pair.end}")
