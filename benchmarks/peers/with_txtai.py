"""txtai: an index of words and vectors, its scores weighed evenly, as its documentation has hybrid search."""

from __future__ import annotations

from pathlib import Path

from measure import K, Row
from txtai import Embeddings


class Peer:
    """One `Embeddings` with its text kept beside it."""

    ways = ("hybrid",)
    model = ("txtai.models", "Pooling")

    def __init__(self, folder: Path, weights: Path) -> None:
        self._folder = folder / "index"
        self._held = Embeddings(path=str(weights), content=True, hybrid=True, gpu=False)
        if self._folder.exists():
            self._held.load(str(self._folder))

    def index(self, rows: list[Row]) -> None:
        """All at once."""
        self._held.index((row["_id"], {"text": f"{row['title']}. {row['text']}", "title": row["title"]}, None)
                         for row in rows)  # fmt: skip
        self._held.save(str(self._folder))

    def search(self, question: str, way: str) -> list[str]:
        """By a question as it is, with the parameter in the place of a value."""
        found = self._held.search("SELECT id FROM txtai WHERE similar(:q)", K, parameters={"q": question})
        return [str(one["id"]) for one in found]

    def close(self) -> None:
        """Close the index."""
        self._held.close()
