"""The indexes of one enclave behind one search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np

from answerable.corpora.fields import UNFILTERED, FieldRow, Filter
from answerable.corpora.store import HalfVectors, Store
from answerable.corpora.transaction import encoder_of, entity_side
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import IndexMismatch, UsageError
from answerable.indexes.fitting import FittingPassages
from answerable.indexes.in_memory import HeldPassages
from answerable.indexes.index import (
    LexicalIndex,
    OpenVectors,
    Ranking,
    SearchMode,
    Statistics,
    VectorIndex,
    Weights,
    depth,
    merged,
)
from answerable.indexes.lexical import Bm25Index
from answerable.indexes.manifest import Manifest, check_files, finished, read_manifest
from answerable.indexes.shared import SharedStore
from answerable.indexes.vectors import ExactVectors, SignVectors, checked, score_rows
from answerable.types import Passage

LEXICAL = "lexical"
SIGNS = "ann"
PAGE_SIGNS = "entities"
"""Kinds of index; none begins with another and a hyphen, since folders are told apart by that."""


class EnclaveIndex:
    """An enclave as it was when opened; safe to search from several threads. Made by `open_enclave_index`."""

    def __init__(
        self,
        store: Store,
        enclave: str,
        encoder: Encoder,
        lexical: LexicalIndex | None,
        by_vectors: OpenVectors | None,
        by_pages: OpenVectors | None = None,
    ) -> None:
        """`by_vectors`: what ranks by vectors; None: a look at each of those in the store."""
        self.enclave = enclave
        self.passage_count = store.holdings(enclave).passages
        """Passages in the store."""
        self._vectors = _Vectors(store, enclave, encoder.name, encoder.dimension, by_vectors)
        self._entities = _Vectors(store, enclave, entity_side(encoder.name), encoder.dimension, by_pages)
        self.vector_count = self._vectors.count
        """Those that have a vector: fewer while vectors are being made."""
        self.entity_count = self._entities.count
        """Those that mentions can find: the first of each document, where pages are indexed for linking."""
        self._store = store
        self._dimension = encoder.dimension
        self._lexical = lexical

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages; an empty ranking is ordinary. Scores of different modes do not compare.

        Hybrid weighs what words and what vectors find (`index.weighed`). The mode "entity" looks for the vector of a
        mention among the first passages of documents, and finds none where they are not indexed for that.
        Raises `UsageError` when vectors are needed and `vector` is None, `IndexMismatch` when it is not (dimension,).
        """
        return merged([self.weigh(query_text, vector, mode, k)], mode, k)

    def weigh(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int, shared: Statistics | None = None
    ) -> Weights:
        """What `search` weighs, by the statistics of these passages, or by `shared` ones of which they are a part."""
        if mode == "lexical":
            return self._by_words(query_text, k, shared), {}
        if vector is None:
            raise UsageError(f"a {mode} search needs the query's vector", hint="encode the query, or search by words")
        vector = checked(vector, self._dimension)
        if mode == "dense":
            return [], dict(self._vectors.search(vector, k))
        if mode == "entity":
            return [], dict(self._entities.search(vector, k))
        if mode != "hybrid":
            raise UsageError(f"there is no search mode {mode!r}", hint="use hybrid, dense, lexical or entity")
        deep = depth(k)
        words, near = self._by_words(query_text, deep, shared), dict(self._vectors.search(vector, deep))
        rows = self._vectors.of([id for id, _ in words if id not in near])
        further = score_rows(np.stack([*rows.values()]), vector) if rows else []
        return words, near | dict(zip(rows, further, strict=True))

    def statistics(self, words: Sequence[str]) -> Statistics:
        """What words are ranked by here, for words as they are indexed."""
        return self._lexical.statistics(words) if self._lexical else Statistics(0, 0, (), False, {})

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """As `search`, and the vectors of what was found, where it has them and the mode uses any."""
        ranking = self.search(query_text, vector, mode, k)
        return ranking, {} if mode == "lexical" else self._vectors.of([id for id, _ in ranking])

    def fitting(self, wanted: Filter) -> FittingPassages:
        """What of the enclave fits a filter."""
        return self._part(lambda: wanted.fitting(self.fields()), wanted)

    def among(self, documents: Sequence[str]) -> FittingPassages:
        """These documents alone."""
        return self._part(lambda: documents)

    def _part(self, documents: Callable[[], Sequence[str] | None], wanted: Filter = UNFILTERED) -> FittingPassages:
        passages_of = partial(self._store.passages_of, self.enclave)
        return FittingPassages(self, documents, passages_of, self._hold, self._vectors.of, self.passage_count, wanted)

    def fields(self) -> list[FieldRow]:
        """As `Listed.fields`."""
        return self._store.fields(self.enclave)

    def openings(self, documents: Sequence[str]) -> dict[str, Passage]:
        """As `Listed.openings`."""
        found = self._store.openings(self.enclave, documents)
        for id in documents:
            if id not in found and (whole := self._store.document(self.enclave, id)):
                end = len(whole.text)
                found[id] = Passage(f"{id}@0-{end}", id, self.enclave, whole.title, whole.text, 0, end)
        return found

    def _hold(self, ids: Sequence[str]) -> HeldPassages:
        return HeldPassages(self.passages(ids), self._vectors.of(ids), self._lexical.rarity if self._lexical else None)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored passages with these ids, in that order; those that are gone are left out."""
        found = self._store.passages(self.enclave, ids)
        if len(found) < len(ids):
            there = {passage.id for passage in found}
            self._store.require_gone(self.enclave, [id for id in ids if id not in there])
        return found

    def _by_words(self, text: str, k: int, shared: Statistics | None) -> Ranking:
        return self._lexical.search(text, k, shared) if self._lexical else []


class _Vectors:
    """The vectors of an enclave that are kept under one name, read at the first search that needs them."""

    def __init__(self, store: Store, enclave: str, made_by: str, dimension: int, index: OpenVectors | None) -> None:
        self.count = store.vector_counts(enclave).get(made_by, 0)
        self._source = store, enclave, made_by, dimension, index
        self._opened: VectorIndex | None = None
        self._opening = Lock()

    def search(self, vector: Vectors, k: int) -> Ranking:
        if not self.count:
            return []
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
        return self._opened.search(vector, k)

    def of(self, ids: Sequence[str]) -> dict[str, HalfVectors]:
        store, enclave, made_by, dimension, _ = self._source
        return store.vectors_of(enclave, made_by, dimension, ids) if self.count and ids else {}

    def _open(self) -> VectorIndex:
        store, enclave, made_by, dimension, index = self._source
        if index:
            return index()
        _, ids, matrix = store.vectors(enclave, made_by, dimension)
        return ExactVectors(ids, matrix)


def open_enclave_index(store: Store, folder: Path, enclave: str, encoder: Encoder) -> EnclaveIndex:
    """The indexes of an enclave in `folder`, for queries that `encoder` encodes.

    Passages that were only added since the lexical index was made are found by vector, and by words after the next
    indexing. Raises `IndexMismatch`, with the way out, when an index is missing, made from other documents, or by
    another encoder or version, and `DamagedError` when its files are not those that were made.
    """
    made_by = {encoder_of(name) for name in store.vector_counts(enclave)}
    if made_by and encoder.name not in made_by:
        raise IndexMismatch(
            f"the vectors of enclave {enclave!r} were made by {', '.join(sorted(made_by))}, not by {encoder.name}",
            hint="run 'answerable index' for this enclave to make them again",
        )
    if isinstance(store, SharedStore):
        return EnclaveIndex(store, enclave, encoder, *store.held(enclave).parts(encoder))
    lexical = _open_lexical(store, folder, enclave)
    kinds = {SIGNS: encoder.name, PAGE_SIGNS: entity_side(encoder.name)}
    paths = [usable_signs(store, folder, enclave, kind, name, encoder.dimension) for kind, name in kinds.items()]
    kept = [
        partial(
            SignVectors, path, encoder.dimension, store.ids, partial(store.vectors_at, enclave, name, encoder.dimension)
        )
        if path
        else None
        for path, name in zip(paths, kinds.values(), strict=True)
    ]
    return EnclaveIndex(store, enclave, encoder, lexical, *kept)


def _open_lexical(store: Store, folder: Path, enclave: str) -> LexicalIndex | None:
    if not store.holdings(enclave).passages:
        return None
    found = usable_lexical(store, folder, enclave)
    if found is None:
        raise IndexMismatch(
            f"enclave {enclave!r} has documents that changed since its lexical index was made, or none was made",
            hint="run 'answerable index' for this enclave to finish",
        )
    path, manifest = found
    check_files(path, manifest)
    index = Bm25Index(path, store.ids)
    if len(index) != manifest.count:
        raise IndexMismatch(
            f"the lexical index of enclave {enclave!r} holds {len(index)} passages, not {manifest.count}",
            hint="run 'answerable index' for this enclave to build it again",
        )
    return index


def usable_lexical(store: Store, folder: Path, enclave: str) -> tuple[Path, Manifest] | None:
    """The index of all passages, or else of all but the newest, or None. Raises `IndexMismatch` on a foreign one."""
    sealed = [(path, read_manifest(path)) for path in finished(folder, enclave, LEXICAL)]
    for _, manifest in sealed:
        manifest.require(LEXICAL, enclave)
    current = next((item for item in sealed if item[1].describes(store)), None)
    return current or next((item for item in sealed if item[1].describes_older(store)), None)


def usable_signs(store: Store, folder: Path, enclave: str, kind: str, made_by: str, dimension: int) -> Path | None:
    """The signs of all vectors, or None: then every vector is compared, which takes longer and finds no less."""
    for path in finished(folder, enclave, kind):
        manifest = read_manifest(path)
        manifest.require(kind, enclave, made_by, dimension)
        if manifest.describes(store):
            check_files(path, manifest)
            return path
    return None
