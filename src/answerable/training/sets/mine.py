"""Documents that look as if they fit a constraint: what BM25 finds for it, by the engine's own index."""

from __future__ import annotations

from pathlib import Path

from answerable.corpora.store import Row as StoredRow
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.training.sets.draw import Alike
from answerable.training.sets.grounds import Ground


def looking_alike(ground: Ground, folder: Path, most: int) -> Alike:
    """The best `most` documents for each constraint; the index stays in `folder`, and is built once."""
    place = folder / f"bm25-{ground.name}"
    done = place / "done"
    if not done.exists():
        place.mkdir(parents=True, exist_ok=True)
        for stale in place.iterdir():
            stale.unlink()
        rows = (StoredRow(n, str(n), title, "", text) for n, (title, text) in enumerate(ground.documents))
        build_bm25(rows, place, lambda *_: None, len(ground.documents))
        done.touch()
    index = Bm25Index(place, lambda keys: {key: str(key) for key in keys})
    wanted = (one.text for one in ground.constraints if one.whole)
    return {text: tuple(int(id_) for id_, _ in index.search(text, most)) for text in wanted}
