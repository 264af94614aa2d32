"""This engine: one hop by words and vectors, and what an ask gathers with two hops, as it ships."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path

from measure import K, Row

from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.evaluation.tasks.passages import met
from answerable.types import Query
from answerable.workspace.opening import open_workspace

ONE = BeamSettings(hops=1, k=K, width=K)


class Peer:
    """A workspace of one public enclave."""

    ways = ("one hop", "two hops")
    model = None
    encoder = "skills"

    def __init__(self, folder: Path, weights: Path) -> None:
        settings = {"models.encoder": self.encoder, "journal.keep": False}
        self._folder = folder
        self._workspace = open_workspace(folder, create=True, settings=settings)

    def index(self, rows: list[Row]) -> None:
        """By a file of JSON lines, which is what it reads; the file is no part of what is kept."""
        file = self._folder.parent / "passages.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        self._workspace.index([file], "wiki", "public")

    def search(self, question: str, way: str) -> list[str]:
        """Each document once, in the order in which an ask shows and reads passages; then what else its searches found,
        the first of each, then the second."""
        door = self._workspace.engine().retriever
        found = gather(Query(question), door, ONE if way == "one hop" else BeamSettings())
        others = (hit for hits in zip_longest(*(hop.hits for hop in found.hops)) for hit in hits if hit)
        ids = (hit.passage.document_id.rpartition("#")[2] for hit in (*met(foremost(found.chains, 400)), *others))
        return [*dict.fromkeys(ids)][:K]

    def close(self) -> None:
        """Close the workspace."""
        self._workspace.close()
