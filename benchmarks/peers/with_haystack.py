"""Haystack: its store in memory, BM25 and vectors over it, joined by rank; kept as the JSON file that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from measure import K, Row


class Peer:
    """The pipeline of its tutorial on hybrid retrieval, without a ranker."""

    ways = ("hybrid",)
    model = ("sentence_transformers", "SentenceTransformer")

    def __init__(self, folder: Path, weights: Path) -> None:
        self._file = folder / "store.json"
        self._model: dict[str, Any] = {"model": str(weights), "progress_bar": False, "local_files_only": True}
        self._pipeline = self._search() if self._file.exists() else None

    def index(self, rows: list[Row]) -> None:
        """Titles are embedded with the text, as it has for fields of meta."""
        held = InMemoryDocumentStore(embedding_similarity_function="cosine")
        embedder = SentenceTransformersDocumentEmbedder(**self._model)
        embedder.warm_up()
        held.write_documents(embedder.run([
            Document(id=row["_id"], content=f"{row['title']}. {row['text']}", meta={"title": row["title"]})
            for row in rows
        ])["documents"])  # fmt: skip
        held.save_to_disk(str(self._file))

    def _search(self) -> Pipeline:
        held = InMemoryDocumentStore.load_from_disk(str(self._file))
        made = Pipeline()
        made.add_component("embedder", SentenceTransformersTextEmbedder(**self._model))
        made.add_component("near", InMemoryEmbeddingRetriever(held, top_k=3 * K))
        made.add_component("words", InMemoryBM25Retriever(held, top_k=3 * K))
        made.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=K))
        made.connect("embedder.embedding", "near.query_embedding")
        made.connect("near", "joined")
        made.connect("words", "joined")
        return made

    def search(self, question: str, way: str) -> list[str]:
        """Words and vectors."""
        assert self._pipeline is not None
        found = self._pipeline.run({"embedder": {"text": question}, "words": {"query": question}})
        return [str(one.id) for one in found["joined"]["documents"]]

    def close(self) -> None:
        """Nothing is open."""
