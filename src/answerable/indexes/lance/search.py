"""The words and vectors of an enclave in LanceDB, as `indexes.enclave` searches them.

Postings lie in segments: for each word the passages that have it. LanceDB's own full-text search agrees less with the
index in files, whose words, statistics and lengths these are.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors
from answerable.indexes.index import Progress, Ranking, best
from answerable.indexes.lance.tables import TEXTS, WORD_SCHEMA, WORDS, Tables, among, explained, partitions
from answerable.indexes.lance.transaction import vectors_by, words_of
from answerable.indexes.postings import K1, B, Part, PostingWords
from answerable.indexes.vectors import CANDIDATES, checked, score_rows
from answerable.languages import ENGLISH, language

SEGMENT = 50_000
"""Passages of a segment; smaller ones are put together once there are a few."""
_FEW = 4
_PART = 4096
_PROBED = 0.1
"""The share of partitions that a search looks into."""
_CLOSE = 1e-4
"""More than two scores may differ by that are equal to five digits, as a share."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Indexed:
    """What is in the postings at one version: passages by key, in order, their lengths as tantivy keeps them."""

    keys: Numbers
    norms: NDArray[np.float64]
    length: int
    languages: tuple[str, ...]


class LanceWords(PostingWords):
    """BM25 over postings in a table."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._indexed: tuple[int, _Indexed] | None = None

    @contextmanager
    def seen(self) -> Iterator[_Postings]:
        """As `PostingWords.seen`."""
        yield _Postings(self._tables, self.indexed())

    def indexed(self) -> _Indexed:
        """What is in the postings."""
        version = self._tables.version(WORDS)
        if self._indexed is None or self._indexed[0] != version:
            rows = self._tables.rows(WORDS, "word = ''", ["keys", "counts", "languages"])
            keys, at = np.unique(_joined(rows, "keys"), return_index=True)
            lengths = _joined(rows, "counts")[at]
            norms = _NORMS[np.searchsorted(_NORMS, lengths, side="right") - 1].astype(np.float64)
            spoken = {ENGLISH}.union(*(json.loads(row["languages"]) for row in rows))
            self._indexed = version, _Indexed(keys, norms, int(lengths.sum()), tuple(sorted(spoken)))
        return self._indexed[1]

    def live(self) -> Numbers:
        """The keys of all passages that are stored, in order."""
        return np.sort(self._tables.read(TEXTS, "what = 'passage'", ["key"])["key"].to_numpy().astype(np.int64))

    def refresh(self, progress: Progress) -> None:
        """Bring the postings up to date with the texts."""
        self.forget()
        new = np.setdiff1d(self.live(), self.indexed().keys)
        for at in range(0, len(new), SEGMENT):
            self._add(new[at : at + SEGMENT], progress)
        segments = self._tables.rows(WORDS, "word = ''", ["segment", "keys"])
        small = [row["segment"] for row in segments if len(row["keys"]) < SEGMENT]
        if len(small) > _FEW:
            self._join(small)

    def forget(self) -> None:
        """Take passages that are gone out of the postings, and what was noted of their words."""
        lost = np.setdiff1d(self.indexed().keys, self.live())
        noted = self._tables.rows(TEXTS, "what = 'gone'", ["key", "data"])
        if len(lost):
            words = {row["key"]: json.loads(row["data"]) for row in noted}
            every = sorted({"", *(word for key in lost.tolist() for word in words.get(key, ()))})
            known = all(key in words for key in lost.tolist())
            if known:
                rows = self._tables.for_each(WORDS, "word", every, "TRUE", WORD_SCHEMA.names)
            else:  # of two who wrote the same document at once, what the first had is looked for everywhere
                rows = self._tables.rows(WORDS, None, WORD_SCHEMA.names)
            self._keep([row | _without(row, lost) for row in rows])
        if noted:
            self._tables.delete(TEXTS, "what = 'gone'")

    def _keep(self, rows: Sequence[dict[str, object]]) -> None:
        empty = [str(row["row"]) for row in rows if not row["keys"]]
        left = [row for row in rows if row["keys"]]
        self._tables.put(WORDS, WORD_SCHEMA, left, among("row", empty) if empty else None)

    def _add(self, keys: Numbers, progress: Progress) -> None:
        found: dict[str, tuple[array[int], array[int]]] = {}
        languages = {ENGLISH}
        columns = ["key", "title", "section", "text"]
        for at in range(0, len(keys), _PART):
            part = keys[at : at + _PART].tolist()
            rows = self._tables.for_each(TEXTS, "key", part, "what = 'passage'", columns)
            for row in sorted(rows, key=lambda row: int(row["key"])):
                languages.add(language(row["text"]))
                words = words_of(row)
                for word, count in (Counter(words) | {"": len(words)}).items():
                    numbers, counts = found.setdefault(word, (array("q"), array("i")))
                    numbers.append(row["key"])
                    counts.append(count)
            progress("lexical", min(at + _PART, len(keys)), len(keys))
        segment, spoken = uuid4().hex, json.dumps(sorted(languages))
        self._write(segment, [(word, *both) for word, both in found.items()], spoken)

    def _write(self, segment: str, rows: Sequence[tuple[str, object, object]], languages: str) -> None:
        rows = sorted(rows, key=lambda row: row[0])
        table = pa.table(
            {
                "row": [f"{segment}:{word}" for word, _, _ in rows],
                "segment": [segment] * len(rows),
                "word": [word for word, _, _ in rows],
                "keys": [np.asarray(keys) for _, keys, _ in rows],
                "counts": [np.asarray(counts) for _, _, counts in rows],
                "languages": [languages if not word else None for word, _, _ in rows],
            },
            schema=WORD_SCHEMA,
        )
        self._tables.put(WORDS, WORD_SCHEMA, table)

    def _join(self, segments: Sequence[str]) -> None:
        """Put segments together: what stands in two of them meanwhile counts once."""
        rows = self._tables.rows(WORDS, among("segment", segments), WORD_SCHEMA.names)
        by_word: dict[str, list[dict[str, object]]] = {}
        for row in rows:
            by_word.setdefault(row["word"], []).append(row)
        spoken = {one for row in by_word[""] for one in json.loads(str(row["languages"]))}
        joined = []
        for word, of in by_word.items():
            keys, at = np.unique(_joined(of, "keys"), return_index=True)
            joined.append((word, keys, _joined(of, "counts")[at]))
        self._write(uuid4().hex, joined, json.dumps(sorted(spoken)))
        self._tables.delete(WORDS, among("segment", segments))


class _Postings:
    """As `postings.Postings`."""

    paired = True

    def __init__(self, tables: Tables, indexed: _Indexed) -> None:
        self._tables, self._indexed = tables, indexed
        self.languages: Sequence[str] = indexed.languages
        self._found: dict[str, tuple[Numbers, Numbers]] = {}
        """For each word the places of its passages among those that are indexed, and how often it stands there."""

    def having(self, words: Sequence[str]) -> tuple[Mapping[str, int], int, int]:
        self._fetch(words)
        having = {word: len(self._found[word][0]) for word in words if word in self._found}
        return having, len(self._indexed.keys), self._indexed.length

    def like(self, term: str, slips: int) -> list[str]:
        # Two letters that changed places are two slips to the database, and one here.
        where = (
            f"character_length(word) BETWEEN {len(term) - slips} AND {len(term) + slips} "
            f"AND levenshtein(word, '{term}') <= {2 * slips}"
        )
        return sorted({row["word"] for row in self._tables.rows(WORDS, where, ["word"])})

    def best(self, parts: Sequence[Part], k: int, slope: float) -> Ranking:
        norms = self._indexed.norms
        scores = np.zeros(len(norms))
        for part in parts:
            own = np.zeros(len(norms)) if len(part.forms) > 1 else scores
            for form, weight in part.forms:
                at, counts = self._found[form]
                added = weight * counts / (counts + K1 * (1 - B) + slope * norms[at])
                own[at] = np.maximum(own[at], added) if own is not scores else own[at] + added
            if own is not scores:
                scores += own
            if part.like:
                self._fetch(part.like)
                scores[np.unique(np.concatenate([self._found[word][0] for word in part.like]))] += part.near
        there = np.flatnonzero(scores)
        if len(there) > k:
            worst = np.partition(scores[there], len(there) - k)[len(there) - k]
            there = there[scores[there] >= worst * (1 - _CLOSE)]
        keys = self._indexed.keys[there].tolist()
        rows = self._tables.for_each(TEXTS, "key", keys, "what = 'passage'", ["key", "id"])
        ids = {row["key"]: row["id"] for row in rows}
        return [(ids[key], score) for key, score in zip(keys, scores[there].tolist(), strict=True) if key in ids]

    def _fetch(self, words: Sequence[str]) -> None:
        wanted = [word for word in dict.fromkeys(words) if word not in self._found]
        by_word: dict[str, list[dict[str, object]]] = {}
        for row in self._tables.for_each(WORDS, "word", wanted, "TRUE", ["word", "keys", "counts"]):
            by_word.setdefault(row["word"], []).append(row)
        for word, rows in by_word.items():
            keys, first = np.unique(_joined(rows, "keys"), return_index=True)
            at = np.searchsorted(self._indexed.keys, keys)
            there = np.append(self._indexed.keys, -1)[at] == keys  # not what came since
            self._found[word] = at[there], _joined(rows, "counts")[first][there]


class LanceVectors:
    """The vectors that are kept under one name, by LanceDB's partitions of them."""

    def __init__(self, tables: Tables, made_by: str, dimension: int) -> None:
        self._tables, self._name, self._dimension = tables, vectors_by(made_by), dimension

    def search(self, vector: Vectors, k: int) -> Ranking:
        """About the k best passages for a (d,) unit vector, with exact scores."""
        vector = checked(vector, self._dimension)
        if k <= 0:
            return []
        table = self._tables.open(self._name)
        with explained(self._tables.place):
            asked = table.search(vector).distance_type("dot").limit(CANDIDATES * k)
            probes = max(1, round(_PROBED * partitions(self._tables.count(self._name))))
            found = asked.nprobes(probes).select(["key", "vector", "_distance"]).to_arrow()
        named = self._tables.for_each(TEXTS, "key", found["key"].to_pylist(), "what = 'passage'", ["key", "id"])
        ids = {row["key"]: row["id"] for row in named}
        matrix = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        scores = score_rows(matrix.reshape(-1, self._dimension), vector)
        there = zip(found["key"].to_pylist(), scores, strict=True)
        return best([(ids[key], score) for key, score in there if key in ids], k)


def _joined(rows: Sequence[Mapping[str, object]], column: str) -> Numbers:
    parts = [np.asarray(row[column], np.int64) for row in rows]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _without(row: Mapping[str, object], lost: Numbers) -> dict[str, list[int]]:
    keys, counts = (np.asarray(row[name], np.int64) for name in ("keys", "counts"))
    left = ~np.isin(keys, lost)
    return {"keys": keys[left].tolist(), "counts": counts[left].tolist()}


def _lengths() -> Numbers:
    """The lengths that a byte can say, as Lucene and tantivy keep them: exact up to 40, then ever coarser."""
    coarse = [(8 | i & 7) << ((i >> 3) - 1) if i >= 8 else i for i in range(256 - 24)]
    found = [*range(24), *(24 + one for one in coarse)]
    assert all(a < b for a, b in pairwise(found))
    return np.array(found, np.int64)


_NORMS = _lengths()
