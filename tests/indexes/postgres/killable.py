"""A run of the builder in a process of its own, beside others: killable.py ADDRESS FOLDER EXACT_LIMIT SOURCE..."""

from __future__ import annotations

import sys
from pathlib import Path

from answerable.corpora import ingest
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes import build
from answerable.indexes.postgres.build import PostgresBuilder
from answerable.indexes.postgres.store import PostgresStore


def main(address: str, folder: Path, exact_limit: int, sources: list[Path]) -> None:
    """Index `sources`, in small steps so that there are many moments to be killed at."""
    ingest.BATCH_DOCUMENTS = 20
    build.BLOCK = 32
    folder.mkdir(exist_ok=True)
    with PostgresStore(address, folder) as store:
        builder = PostgresBuilder(store, folder / "indexes", HashedEncoder(64), exact_limit=exact_limit, linking=True)
        print("started", flush=True)
        done = builder.run(sources, "public", report=lambda line: print(line, file=sys.stderr))
        print(done.added, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), list(map(Path, sys.argv[4:])))
