"""How bytes, building, searching and memory grow with the passages of an enclave: files, as it ships.

    python benchmarks/curves.py --data DATA --workspace DIR [--sizes 10000 100000 1000000] [--database 1000000]

The first `--real` passages of the pool of `multihop` are real, and so are their vectors (MiniLM); each of the others is
half of one and half of another, with the vector between theirs, at length 1, so that nothing takes hours to encode.
They go through the reader of files, the store, BM25 and, from 50,000 on, signs, like all others. Searches are
HotpotQA's questions; `recall@20`: of the 20 nearest of all vectors. Seconds and milliseconds are of processors, so that
what else runs counts little; `clock`: those of the clock.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.corpora.store import Store
from answerable.encoders.choose import open_encoder
from answerable.encoders.encoder import Asked, Passages, Vectors
from answerable.indexes.build import IndexBuilder
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Mode, silent
from answerable.indexes.postgres.store import PostgresStore
from answerable.indexes.shared import builder_of
from answerable.indexes.vectors import EXACT_LIMIT
from answerable.types import Skill
from answerable.workspace.stores import StoreSettings, open_store
from tests.postgres import address, server

K, WARM, ENCLAVE = 20, 10, "pool"
MODES: tuple[Mode, ...] = ("lexical", "dense", "hybrid")


class Mixed:
    """An encoder that knows the vectors of its passages by their titles."""

    name = "mixed"

    def __init__(self, vectors: Path) -> None:
        self._real: Vectors = np.load(vectors)
        self.dimension = int(self._real.shape[1])

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows."""
        parts = np.array([[int(one) for one in title.split("+")] for title, _ in texts])
        summed: Vectors = self._real[parts[:, 0]] + self._real[parts[:, 1]]
        unit: Vectors = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return unit

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """By MiniLM."""
        return open_encoder("minilm", 1).encode_query(text, skill, passages)

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """One after another."""
        return np.stack([self.encode_query(*one) for one in queries])


def real(data: Path, folder: Path, count: int) -> tuple[list[str], Path]:
    """Real passages, and the file of their vectors, made the first time."""
    rows = [*islice(common.rows(data / "multihop/passages.jsonl.gz"), count)]
    path = folder / f"real-{count}.npy"
    if not path.exists():
        texts = [(row["title"], row["text"]) for row in rows]
        np.save(path, open_encoder("minilm").encode_passages(texts))
    return [f"{row['title']}. {row['text']}" for row in rows], path


def mixture(texts: list[str], folder: Path, size: int) -> Path:
    """So many passages as a file of JSON lines: the title says of which real ones each is."""
    path, draw = folder / f"passages-{size}.jsonl", random.Random(size)
    with open(path, "w", encoding="utf8") as out:
        for number in range(size):
            a = number if number < len(texts) else draw.randrange(len(texts))
            b = a if number < len(texts) else draw.randrange(len(texts))
            text = texts[a] if a == b else texts[a][: len(texts[a]) // 2] + texts[b][len(texts[b]) // 2 :]
            out.write(json.dumps({"_id": str(number), "title": f"{a}+{b}", "text": text}, ensure_ascii=False) + "\n")
    return path


def processors() -> float:
    """Seconds that this process and those it waited for have computed."""
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, (0, -1)))


def indexed(folder: Path, source: Path, vectors: Path) -> dict[str, Any]:
    """Index a file, and tell how long each stage took."""
    told: dict[str, Any] = {}
    with Store(folder / "store.sqlite") as store:
        builder = IndexBuilder(store, folder / "indexes", Mixed(vectors))
        stages: dict[str, Callable[[], object]] = {
            "read": lambda: builder.ingest([source], ENCLAVE),
            "words": lambda: builder.lexical(ENCLAVE),
            "vectors": lambda: builder.vectors(ENCLAVE),
            "signs": lambda: builder.ann(ENCLAVE),
        }
        for name, work in stages.items():
            began, worked = time.perf_counter(), processors()
            work()
            told[name] = {"clock s": time.perf_counter() - began, "s": processors() - worked}
        held = store.holdings(ENCLAVE).passages
    sizes = {"store": (folder / "store.sqlite").stat().st_size}
    for path in (folder / "indexes" / ENCLAVE).iterdir():
        sizes[path.name.split("-")[0]] = sum(file.stat().st_size for file in path.iterdir())
    told["bytes"] = {name: size / held for name, size in sizes.items()}
    return {**told, "passages": held, "bytes a passage": sum(sizes.values()) / held, "build MB": _peak()}


def searched(folder: Path, vectors: Path, questions: list[tuple[str, Vectors]]) -> dict[str, Any]:
    """Search with each question in each way."""
    told: dict[str, Any] = {}
    with Store(folder / "store.sqlite") as store:
        began, worked = time.perf_counter(), processors()
        index = open_enclave_index(store, folder / "indexes", ENCLAVE, Mixed(vectors))
        index.search(*questions[0], "hybrid", K)
        told["open"] = {"clock s": time.perf_counter() - began, "s": processors() - worked}
        told |= timed(index, questions)
        told["search MB"] = _peak()
        told |= {"recall@20": recall(store, index, questions), "searches": len(questions) - WARM}
    return told


def timed(index: EnclaveIndex, questions: list[tuple[str, Vectors]]) -> dict[str, Any]:
    """Milliseconds of a search in each way, of this process and by the clock."""
    told: dict[str, Any] = {}
    for mode in MODES:
        clock, worked_each = [], []
        for number, (text, vector) in enumerate(questions):
            began, worked = time.perf_counter(), time.process_time()
            index.search(text, vector, mode, K)
            if number >= WARM:
                clock.append(time.perf_counter() - began)
                worked_each.append(time.process_time() - worked)
        told[mode] = {"ms": 1000 * statistics.median(worked_each), "clock ms": 1000 * statistics.median(clock)}
    return told


def recall(store: Store, index: EnclaveIndex, questions: list[tuple[str, Vectors]]) -> common.Mean:
    """How many of the 20 nearest of all vectors a search by vectors finds, of a hundred."""
    near = [{id for id, _ in index.search(*one, "dense", K)} for one in questions]
    _, ids, matrix = store.vectors(ENCLAVE, Mixed.name, int(questions[0][1].shape[0]))
    asked = np.stack([vector for _, vector in questions])
    scores = np.concatenate([matrix[i : i + 8192].astype(np.float32) @ asked.T for i in range(0, len(ids), 8192)])
    nearest = [{ids[i] for i in np.argpartition(-one, K)[:K]} for one in scores.T]
    return common.mean((len(here & there) / K for here, there in zip(near, nearest, strict=True)), 100)


def in_database(folder: Path, source: Path, vectors: Path, questions: list[tuple[str, Vectors]]) -> dict[str, Any]:
    """The same in a PostgreSQL that is started for it: by the clock, since the work is another process's."""
    with (
        server("shared_buffers=2GB", "maintenance_work_mem=3GB", "max_wal_size=8GB") as socket,
        open_store(folder, StoreSettings(address(socket, "postgres"))) as store,
    ):
        began = time.perf_counter()
        builder_of(store, folder / "own", Mixed(vectors), exact_limit=EXACT_LIMIT).run([source], ENCLAVE, silent)
        told: dict[str, Any] = {"build": {"clock s": time.perf_counter() - began}}
        index = open_enclave_index(store, folder / "own", ENCLAVE, Mixed(vectors))
        told |= timed(index, questions) | {"recall@20": recall(store, index, questions)}
        assert isinstance(store, PostgresStore)
        of = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = "
        ((total,),) = store.of(ENCLAVE)._all(f"{of} to_regnamespace(?)", (f"answerable_{ENCLAVE}",))
        held = store.holdings(ENCLAVE).passages
    return {**told, "passages": held, "bytes a passage": float(total) / held, "searches": len(questions) - WARM}


def _peak() -> float:
    """Megabytes that this process held at most; `ru_maxrss` would count what started it."""
    said = Path("/proc/self/status").read_text("ascii")
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024


def apart(work: Any, *values: Any) -> dict[str, Any]:
    """Do work in a process of its own, whose memory is nobody else's."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        made: dict[str, Any] = pool.submit(work, *values).result()
        return made


def main(words: list[str] | None = None) -> None:
    """Build and search each size, and print its figures."""
    parser = common.parser(__doc__, "data", "workspace", limit=100)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--real", type=int, default=10_000, help="passages that are encoded")
    parser.add_argument("--database", type=int, nargs="*", default=[], help="sizes that a PostgreSQL is given")
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    texts, vectors = real(given.data, given.workspace, given.real)
    rows = islice(common.rows(given.data / "hotpotqa/dev.jsonl"), given.limit + WARM)
    encoder, asked = open_encoder("minilm", 1), [row["question"] for row in rows]
    questions = [(text, encoder.encode_query(text, Skill.SINGLE)) for text in asked]
    figures: dict[str, Any] = {}
    for size in sorted({*given.sizes, *given.database}):
        folder = given.workspace / str(size)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        source = mixture(texts, given.workspace, size)
        if size in given.sizes:
            built = apart(indexed, folder, source, vectors)
            figures[str(size)] = built | apart(searched, folder, vectors, questions)
        if size in given.database:
            figures[f"{size} in a database"] = in_database(folder, source, vectors, questions)
        print(size, json.dumps(figures, indent=1), flush=True)
        shutil.rmtree(folder)
        source.unlink()
        common.write(given.json, figures, given.limit)


if __name__ == "__main__":
    main()
