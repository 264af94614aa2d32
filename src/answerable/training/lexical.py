"""What words find: BM25 by the engine's own index over texts, for negatives and for documents that look alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from answerable.corpora.store import Row
from answerable.indexes.lexical import Bm25Index, build_bm25


class Lexical:
    """BM25 over titles and texts by id; its index stays in a folder, and is built once."""

    def __init__(self, texts: Mapping[str, tuple[str, str]], folder: Path) -> None:
        ids, done = list(texts), folder / "done"
        if not done.exists():
            folder.mkdir(parents=True, exist_ok=True)
            for stale in folder.iterdir():
                stale.unlink()
            rows = (Row(number, id_, texts[id_][0], "", texts[id_][1]) for number, id_ in enumerate(ids))
            build_bm25(rows, folder, lambda *_: None, len(ids))
            done.touch()
        self._index = Bm25Index(folder, lambda keys: {key: ids[key] for key in keys})

    def best(self, text: str, most: int) -> list[str]:
        """The ids of the best `most` for a text, best first."""
        return [id_ for id_, _ in self._index.search(text, most)]
