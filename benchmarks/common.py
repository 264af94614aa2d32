"""What every program here shares: its arguments, averages with their intervals, and the record that it writes.

A record is a JSON object. `about`: date, commit, machine, versions, and n, how many questions (or what else was
counted) the figures are of. `figures`: what was measured. `intervals`: for each average among the figures, by its path,
what holds 95 % of the averages over as many questions drawn again from the same (Efron and Tibshirani 1993, 13.3).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from answerable.evaluation.metrics.confidence import reliability
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.runs import scored

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # programs measure by what the tests have: servers, browsers, laws
FOLDERS = {"data": "the folder of data sets", "workspace": "where workspaces, runs and models are kept, to go on with"}
COUNTS = ("questions", "trials", "queries", "asks", "n", "searches", "batches", "kills")
"""Names under which figures tell how many there were; of those that are there, the first counts."""
SEED, ROUNDS = 0, 2000


class Mean(float):
    """An average that knows what holds 95 % of those over questions drawn again."""

    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Mean:
        """The average itself."""
        made = super().__new__(cls, value)
        made.low, made.high = low, high
        return made

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]
        """What it is made of, for another process."""
        return float(self), self.low, self.high


def mean(values: Iterable[float], times: float = 1.0) -> Mean:
    """The average of one value a question, so many times as large. Raises `StatisticsError` where there is none."""
    held = [float(value) for value in values]
    if not held:
        raise statistics.StatisticsError("an average needs at least one value")
    found = paired_bootstrap([0.0] * len(held), held, SEED, ROUNDS)
    return Mean(times * found.mean, times * found.low, times * found.high)


def percent(part: int, whole: int) -> float:
    """A share in per cent, to a tenth."""
    return round(100 * part / max(1, whole), 1)


def change(pairs: Sequence[tuple[float, float]]) -> dict[str, float]:
    """What changed on average from the first to the second of each question, with what holds 95 % of it."""
    found = paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs], SEED, ROUNDS)
    return {"queries": len(pairs), "mean": found.mean, "low": found.low, "high": found.high, "p": found.p}


def wilson(count: int, of: int, z: float = 1.959964) -> tuple[float, float]:
    """95 % of a share by the interval of Wilson (1927), which holds for small numbers too; all of [0, 1] of nothing."""
    if not of:
        return 0.0, 1.0
    share, bound = count / of, z * z / of
    middle, spread = share + bound / 2, math.sqrt(share * (1 - share) * bound + bound * bound / 4)
    return max(0.0, (middle - spread) / (1 + bound)), min(1.0, (middle + spread) / (1 + bound))


def sign_test(better: int, worse: int) -> float:
    """Two-sided p that questions which differ fall so unevenly, were either way as likely; 1 where none differs. Of
    right and wrong it is the exact test of McNemar (1947)."""
    n, least = better + worse, min(better, worse)
    return float(min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n))


def believed(told: Iterable[tuple[float, float]]) -> dict[str, dict[str, float]]:
    """What was said with which probability, and whether it is so (1, 0): by tenths of the probability how often it was
    said, what was said on average, and how much of it is so."""
    held = [*told]
    found = reliability([said for said, _ in held], [float(so) for _, so in held]) if held else []
    return {f"{one.low:g}": {"said": one.count, "probability": one.confidence, "so": one.accuracy} for one in found}


def averaged(measures: Mapping[str, float], run: Path) -> dict[str, float]:
    """The averages of a run of `answerable evaluate` with their intervals, where its lines have the same scores."""
    ones, found = list(scored(run)), dict(measures)
    for name, value in measures.items():
        held = [one.scores[name] for one in ones if name in one.scores]
        if held and abs(math.fsum(held) / len(held) - value) < 1e-9:
            found[name] = mean(held)
    return found


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines, packed or not."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def kept(path: Path) -> list[dict[str, Any]]:
    """The records of a run that goes on: none where there is no file yet, and not a last one that was cut off."""
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def write_rows(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write records a line each, all or none, in a folder that is made where it is not there; how many there were."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part, count = path.with_name(path.name + ".part"), 0
    with part.open("w", encoding="utf-8") as lines:
        for one in records:
            lines.write(json.dumps(one, ensure_ascii=False) + "\n")
            count += 1
    part.replace(path)
    return count


def parser(
    doc: str | None, *folders: str, limit: int | None = None, seed: int | None = None, record: bool = True
) -> argparse.ArgumentParser:
    """The arguments that programs have in common: `folders` of `FOLDERS`, all needed, and where a `record` goes."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in folders:
        made.add_argument(f"--{name}", type=Path, required=True, help=FOLDERS[name])
    if limit is not None:
        made.add_argument("--limit", type=int, default=limit, help=f"questions of each set ({limit})")
    if seed is not None:
        made.add_argument("--seed", type=int, default=seed)
    if record:
        made.add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    return made


class Table(list[dict[str, Any]]):
    """The rows of a result, each printed when it is there."""

    def add(self, row: dict[str, Any]) -> None:
        """Take a row, and print its names and numbers in a line."""
        self.append(row)
        cells = [(".".join(path), one) for path, one in leaves(row)]
        print("  ".join(f"{key} {one:.4g}" if isinstance(one, float) else f"{one}" if isinstance(one, str)
                        else f"{key} {one}" for key, one in cells), flush=True)  # fmt: skip


def write(path: Path | None, figures: Any, n: int | list[int] | None = None) -> None:
    """Write the record of a run, whole or not at all; nothing without a path.

    Raises `ValueError` where neither `n` nor the figures say how many questions they are of.
    """
    if path is not None:
        told = about(asked(figures) if n is None else n)
        save(path, {"about": told, "figures": figures, "intervals": means(figures)})


def tell(path: Path | None, figures: Any, n: int | list[int] | None = None) -> None:
    """Print figures, and `write` them."""
    print(json.dumps(figures, indent=1))
    write(path, figures, n)


def save(path: Path, record: Any) -> None:
    """Write JSON, whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    beside.replace(path)


def about(n: int | list[int]) -> dict[str, Any]:
    """When, of what and on what a run was made."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "answerable": version("answerable"),
        "python": platform.python_version(),
        "n": n,
    }


def commit() -> str:
    """The commit of the code that runs, with a `+` where it was changed since; `unknown` outside a clone."""
    said = [_git("rev-parse", "--short=10", "HEAD"), _git("status", "--porcelain", "--", "src")]
    return said[0] + ("+" if said[1] else "") if said[0] else "unknown"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> str:
    """Its processors, and whether they multiply bytes at once (VNNI), on which the speed of every model here hangs."""
    try:
        flags = Path("/proc/cpuinfo").read_text("utf-8", errors="replace")
    except OSError:
        return f"{os.cpu_count()} cores"
    return f"{os.cpu_count()} cores, {'VNNI' if re.search(r'avx(512)?_vnni', flags) else 'no VNNI'}"


def asked(figures: Any) -> int | list[int]:
    """How many questions figures are of, by the first of `COUNTS` that is among them; least and most of several.

    Slices do not count where there is an `all` beside them, nor what stands further in. Raises `ValueError` where none
    is told.
    """
    told = [(path, value) for path, value in leaves(figures) if type(value) is int and value > 0]
    for name in COUNTS:
        found = [(path, value) for path, value in told if path[-1] == name]
        found = [one for one in found if "all" in one[0]] or found
        if found:
            least = min(len(path) for path, _ in found)
            ones = sorted({value for path, value in found if len(path) == least})
            return ones[0] if len(ones) == 1 else [ones[0], ones[-1]]
    raise ValueError("the figures do not say how many questions they are of: give n")


def means(figures: Any) -> dict[str, list[float]]:
    """The intervals among figures, by path: of each `Mean`, and those that `answerable evaluate` tells beside means."""
    found = {"/".join(at): [one.low, one.high] for at, one in leaves(figures) if isinstance(one, Mean)}
    for at, span in leaves(figures):
        if len(at) > 2 and at[-3] == "intervals" and at[-1] in ("0", "1"):
            found.setdefault("/".join((*at[:-3], "measures", at[-2])), []).append(span)
    return found


def leaves(figures: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each figure with its path, as `experiments.place` gives it."""
    if isinstance(figures, dict):
        for name, value in figures.items():
            yield from leaves(value, (*path, str(name)))
    elif isinstance(figures, list | tuple):
        for number, value in enumerate(figures):
            yield from leaves(value, (*path, str(number)))
    else:
        yield path, figures
