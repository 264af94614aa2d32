"""haiku.rag: documents that are one chunk each, so that nothing is cut or parsed, and its hybrid search.

It wants a server for vectors, or a package beside it: here this engine's own way to run MiniLM.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from haiku.rag.client import DocumentImport, HaikuRAG
from haiku.rag.config import AppConfig
from haiku.rag.embeddings import EmbedderWrapper
from haiku.rag.store import engine
from haiku.rag.store.models.chunk import Chunk
from measure import K, Row

sys.path.append(str(Path(__file__).parents[2] / "src"))
_AT_ONCE = 512


class Embedder(EmbedderWrapper):  # type: ignore[misc] # it is not installed where types are checked
    """Vectors by the weights that all have."""

    def __init__(self) -> None:
        from answerable.encoders.choose import open_encoder

        super().__init__(None, 384)
        self._encoder: Any = open_encoder("minilm")

    async def _embed_query(self, text: str) -> list[float]:
        return [float(one) for one in self._encoder.encode_passages([("", text)])[0]]

    async def _embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._encoder.encode_passages([("", text) for text in texts]).tolist()
        return vectors


class Peer:
    """A database in a folder."""

    ways = ("hybrid",)
    model = None

    def __init__(self, folder: Path, weights: Path) -> None:
        config = AppConfig()
        config.embeddings.model.name = "minilm"
        config.embeddings.model.vector_dim = 384
        engine.get_embedder = lambda config=None: Embedder()
        self._loop = asyncio.new_event_loop()
        self._client = HaikuRAG(folder / "haiku.lancedb", config, create=True)
        self._loop.run_until_complete(self._client.__aenter__())

    def index(self, rows: list[Row]) -> None:
        """In batches, as its documentation has imports, then cleared up."""
        for start in range(0, len(rows), _AT_ONCE):
            some = [_document(row) for row in rows[start : start + _AT_ONCE]]
            self._loop.run_until_complete(self._client.import_documents(some))
        self._loop.run_until_complete(self._client.vacuum(retention_seconds=0))

    def search(self, question: str, way: str) -> list[str]:
        """Words and vectors."""
        found = self._loop.run_until_complete(self._client.search(question, limit=K))
        return [str(one.document_uri) for one in found]

    def close(self) -> None:
        """Close the database."""
        self._loop.run_until_complete(self._client.__aexit__(None, None, None))


def _document(row: Row) -> DocumentImport:
    whole = DoclingDocument(name=row["title"])
    whole.add_text(label=DocItemLabel.PARAGRAPH, text=row["text"])
    about = {"headings": [row["title"]], "doc_item_refs": ["#/texts/0"], "labels": ["paragraph"]}
    return DocumentImport(whole, [Chunk(content=row["text"], metadata=about)], uri=row["_id"], title=row["title"])
