"""Files that parse and are wrong inside, thousands of each format: whatever they hold, reading them must end well.

    python benchmarks/fuzzing.py [--inputs 10000] [--formats html pdf ...] [--seconds 2] [--json FILE]

Each input is made from a seed that parses by changes which keep its frame (`fuzz_inputs.py`), and read as `index` reads
files: by a worker, with its passages. Of each format it is counted:

    inside    inputs that came past the frame: they gave text, or were refused for what stands in them
    documents inputs that gave one
    refused   inputs of which one clear line says why they are not read
    slow      inputs that took more than `--seconds` of the processor
    crashed   inputs that ended the worker's process, or took all of its memory
    foreign   inputs at which something was raised that is no error of ours
    untrue    inputs of which a passage is empty, or a section does not lie in its document

Exit code 1 when one of the last four is not 0, or fewer than four in five came inside.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import common
from answerable.corpora.formats import Limits, find_files
from answerable.corpora.worker import Worker
from answerable.errors import FormatError
from answerable.types import Document, Passage
from fuzz_inputs import makers

FRAME = re.compile(
    r"is damaged|no PDF|no Word|damaged XML|locked|not a mailbox|no mail that|binary|NUL bytes|is not the|document type"
)
FOREIGN = re.compile(r"cannot be read \((\w+)\)$")
LEAST_INSIDE = 0.8
FAULTS = ("slow", "crashed", "foreign", "untrue")


def is_true(document: Document, passages: list[Passage]) -> bool:
    """Whether what is said of a text lies in it."""
    length = len(document.text)
    sections = all(0 <= one.start <= one.end <= length for one in document.sections)
    return sections and all(one.text.strip() and 0 <= one.start < one.end <= length for one in passages)


def outcome(worker: Worker, path: Path) -> tuple[str, str]:
    """What became of one input, and the sentence that says so."""
    reports: list[str] = []
    given = 0
    try:
        for document, passages in worker.read(next(iter(find_files([path], print))), "fuzz", reports.append):
            given += 1
            if not is_true(document, passages):
                return "untrue", document.id
    except FormatError as error:
        said = str(error)
        if FOREIGN.search(said):
            return "foreign", said
        if "took longer" in said:
            return "slow", said
        if "ended what reads it" in said or "too much memory" in said:
            return "crashed", said
        return ("outside" if FRAME.search(said) else "refused"), said
    return ("documents", "") if given else ("outside", reports[0] if reports else "nothing")


def fuzz(name: str, given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The figures of one format."""
    ending, make = makers()[name]
    path = folder / f"input{ending}"
    counts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    began = time.perf_counter()
    with closing(Worker(Limits(max_seconds=given.seconds))) as worker:
        for number in range(given.inputs):
            data = make(random.Random(f"{name} {given.seed} {number}"))
            path.write_bytes(data)
            end, said = outcome(worker, path)
            counts[end] += 1
            if end in FAULTS:
                names[FOREIGN.sub(r"\1", said).replace(path.name, "it")] += 1
    inside = given.inputs - counts["outside"]
    figures = {"inputs": given.inputs, "inside": inside, "inside %": 100 * inside / max(given.inputs, 1)}
    figures |= {end: counts[end] for end in ("documents", "refused", *FAULTS)}
    return {**figures, "seconds": round(time.perf_counter() - began, 1), "faults": dict(names)}


def main(words: list[str] | None = None) -> int:
    """Run, print a line a format, and say by the exit code whether all was well."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--inputs", type=int, default=10_000, help="of each format")
    parser.add_argument("--formats", nargs="+", choices=list(makers()), default=list(makers()))
    parser.add_argument("--seconds", type=float, default=2.0)
    given = parser.parse_args(words)
    result: dict[str, Any] = {"formats": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in given.formats:
            result["formats"][name] = figures = fuzz(name, given, Path(folder))
            print(name, json.dumps(figures), flush=True)
            common.write(given.json, result, given.inputs)
    every = result["formats"].values()
    well = all(not any(one[fault] for fault in FAULTS) and one["inside %"] >= 100 * LEAST_INSIDE for one in every)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
