"""A run of the builder in a process of its own, to be killed: killable.py FOLDER SOURCE EXACT_LIMIT."""

from __future__ import annotations

import sys
from pathlib import Path

from answerable.corpora import ingest
from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes import build


def main(folder: Path, source: Path, exact_limit: int) -> None:
    """Index `source`, in small steps so that there are many moments to be killed at."""
    ingest.BATCH_DOCUMENTS = 20
    build.BLOCK = 32
    with Store(folder / "store.sqlite") as store:
        builder = build.IndexBuilder(
            store, folder / "indexes", HashedEncoder(64), exact_limit=exact_limit, linking=True
        )
        print("started", flush=True)
        builder.run([source], "public")
        print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
