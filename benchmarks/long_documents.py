"""Systems that read long documents, over every data set of them: answers, evidence, decisions and time, in one JSON.

    python benchmarks/long_documents.py --data DATA --workspace DIR [--limit 40] [--json FILE]

Each set is one `answerable evaluate navigating` (or `conversing`), whose runs stay in the workspace: what was
interrupted goes on. Questions are those of the report, which nothing was learned from or tuned on; `qasper-development`
are others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import common

DEVELOPMENT = "qasper-development"
"""QASPER marks no evidence in its whole papers; in the paragraphs of the development part it does."""
SETS = (
    "hybridqa",
    "qasper",
    DEVELOPMENT,
    "hotpotqa",
    "2wikimultihopqa",
    "musique",
    "ottqa",
    "nq",
    "squad",
    "policyqa",
    "covidqa",
    "doc2dial",
    "conditionalqa",
    "sharc",
)
ABLATED = ("hybridqa", DEVELOPMENT, "hotpotqa", "sharc")
"""Sets that every system is measured on: those of the paper's tables."""
FEWER = ("walk", "bm25", "passages", "sequential", "single-hop", "no-update")
"""The systems of the others."""


def measured(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """What `answerable evaluate` prints of one data set."""
    task = "conversing" if name.startswith("sharc") else "navigating"
    known, part = ("qasper", "development") if name == DEVELOPMENT else (name, "report")
    folder = given.workspace / "long-documents" / part
    command = [sys.executable, "-m", "answerable", "evaluate", task, "--set", known, "--part", part, "--json"]
    command += ["--data", str(given.data), "--report", str(folder), "--limit", str(given.limit)]
    command += ["--navigator", "skills", "--reader", "span"]
    for system in given.systems or (() if name in ABLATED else FEWER):
        command += ["--system", system]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: the evaluation ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(words: list[str] | None = None) -> None:
    """Run and print a line for each set and system."""
    parser = common.parser(__doc__, "data", "workspace", limit=40)
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--systems", nargs="*", default=[], help="only these")
    given = parser.parse_args(words)
    figures: dict[str, Any] = {}
    for name in given.sets:
        figures[name] = measured(name, given)
        for system, one in figures[name]["systems"].items():
            print(name, system, one["measures"], flush=True)
    common.write(given.json, figures)


if __name__ == "__main__":
    main()
