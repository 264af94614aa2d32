"""The indexes of one enclave behind one search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from answerable.corpora.store import Store
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import IndexMismatch, UsageError
from answerable.indexes.fusion import fuse
from answerable.indexes.index import LexicalIndex, Mode, Ranking
from answerable.indexes.lexical import Bm25Index
from answerable.indexes.manifest import Manifest, finished, read_manifest
from answerable.indexes.vectors import ExactVectors, HnswVectors, checked
from answerable.types import Passage

LEXICAL = "lexical"
GRAPH = "ann"

_FUSED_DEPTH = 50
"""Ranks of each kind that are fused, at least."""


class EnclaveIndex:
    """An enclave as it was when opened; safe to search from several threads. Made by `open_enclave_index`."""

    def __init__(
        self, store: Store, enclave: str, encoder: Encoder, lexical: LexicalIndex | None, graph: Path | None
    ) -> None:
        self.enclave = enclave
        self.passage_count = store.holdings(enclave).passages
        """Passages in the store."""
        self.vector_count = store.vector_counts(enclave).get(encoder.name, 0)
        """Those that have a vector: fewer while vectors are being made."""
        self._store = store
        self._encoder_name = encoder.name
        self._dimension = encoder.dimension
        self._lexical = lexical
        self._graph = graph
        self._vectors: ExactVectors | HnswVectors | None = None
        self._opening = Lock()

    def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
        """The k best passages; an empty ranking is ordinary. Scores of different modes do not compare.

        Hybrid fuses both rankings by rank, and is lexical while there are no vectors. Raises `UsageError` when vectors
        are needed and `vector` is None, `IndexMismatch` when it is not (dimension,).
        """
        if mode == "lexical":
            return self._by_words(query_text, k)
        if vector is None:
            raise UsageError(f"a {mode} search needs the query's vector", hint="encode the query, or search by words")
        vector = checked(vector, self._dimension)
        if mode == "dense":
            return self._by_vector(vector, k)
        if mode != "hybrid":
            raise UsageError(f"there is no search mode {mode!r}", hint="use hybrid, dense or lexical")
        if not self.vector_count:
            return self._by_words(query_text, k)
        depth = max(2 * k, _FUSED_DEPTH)
        return fuse([self._by_words(query_text, depth), self._by_vector(vector, depth)], k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored passages with these ids, in that order; those that are gone are left out."""
        return self._store.passages(self.enclave, ids)

    def _by_words(self, text: str, k: int) -> Ranking:
        return self._lexical.search(text, k) if self._lexical else []

    def _by_vector(self, vector: Vectors, k: int) -> Ranking:
        if not self.vector_count:
            return []
        with self._opening:  # vectors are read at the first search that needs them
            if self._vectors is None:
                self._vectors = self._open_vectors()
        return self._vectors.search(vector, k)

    def _open_vectors(self) -> ExactVectors | HnswVectors:
        if self._graph:
            return HnswVectors(self._graph, self._dimension, self._store.ids)
        _, ids, matrix = self._store.vectors(self.enclave, self._encoder_name, self._dimension)
        return ExactVectors(ids, matrix)


def open_enclave_index(store: Store, folder: Path, enclave: str, encoder: Encoder) -> EnclaveIndex:
    """The indexes of an enclave in `folder`, for queries that `encoder` encodes.

    Passages that were only added since the lexical index was made are found by vector, and by words after the next
    indexing. Raises `IndexMismatch`, with the way out, when an index is missing, damaged, made from other documents,
    or by another encoder or version.
    """
    made_by = store.vector_counts(enclave)
    if made_by and encoder.name not in made_by:
        raise IndexMismatch(
            f"the vectors of enclave {enclave!r} were made by {', '.join(sorted(made_by))}, not by {encoder.name}",
            hint="run 'answerable index' for this enclave to make them again",
        )
    lexical = _open_lexical(store, folder, enclave)
    return EnclaveIndex(store, enclave, encoder, lexical, usable_graph(store, folder, enclave, encoder))


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


def usable_graph(store: Store, folder: Path, enclave: str, encoder: Encoder) -> Path | None:
    """The graph of all vectors, or None: then every vector is compared, which takes longer and finds no less."""
    for path in finished(folder, enclave, GRAPH):
        manifest = read_manifest(path)
        manifest.require(GRAPH, enclave, encoder.name, encoder.dimension)
        if manifest.describes(store):
            return path
    return None
