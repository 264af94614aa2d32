"""LlamaIndex: its vector index and BM25 beside it, fused by rank without a language model, kept as files."""

from __future__ import annotations

from pathlib import Path

from llama_index.core import Settings, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever
from measure import K, Row


class Peer:
    """One `VectorStoreIndex` and one `BM25Retriever`."""

    ways = ("hybrid",)
    model = ("sentence_transformers", "SentenceTransformer")

    def __init__(self, folder: Path, weights: Path) -> None:
        Settings.embed_model = HuggingFaceEmbedding(model_name=str(weights), device="cpu")
        Settings.llm = MockLLM()
        self._folder = folder
        self._fused = self._search() if (folder / "words").exists() else None

    def index(self, rows: list[Row]) -> None:
        """A node for each passage: what is embedded is its metadata, the title, and its text."""
        nodes = [TextNode(id_=row["_id"], text=row["text"], metadata={"title": row["title"]}) for row in rows]
        held = VectorStoreIndex(nodes)
        held.storage_context.persist(str(self._folder / "vectors"))
        BM25Retriever(nodes=nodes, similarity_top_k=3 * K).persist(str(self._folder / "words"))

    def _search(self) -> QueryFusionRetriever:
        held = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(self._folder / "vectors")))
        words = BM25Retriever.from_persist_dir(str(self._folder / "words"))
        return QueryFusionRetriever(
            [held.as_retriever(similarity_top_k=3 * K), words],
            similarity_top_k=K, num_queries=1, mode="reciprocal_rerank", use_async=False,
        )  # fmt: skip

    def search(self, question: str, way: str) -> list[str]:
        """Words and vectors."""
        assert self._fused is not None
        return [str(one.node.node_id) for one in self._fused.retrieve(question)]

    def close(self) -> None:
        """Nothing is open."""
