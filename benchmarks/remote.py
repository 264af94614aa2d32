"""What a remote enclave on loopback costs. `faults.py` has what it does when requests go wrong.

    python benchmarks/remote.py [--searches 2000] [--askers 1 50] [--json FILE]

The sample's public enclave is searched in this process, and through the shipped
server, a process of its own, by 1 and by 50 askers at once: as fast as they can, and with a pause between searches. A
search is the ranking and its ten passages, by words and by vector; vectors are made beforehand. Told are milliseconds
of a search and what there adds, searches a second, and milliseconds of a processor that a search takes in this process
and in the server. As fast as they can, fifty askers wait for the processors: there the time of a search is fifty over
the searches a second. Measure alone on the machine; processor times stand a busy one better.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import common
from answerable.encoders.encoder import Vectors
from answerable.indexes.sources import SearchableEnclave
from answerable.remote.client import RemoteEnclave
from answerable.remote.place import Place, RemoteSettings
from answerable.types import Skill
from served import Process, questions, sample

K = 10
PAUSE = 0.5
"""Seconds, on average, between two searches in the run with pauses."""
Asked = tuple[str, Vectors]


def timed(
    enclave: SearchableEnclave, asked: Sequence[Asked], askers: int, each: int, pause: float
) -> tuple[list[float], float]:
    """Seconds of each search, sorted, and searches a second, of so many threads that each search `each` times."""
    seconds: list[float] = []
    gate = threading.Barrier(askers)

    def one(number: int) -> None:
        chance = random.Random(number)
        gate.wait()
        time.sleep(chance.uniform(0, pause))
        for text, vector in itertools.islice(itertools.cycle(asked), number, number + each):
            began = time.perf_counter()
            ranking = enclave.search(text, vector, "hybrid", K)
            enclave.passages([id for id, _ in ranking])
            seconds.append(time.perf_counter() - began)
            time.sleep(chance.uniform(0, 2 * pause)) if pause else None

    began = time.perf_counter()
    with ThreadPoolExecutor(askers) as pool:
        list(pool.map(one, range(askers)))
    return sorted(seconds), len(seconds) / (time.perf_counter() - began)


def latency(
    here: SearchableEnclave,
    there: SearchableEnclave,
    process: Process,
    asked: Sequence[Asked],
    given: argparse.Namespace,
) -> dict[str, dict[str, float]]:
    """What a search takes here and there, and what there adds, for every number of askers."""
    figures = {}
    for askers, pause in [*((askers, 0.0) for askers in given.askers), (max(given.askers), PAUSE)]:
        each = max(5, given.searches // askers) if not pause else max(5, int(10 / PAUSE))
        timed(there, asked, askers, 3, 0.0)
        rows = {}
        for name, enclave in (("here", here), ("there", there)):
            own, other = time.process_time(), process.seconds()
            seconds, rows[f"{name}.a second"] = timed(enclave, asked, askers, each, pause)
            rows[f"{name}.processor"] = 1000 * (time.process_time() - own) / len(seconds)
            rows[f"{name}.processor of the server"] = 1000 * (process.seconds() - other) / len(seconds)
            rows |= {f"{name}.median": 1000 * statistics.median(seconds)}
            rows |= {f"{name}.95": 1000 * seconds[int(0.95 * len(seconds))]}
        rows |= {f"added.{which}": rows[f"there.{which}"] - rows[f"here.{which}"] for which in ("median", "95")}
        figures[f"{askers} askers{f', a pause of {pause:g} s' if pause else ''}"] = rows
    return figures


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__)
    parser.add_argument("--searches", type=int, default=2000, help="of all askers together, in each run")
    parser.add_argument("--askers", type=int, nargs="+", default=[1, 50])
    given = parser.parse_args(words)
    os.environ["ANSWERABLE_MODELS_ENCODER"] = "minilm"
    with tempfile.TemporaryDirectory() as place, sample(Path(place), None, "wiki", "mail") as opened:
        retriever = opened.engine().retriever
        asked = [(text, retriever.encoder.encode_query(text, Skill.SINGLE)) for text in questions()[:100]]
        process = Process(Path(place), {"models.encoder": "minilm"}, "-e", "wiki")
        there = RemoteEnclave("wiki", Place(process.url), retriever.encoder, RemoteSettings(60.0, 1))
        figures = latency(retriever.indexes["wiki"], there, process, asked, given)
        there.close()
        process.ended()
    common.tell(given.json, figures, given.searches)


if __name__ == "__main__":
    main()
