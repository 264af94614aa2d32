"""The index in a database and in shared tables beside that in files: recall, agreement and processor time.

    python benchmarks/stores.py --data DATA --workspace DIR [--passages 105732] [--encoder minilm] [--json FILE]

Indexes passages of the pool of `multihop` into files, into a PostgreSQL that is started for it and into a folder of
LanceDB, and asks all of them the questions of HotpotQA; the passages that answer those come first, then others.
`both@20`: of how many questions both passages are among the first 20. `exact@20`: how many of the 20 nearest of all
vectors are among the first 20 by vectors. `same@20`: how many of the first 20 in files are among those of the engine.
Milliseconds are of one search, one after another: the median, and the processor's time of this process and the
database's, on average. `native`: the words as LanceDB's own full-text search ranks them.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS

import common
from answerable.corpora.store import Store
from answerable.encoders.encoder import Encoder, Vectors
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Mode
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.indexes.shared import builder_of
from answerable.types import Skill
from answerable.workspace.models import encoder_of
from answerable.workspace.settings import load
from answerable.workspace.stores import StoreSettings, open_store
from tests.postgres import address, server

K = 20
WARM = 10
"""Searches that are not counted."""
MODES: tuple[Mode, ...] = ("lexical", "dense", "hybrid")
ENCLAVE = "pool"
Found = dict[str, list[list[str]]]
Question = tuple[str, Vectors, set[str]]


def questions(data: Path, encoder: Encoder, limit: int) -> list[Question]:
    """Questions, their vectors, and the passages that answer them."""
    covered = [row for row in common.rows(data / "hotpotqa/dev.jsonl") if row["covered"]][:limit]
    return [(row["question"], encoder.encode_query(row["question"], Skill.SINGLE), {*row["gold"]}) for row in covered]


def passages(data: Path, folder: Path, most: int, asked: list[Question]) -> Path:
    """The passages to index, as a file of their own."""
    path = folder / f"passages-{most}.jsonl"
    if not path.exists():
        gold = set().union(*(one for _, _, one in asked))
        every = common.rows(data / "multihop/passages.jsonl.gz")
        common.write_rows(path, sorted(every, key=lambda row: row["_id"] not in gold)[:most])
    return path


def index(store: Store, folder: Path, source: Path, encoder: Encoder, limit: int) -> tuple[EnclaveIndex, float]:
    """The index of a store, and the seconds it took to bring it up to date."""
    began = time.perf_counter()
    builder = builder_of(store, folder, encoder, exact_limit=limit)
    builder.run([source], ENCLAVE, lambda stage, done, total: print(f"\r{stage} {done} of {total}   ", end=""))
    print()
    return open_enclave_index(store, folder, ENCLAVE, encoder), time.perf_counter() - began


def asked(index: EnclaveIndex, rows: list[Question], worked: Callable[[], float]) -> tuple[dict[str, Any], Found]:
    """The figures of one engine, and what it found. `worked()`: seconds of processors so far."""
    figures: dict[str, Any] = {}
    found: Found = {}
    for mode in MODES:
        for text, vector, _ in rows[:WARM]:
            index.search(text, vector, mode, K)
        seconds, found[mode], before = [], [], worked()
        for text, vector, _ in rows:
            began = time.perf_counter()
            ranking = index.search(text, vector, mode, K)
            seconds.append(time.perf_counter() - began)
            found[mode].append([id for id, _ in ranking])
        hits = [gold <= {*map(document, ids)} for ids, (_, _, gold) in zip(found[mode], rows, strict=True)]
        figures[mode] = {
            "both@20": common.mean(hits, 100.0),
            "ms": 1000 * statistics.median(seconds),
            "processor ms": 1000 * (worked() - before) / len(rows),
        }
    return figures, found


def document(passage: str) -> str:
    """The id in the data of the document that a passage is of."""
    return passage.rpartition("@")[0].rpartition("#")[2]


def share(these: list[list[str]], those: list[list[str]]) -> common.Mean:
    """How many of the first 20 here are among the first 20 there, of a hundred."""
    both = zip(these, those, strict=True)
    return common.mean((len({*one} & {*other}) / max(1, len(one)) for one, other in both), 100)


def compared(exact: list[list[str]], files: Found, there: Found) -> dict[str, Any]:
    """How an engine agrees with all vectors, and with files."""
    same = {mode: share(files[mode], there[mode]) for mode in MODES}
    return {"exact@20": share(exact, there["dense"]), "same@20": same}


def native(store: Store, folder: Path, rows: list[Question], files: Found) -> dict[str, Any]:
    """Words by LanceDB's own full-text search over the same passages, stemmed and without function words."""
    texts = pa.table(_columns(store))
    table = lancedb.connect(folder).create_table("texts", texts, mode="overwrite")
    table.create_index("text", config=FTS(stem=True, remove_stop_words=True, ascii_folding=True))
    search = partial(table.search, query_type="fts")
    found = [search(text).limit(K).select(["id"]).to_arrow()["id"].to_pylist() for text, _, _ in rows]
    hits = [gold <= {*map(document, ids)} for ids, (_, _, gold) in zip(found, rows, strict=True)]
    return {"lexical": {"both@20": common.mean(hits, 100.0)}, "same@20": {"lexical": share(files["lexical"], found)}}


def _columns(store: Store) -> dict[str, list[str]]:
    rows = [*store.rows(ENCLAVE)]
    return {"id": [row.id for row in rows], "text": [f"{row.heading} {row.text}" for row in rows]}


def nearest(store: Store, encoder: Encoder, rows: list[Question]) -> list[list[str]]:
    """The 20 nearest of all vectors, for each question."""
    _, ids, matrix = store.vectors(ENCLAVE, encoder.name, encoder.dimension)
    whole = matrix.astype(np.float32)
    return [[ids[i] for i in np.argsort(-(whole @ vector), kind="stable")[:K]] for _, vector, _ in rows]


def processors(kept: EnclaveStore) -> float:
    """Seconds that this process and the database's have computed."""
    total = 0.0
    for (pid,) in kept._all("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"):
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total + time.process_time()


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--passages", type=int, default=105_732)
    parser.add_argument("--encoder", default="minilm", help="as models.encoder")
    parser.add_argument("--graph", type=int, default=50_000, help="vectors from which on there is a graph")
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    encoder = encoder_of(load(None, {}, {"models.encoder": given.encoder}))
    rows = questions(given.data, encoder, given.limit)
    source = passages(given.data, given.workspace, given.passages, rows)
    how = (given.workspace / "indexes", source, encoder, given.graph)
    figures: dict[str, Any] = {"passages": given.passages, "encoder": encoder.name}
    with open_store(given.workspace, StoreSettings()) as store:
        opened, seconds = index(store, *how)
        figures["files"], found = asked(opened, rows, time.process_time)
        exact = nearest(store, encoder, rows)
        kept = [store.path, *(path for path in how[0].rglob("*") if path.is_file())]
        size = sum(path.stat().st_size for path in kept)
        figures["files"] |= {"seconds": seconds, "bytes": size / given.passages}
        figures["files"]["exact@20"] = share(exact, found["dense"])
    with server("shared_buffers=1GB") as socket:
        store = open_store(given.workspace, StoreSettings(address(socket, "postgres")))
        with store:
            opened, seconds = index(store, *how)
            held = store.of(ENCLAVE) if isinstance(store, PostgresStore) else None
            assert isinstance(held, EnclaveStore)
            figures["database"], there = asked(opened, rows, lambda: processors(held))
            of = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = "
            ((total,),) = held._all(f"{of} to_regnamespace(?)", (f"answerable_{ENCLAVE}",))
            figures["database"] |= {"seconds": seconds, "bytes": float(total) / given.passages}
            figures["database"] |= compared(exact, found, there)
    folder = given.workspace / "lance"
    with open_store(given.workspace, StoreSettings(f"lance://{folder.absolute()}")) as store:
        opened, seconds = index(store, *how)
        figures["lance"], there = asked(opened, rows, time.process_time)
        store.purge(ENCLAVE)  # what earlier versions take is not counted
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        figures["lance"] |= {"seconds": seconds, "bytes": size / given.passages} | compared(exact, found, there)
        figures["native"] = native(store, given.workspace / "native", rows, found)
    common.tell(given.json, figures, len(rows))


if __name__ == "__main__":
    main()
