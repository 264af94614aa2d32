"""Indexing spread over processes and over a Ray cluster, with workers killed, beside one process: the same, how fast.

    python benchmarks/spreading.py --data DATA --workspace DIR [--limit 1024] [--workers 2] [--kills 3] [--json FILE]

Passages of `multihop` are indexed with the encoder that ships into a new workspace each time, in blocks of 64: by one
process on one processor, by `--workers` processes, and by as many actors of a Ray cluster on this machine; the last two
also with a worker killed (SIGKILL) at `--kills` moments spread over the run. Told of each: passages encoded a second
from the first block asked for to the last one stored, workers' start included; how many blocks were handed out beyond
those that there are; and whether the store holds the same documents, passages and vectors as that of one process.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import answerable
import common
from answerable.indexes import build
from answerable.work.spread import Spread

ENCLAVE = "mail"


def workers_alive() -> list[int]:
    """The processes below this one that encode: spawned ones, and actors of Ray."""
    parents, found = dict[int, int](), []
    for folder in Path("/proc").iterdir():
        try:
            told = (folder / "cmdline").read_bytes()
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if told.startswith(b"ray::_Actor") or b"multiprocessing.spawn" in told or b"multiprocessing-fork" in told:
            found.append(int(folder.name))
    return [one for one in found if os.getpid() in _above(one, parents)]


def _above(process: int, parents: dict[int, int]) -> set[int]:
    above = set[int]()
    while (process := parents.get(process, 0)) and process not in above:
        above.add(process)
    return above


def held(folder: Path) -> str:
    """A digest of what indexing puts into a store."""
    sums = blake2b(digest_size=8)
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        for table in ("documents", "passages", "vectors"):
            for row in sorted(store.execute(f"SELECT * FROM {table}")):
                sums.update(repr(row).encode())
    return sums.hexdigest()


def indexed(source: Path, folder: Path, settings: dict[str, Any], kills: int, chance: random.Random) -> dict[str, Any]:
    """Index into a new folder, killing workers on the way."""
    shutil.rmtree(folder, ignore_errors=True)
    times, killed, handed = list[float](), 0, 0
    give = Spread._give

    def counting(self: Spread, *given: Any) -> None:
        nonlocal handed
        handed += self._jobs > 1  # the first job reads files
        give(self, *given)

    def told(stage: str, done: int, total: int) -> None:
        nonlocal killed
        if stage == "lexical":
            times[:] = [time.perf_counter()]
        if stage != "vectors":
            return
        times.append(time.perf_counter())
        if killed < kills and done * (kills + 1) >= (killed + 1) * total and (there := workers_alive()):
            os.kill(chance.choice(there), signal.SIGKILL)
            killed += 1

    Spread._give = counting  # type: ignore[method-assign,assignment]
    try:
        with answerable.open(folder, create=True, settings={"models.threads": 1, **settings}) as opened:
            passages = opened.index([source], ENCLAVE, progress=told).passages
    finally:
        Spread._give = give  # type: ignore[method-assign]
    blocks = -(-passages // build.BLOCK)
    again = handed - blocks if handed else 0
    return {"passages a second": passages / (times[-1] - times[0]), "kills": killed, "blocks": blocks, "again": again}


def main(words: list[str] | None = None) -> None:
    """Index in each way, one after the other."""
    parser = common.parser(__doc__, "data", "workspace", limit=1024, seed=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=3)
    given = parser.parse_args(words)
    import ray

    build.BLOCK = 64
    given.workspace.mkdir(parents=True, exist_ok=True)
    source = given.workspace / "passages.jsonl"
    with gzip.open(given.data / "multihop" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        source.write_text("".join(islice(lines, given.limit)), "utf-8")
    chance, ways = random.Random(given.seed), dict[str, tuple[dict[str, Any], int]]()
    ways["one process"] = {}, 0
    for kills in (0, given.kills):
        ways[f"processes{', killed' if kills else ''}"] = {"work.processes": given.workers}, kills
        ways[f"ray{', killed' if kills else ''}"] = {"work.cluster": "auto"}, kills
    quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(num_cpus=given.workers, resources={f"enclave:{ENCLAVE}": 1}, _node_ip_address="127.0.0.1", **quiet)
    figures, first = dict[str, Any](), ""
    for name, (settings, kills) in ways.items():
        folder = given.workspace / "made"
        figures[name] = indexed(source, folder, settings, kills, chance)
        first = first or held(folder)
        figures[name] |= {"same": float(held(folder) == first), "load": os.getloadavg()[0]}
        print(name, json.dumps(figures[name]), flush=True)
    ray.shutdown()
    common.write(given.json, figures, given.limit)


if __name__ == "__main__":
    main()
