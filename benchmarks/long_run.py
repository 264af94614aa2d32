"""A long evaluation: memory as questions go by, and a run killed again and again against one left alone.

    python benchmarks/long_run.py --data DATA [--limit 10000] [--kills 5] [--json FILE]

The reader without weights reads SubjQA's questions, since what is measured is the run and not the reader. The process
is killed (SIGKILL) at moments spread over the time that the undisturbed run took, and started again until it is done.
Its measures must then be those of the undisturbed run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import common


def command(data: Path, questions: int, run: Path) -> list[str]:
    """The evaluation."""
    file = data / "subjqa" / "subjqa.json.gz"
    program = [sys.executable, "-m", "answerable", "evaluate", "reading", "--data", str(file)]
    return [*program, "--limit", str(questions), "--run", str(run), "--json"]


def whole(line: list[str], environment: dict[str, str]) -> tuple[dict[str, Any], float, float]:
    """Run it to its end: what it printed, seconds, and its peak memory in MB."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(line, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"the evaluation ended with {process.returncode}")
        out.seek(0)
        return json.load(out), time.perf_counter() - began, used.ru_maxrss / 1e3


def main(words: list[str] | None = None) -> None:
    """Run, and end with an error when the killed run differs."""
    parser = common.parser(__doc__, "data", limit=10_000, seed=1)
    parser.add_argument("--kills", type=int, default=5)
    given = parser.parse_args(words)
    environment = {**os.environ, "ANSWERABLE_MODELS_READER": "overlap"}
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        _, _, small = whole(command(given.data, given.limit // 10, folder / "tenth.jsonl"), environment)
        line = command(given.data, given.limit, folder / "whole.jsonl")
        undisturbed, seconds, large = whole(line, environment)
        line = command(given.data, given.limit, folder / "killed.jsonl")
        kept = []
        for _ in range(given.kills):
            process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            time.sleep(rng.uniform(0.3, 0.9) * seconds)
            process.send_signal(signal.SIGKILL)
            process.wait()
            run = folder / "killed.jsonl"
            kept.append(run.read_bytes().count(b"\n") - 1 if run.exists() else 0)
        resumed, _, _ = whole(line, environment)
    same = all(undisturbed[part] == resumed[part] for part in ("questions", "measures", "counts", "slices", "risk"))
    figures = {
        "questions": given.limit,
        "kills": given.kills,
        "kills before the end": sum(count < given.limit for count in kept),
        "seconds": seconds,
        "peak.MB.tenth": small,
        "peak.MB": large,
        "same": float(same),
    }
    common.tell(given.json, figures)
    if not same:
        raise SystemExit("the killed run differs from the undisturbed one")


if __name__ == "__main__":
    main()
