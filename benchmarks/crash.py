"""Kill -9 while indexing, at random moments: nothing committed may be lost, and the end must be as if undisturbed.

    python benchmarks/crash.py [--data PATH ...] [--kills 50] [--encoder minilm|hashed] [--exact-limit N]
                                [--json FILE]

Indexes PATHs (the shipped sample by default) once in peace. Then again and again in fresh folders, each run killed at
a moment drawn evenly from the time the calm one took and started again until it gets through. After each kill the
store must be sound and hold whatever the dead process had reported; at the end documents, vectors and what 30 queries
return in each mode must equal the calm run's to the last bit. Exits with 1 when they do not.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import answerable
import common
from answerable.corpora.store import Store
from answerable.encoders.choose import HASHED, MINILM, for_passages, open_encoder
from answerable.encoders.encoder import Encoder
from answerable.indexes.build import IndexBuilder
from answerable.indexes.enclave import open_enclave_index
from answerable.types import Skill

ENCLAVE = "crash"
SAMPLE = Path(answerable.__file__).parent / "sample"


def work(folder: Path, given: argparse.Namespace) -> None:
    """Index in this process, and say after each step what the store holds: `stage documents passages vectors`."""
    with Store(folder / "store.sqlite") as store:
        made_by = open_encoder(given.encoder)

        def say(stage: str, _done: int, _total: int) -> None:
            held = store.holdings(ENCLAVE)
            vectors = store.vector_counts(ENCLAVE).get(made_by.name, 0)
            print(stage, held.documents, held.passages, vectors, flush=True)

        print("start 0 0 0", flush=True)
        builder = IndexBuilder(store, folder / "indexes", for_passages(made_by), exact_limit=given.exact_limit)
        builder.run(given.data, ENCLAVE, say)
        say("done", 0, 0)


def start(folder: Path, given: argparse.Namespace) -> tuple[subprocess.Popen[bytes], Path]:
    """A worker that has begun, and the file it reports to."""
    report = folder / "report.txt"
    command = [sys.executable, __file__, "--worker", str(folder), "--encoder", given.encoder]
    command += ["--exact-limit", str(given.exact_limit), "--data", *map(str, given.data)]
    with report.open("wb") as file:
        process = subprocess.Popen(command, stdout=file)
    while not report.stat().st_size and process.poll() is None:
        time.sleep(0.002)
    return process, report


def state(folder: Path, made_by: Encoder) -> tuple[object, ...]:
    """All that a search could show a difference in."""
    with Store(folder / "store.sqlite") as store:
        keys, ids, vectors = store.vectors(ENCLAVE, made_by.name, made_by.dimension)
        index = open_enclave_index(store, folder / "indexes", ENCLAVE, made_by)
        chance = random.Random(0)
        answers = []
        for id in chance.sample(sorted(ids), min(30, len(ids))):
            text = " ".join(store.passages(ENCLAVE, [id])[0].text.split()[:12])
            vector = made_by.encode_query(text, Skill.SINGLE)
            answers += [index.search(text, vector, mode, 20) for mode in ("lexical", "dense", "hybrid")]
        return store.holdings(ENCLAVE), ids, hashlib.sha256(vectors.tobytes()).hexdigest(), answers, keys.tolist()


def check_after_kill(folder: Path, report: Path, made_by: Encoder) -> tuple[str, str]:
    """The stage that was killed, and a fault or an empty string."""
    whole_lines = report.read_bytes().decode().rpartition("\n")[0].splitlines()
    stage, *reported = whole_lines[-1].split()
    sound = sqlite3.connect(folder / "store.sqlite").execute("PRAGMA integrity_check").fetchone()[0]
    with Store(folder / "store.sqlite") as store:
        held = store.holdings(ENCLAVE)
        found = [held.documents, held.passages, store.vector_counts(ENCLAVE).get(made_by.name, 0)]
    if sound != "ok":
        return stage, f"the store is damaged: {sound}"
    if any(a < int(b) for a, b in zip(found, reported, strict=True)):
        return stage, f"lost: reported {reported}, found {found}"
    return stage, ""


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--data", type=Path, nargs="+", default=[SAMPLE / "public", SAMPLE / "private"])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--encoder", default=MINILM, help=f"{MINILM}, {HASHED} or a model's folder")
    parser.add_argument("--exact-limit", type=int, default=200, help="vectors from which a graph is built")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    return parser


def main(words: list[str] | None = None) -> int:
    """Run, print a table, and say by the exit code whether all was well."""
    given = arguments().parse_args(words)
    if given.worker:
        work(given.worker, given)
        return 0
    made_by = open_encoder(given.encoder)
    with tempfile.TemporaryDirectory() as place:
        calm = Path(place) / "calm"
        calm.mkdir()
        process, _ = start(calm, given)
        began = time.perf_counter()
        if process.wait():
            return 1
        length = time.perf_counter() - began
        expected = state(calm, made_by)
        print(f"undisturbed: {length:.1f} s, {expected[0]}")
        return disturb(Path(place), given, made_by, length, expected)


def disturb(
    place: Path, given: argparse.Namespace, made_by: Encoder, length: float, expected: tuple[object, ...]
) -> int:
    """Kill and restart until there were enough kills; 1 when anything was lost or differs."""
    chance = random.Random(given.seed)
    kills: Counter[str] = Counter()
    faults: list[str] = []
    ends = 0
    while kills.total() < given.kills:
        folder = place / f"killed{ends}"
        folder.mkdir()
        process, report = start(folder, given)
        while kills.total() < given.kills:
            try:
                process.wait(chance.uniform(0, length))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            stage, fault = check_after_kill(folder, report, made_by)
            kills[stage] += 1
            faults += [f"kill {kills.total()} during {stage}: {fault}"] if fault else []
            process, report = start(folder, given)
        if process.wait():
            faults.append(f"workspace {ends}: the last run failed")
        elif state(folder, made_by) != expected:
            faults.append(f"workspace {ends}: the end differs from the undisturbed one")
        ends += 1
    print("| killed during | kills |\n|---|---|")
    for stage, count in kills.most_common():
        print(f"| {stage} | {count} |")
    print(f"\n{kills.total()} kills, {ends} workspaces finished, {len(faults)} faults")
    print("\n".join(faults))
    figures = {"kills": kills.total(), "workspaces": ends, "faults": len(faults), "during": dict(kills)}
    common.write(given.json, figures, kills.total())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
