"""LanceDB: a table with vectors by its registered embedding function, a full-text index, and both fused by rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lancedb
from lancedb.embeddings import get_registry
from lancedb.pydantic import LanceModel, Vector
from lancedb.rerankers import RRFReranker
from measure import K, Row


class Peer:
    """A table in a folder; without an index of vectors, as it advises below 100,000 rows."""

    ways = ("hybrid",)
    model = ("sentence_transformers", "SentenceTransformer")

    def __init__(self, folder: Path, weights: Path) -> None:
        self._weights = weights
        self._database = lancedb.connect(folder)
        self._table: Any = self._database.open_table("passages") if "passages" in self._names() else None
        self._fused = RRFReranker()

    def _names(self) -> list[str]:
        return [str(name) for name in self._database.table_names()]

    def index(self, rows: list[Row]) -> None:
        """All rows, then the words."""
        known: Any = get_registry().get("sentence-transformers")
        made = known.create(name=str(self._weights), device="cpu")

        class Passage(LanceModel):
            id: str
            title: str
            text: str = made.SourceField()
            vector: Vector(made.ndims()) = made.VectorField()  # type: ignore[valid-type]

        self._table = self._database.create_table("passages", schema=Passage)
        text = [{"id": row["_id"], "title": row["title"], "text": f"{row['title']}. {row['text']}"} for row in rows]
        for start in range(0, len(text), 1024):
            self._table.add(text[start : start + 1024])
        self._table.create_fts_index("text")
        self._table.optimize()

    def search(self, question: str, way: str) -> list[str]:
        """Words and vectors."""
        found = self._table.search(question, query_type="hybrid").rerank(self._fused).limit(K).to_list()
        return [str(one["id"]) for one in found]

    def close(self) -> None:
        """Nothing is open."""
