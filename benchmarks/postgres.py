"""The index in a database beside that in files: recall, agreement and milliseconds over the same real passages.

    python benchmarks/postgres.py --data DATA --workspace DIR --url postgresql://... [--passages 105732] [--json FILE]

Indexes passages of the pool of `multihop` into files and into the database, where they are not there yet, and asks both
the questions of HotpotQA whose passages are among them. `both@20`: of how many questions both passages are among the
first 20. `exact@20`: how many of the 20 nearest of all vectors are among the first 20 by vectors. `same@20`: how many
of the first 20 in files are among those in the database. Milliseconds are of one search, one after another.
"""

from __future__ import annotations

import gzip
import itertools
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.corpora.store import Store
from answerable.encoders.choose import for_passages
from answerable.encoders.encoder import Encoder, Vectors
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Mode
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.types import Skill
from answerable.workspace import late
from answerable.workspace.models import encoder_of
from answerable.workspace.settings import load
from answerable.workspace.stores import StoreSettings, open_store

K = 20
WARM = 10
"""Searches that are not counted."""
MODES: tuple[Mode, ...] = ("lexical", "dense", "hybrid")
ENCLAVE = "pool"
Found = dict[str, list[list[str]]]


def passages(data: Path, folder: Path, most: int) -> Path:
    """The passages to index, as a file of their own."""
    path = folder / f"passages-{most}.jsonl"
    if not path.exists():
        with gzip.open(data / "multihop/passages.jsonl.gz", "rt", encoding="utf8") as lines:
            path.write_text("".join(itertools.islice(lines, most)), "utf8")
    return path


def index(store: Store, folder: Path, source: Path, encoder: Encoder, limit: int) -> tuple[EnclaveIndex, float]:
    """The index of a store, and the seconds it took to bring it up to date."""
    began = time.perf_counter()
    builder = late.index_builder(store, folder, for_passages(encoder), exact_limit=limit)
    builder.run([source], ENCLAVE, lambda stage, done, total: print(f"\r{stage} {done} of {total}   ", end=""))
    print()
    return open_enclave_index(store, folder, ENCLAVE, encoder), time.perf_counter() - began


def asked(index: EnclaveIndex, questions: list[tuple[str, Vectors, set[str]]]) -> tuple[dict[str, Any], Found]:
    """What one engine found of each question, and the figures of it."""
    figures: dict[str, Any] = {}
    found: Found = {}
    for mode in MODES:
        seconds, found[mode] = [], []
        for text, vector, _ in [*questions[:WARM], *questions]:
            began = time.perf_counter()
            ranking = index.search(text, vector, mode, K)
            seconds.append(time.perf_counter() - began)
            found[mode].append([id for id, _ in ranking])
        warm = len(questions[:WARM])
        seconds, found[mode] = sorted(seconds[warm:]), found[mode][warm:]
        hits = [gold <= {document(id) for id in ids} for ids, (_, _, gold) in zip(found[mode], questions, strict=True)]
        figures[mode] = {
            "both@20": common.mean(hits, 100.0),
            "ms": 1000 * statistics.median(seconds),
            "ms.95": 1000 * seconds[int(0.95 * len(seconds))],
        }
    return figures, found


def document(passage: str) -> str:
    """The id in the data of the document that a passage is of."""
    return passage.rpartition("@")[0].rpartition("#")[2]


def share(these: list[list[str]], those: list[list[str]]) -> common.Mean:
    """How many of the first 20 here are among the first 20 there, of a hundred."""
    both = zip(these, those, strict=True)
    return common.mean((len({*one} & {*other}) / max(1, len(one)) for one, other in both), 100)


def nearest(store: Store, encoder: Encoder, questions: list[tuple[str, Vectors, set[str]]]) -> list[list[str]]:
    """The 20 nearest of all vectors, for each question."""
    _, ids, matrix = store.vectors(ENCLAVE, encoder.name, encoder.dimension)
    rows = matrix.astype(np.float32)
    return [[ids[i] for i in np.argsort(-(rows @ vector), kind="stable")[:K]] for _, vector, _ in questions]


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--url", required=True, help="the address of a database")
    parser.add_argument("--passages", type=int, default=105_732)
    parser.add_argument("--encoder", default="minilm", help="as models.encoder")
    parser.add_argument("--graph", type=int, default=50_000, help="vectors from which on there is a graph")
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    source = passages(given.data, given.workspace, given.passages)
    encoder = encoder_of(load(None, {}, {"models.encoder": given.encoder}))
    held = {json.loads(line)["_id"] for line in source.read_text("utf8").splitlines()}
    rows = map(json.loads, (given.data / "hotpotqa/dev.jsonl").read_text("utf8").splitlines())
    chosen = [(row["question"], {*row["gold"]}) for row in rows if row["covered"] and {*row["gold"]} <= held]
    questions = [(text, encoder.encode_query(text, Skill.SINGLE), gold) for text, gold in chosen[: given.limit]]
    figures: dict[str, Any] = {"passages": given.passages, "encoder": encoder.name, "questions": len(questions)}
    found: dict[str, Found] = {}
    for name, url in (("files", ""), ("database", given.url)):
        with open_store(given.workspace, StoreSettings(url)) as store:
            opened, seconds = index(store, given.workspace / "indexes", source, encoder, given.graph)
            print(name)
            figures[name], found[name] = asked(opened, questions)
            figures[name]["seconds"] = seconds
            if not url:
                exact = nearest(store, encoder, questions)
                files = [store.path, *(given.workspace / "indexes").rglob("*")]
                figures[name]["bytes"] = sum(one.stat().st_size for one in files if one.is_file()) / given.passages
            elif isinstance(store, PostgresStore) and isinstance(kept := store.of(ENCLAVE), EnclaveStore):
                size = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = "
                ((total,),) = kept._all(f"{size} to_regnamespace(?)", (f"answerable_{ENCLAVE}",))
                figures[name]["bytes"] = float(total) / given.passages
            figures[name]["exact@20"] = share(exact, found[name]["dense"])
    figures["same@20"] = {mode: share(found["files"][mode], found["database"][mode]) for mode in MODES}
    print(json.dumps(figures, indent=1))
    common.write(given.json, figures, len(questions))


if __name__ == "__main__":
    main()
