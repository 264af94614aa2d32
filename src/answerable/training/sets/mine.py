"""Documents that look as if they fit a constraint: what BM25 finds for it, by the engine's own index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from answerable.corpora.store import Row as StoredRow
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.training.sets.constraint_sets import ConstraintSet, Text
from answerable.training.sets.draw import Alike


class Lexical:
    """BM25 over documents; its index stays in a folder, and is built once."""

    def __init__(self, documents: Sequence[Text], folder: Path) -> None:
        done = folder / "done"
        if not done.exists():
            folder.mkdir(parents=True, exist_ok=True)
            for stale in folder.iterdir():
                stale.unlink()
            rows = (StoredRow(n, str(n), title, "", text) for n, (title, text) in enumerate(documents))
            build_bm25(rows, folder, lambda *_: None, len(documents))
            done.touch()
        self._index = Bm25Index(folder, lambda keys: {key: str(key) for key in keys})

    def best(self, text: str, most: int) -> tuple[int, ...]:
        """The numbers of the best `most` documents for a text, best first."""
        return tuple(int(id_) for id_, _ in self._index.search(text, most))


def looking_alike(held: ConstraintSet, folder: Path, most: int) -> Alike:
    """The best `most` documents for each constraint of a set that says all that fits it."""
    found = Lexical(held.documents, folder / f"bm25-{held.name}")
    return {one.text: found.best(one.text, most) for one in held.constraints if one.whole}
