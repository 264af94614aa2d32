"""Do the tests fail when the code is wrong? Small bugs made by machine, one at a time, each against the tests near it.

    pip install mutmut==3.8.1
    python benchmarks/mutation.py [ROOM ...] [--sample 150] [--seed 1] [--most 10] [--minutes 0]
                                    [--json FILE] [--alive]

Of each room all bugs are made that mutmut's operators make within functions (an argument left out, a comparison
turned, a number one more), and a few besides: a condition turned round or left out, a call left out, nothing
returned. What an error says, how a file is written (encoding, indent) and whether a zip is strict are left alone. A
seeded sample of them is tried: the room's tests are collected once, in one process; for each bug a copy of the
process is forked, in which the function's code is exchanged, and the tests that run the line are run, quickest first,
until one fails. So a bug costs about as much as the test that finds it. `--most`: seconds of tests for one bug;
`--minutes`: of bugs, after which a room ends. Bugs outside of functions (a constant, a default) are not made, and a
test that starts processes does not see any.

A bug that no test finds is alive, unless `benchmarks/equivalent_mutants.toml` names it and says why it changes nothing
that is promised. Prints for each room how many were killed, with Wilson's interval of 95 %. `--alive` shows the others.
The rooms that FILE has and that are not named stay in it as they are.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import common
from mutants import SOURCE, Mutant, code_of, mutants

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "benchmarks" / "equivalent_mutants.toml"
DOOR = ("test_retriever.py", "test_retriever_unreachable.py", "indexes/test_prefetch.py", "chains/test_beam.py")
JOINED = ("qapairs/test_shortcut.py", "qapairs/test_early_exit.py", "qapairs/test_answering.py")
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "privacy": (("privacy",), ("privacy", "workspace/test_terms.py", "test_retriever.py", "indexes/test_prefetch.py")),
    "engine": (("engine.py",), ("test_engine.py", *JOINED)),
    "retriever": (
        ("retriever.py", "indexes/in_memory.py"),
        (*DOOR, *JOINED, "chains/test_linking.py"),
    ),
    "chains": (("chains",), ("chains", "indexes/test_prefetch.py", "laws/test_ahead.py", "laws/test_merged.py")),
    "citations": (("corpora/citations.py",), ("corpora/test_citations.py",)),
    "selective": (("selective",), ("selective",)),
    "store": (
        ("corpora/store.py",),
        ("corpora/test_store.py", "corpora/test_store_lookups.py", "corpora/test_ingest.py"),
    ),
    "indexes": (("indexes",), ("indexes", "indexes/test_prefetch.py", "qapairs/index")),
    "wire": (("remote/wire.py",), ("remote/test_wire.py",)),
    "access": (("serving/access.py",), ("serving/test_access.py",)),
}
"""Each room: its files below `src/answerable`, and the tests that are to hold it, below `tests`."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of it: "killed", "late" (killed for taking too long), "alive", or "unrun" where no test runs it."""

    mutant: Mutant
    outcome: str
    seconds: float


class Trial:
    """A plugin of pytest that runs the collected tests against one bug after another, each in a process of its own."""

    def __init__(self, files: Sequence[Path], sample: int, seed: str, most: float, minutes: float) -> None:
        self.files, self.sample, self.seed, self.most = files, sample, seed, most
        self.minutes, self.made = minutes, 0
        self.tried: list[Tried] = []
        self._failed: str | None = None

    def pytest_configure(self) -> None:
        """Generated inputs are the same each time, and a failing one is not made smaller."""
        import hypothesis

        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutation", deadline=None, database=None, derandomize=True, phases=phases)
        hypothesis.settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the first failure of a process."""
        if report.failed and self._failed is None:
            self._failed = report.nodeid

    def pytest_runtestloop(self, session: Any) -> bool:
        """Instead of running the tests: see what each runs, then try the bugs."""
        if session.testsfailed:
            raise SystemExit("the tests cannot be collected")
        gc.unfreeze()
        functions: dict[tuple[str, str], list[FunctionType]] = {}
        for one in gc.get_objects():
            if type(one) is FunctionType:
                functions.setdefault((one.__code__.co_filename, one.__code__.co_qualname), []).append(one)
        gc.freeze()
        session.config._tmp_path_factory.getbasetemp()
        seen = self._seen(session.items)
        made = [one for path in self.files for one in mutants(path)]
        self.made, end = len(made), time.monotonic() + 60 * (self.minutes or math.inf)
        every = sorted((seconds, at) for at, (seconds, _) in enumerate(seen))
        if self._passes(self._quickest(every, session.items), None, ()) is not True:
            raise SystemExit("a test fails when each runs by itself, without any bug")
        for make in random.Random(self.seed).sample(made, min(self.sample, len(made))):
            mutant = make()
            code, file = code_of(mutant), str(SOURCE / mutant.file)
            if code is None:
                continue
            held = functions.get((file, mutant.function), [])
            lines = {(file, number) for number in range(mutant.first, mutant.last + 1)}
            runs = sorted((seconds, at) for at, (seconds, where) in enumerate(seen) if where & lines)
            if not runs or not held:
                self.tried.append(Tried(mutant, "unrun", 0.0))
                continue
            self.tried.append(self._try(mutant, code, held, self._quickest(runs, session.items)))
            print(".x-!"[("killed", "alive", "unrun", "late").index(self.tried[-1].outcome)], end="", flush=True)
            if time.monotonic() > end:
                break
        print()
        return True

    def _seen(self, items: Sequence[Any]) -> list[tuple[float, set[tuple[str, int]]]]:
        """For each test, the seconds of a processor it takes and the lines it runs. Ends where one fails."""
        targets = {str(path) for path in self.files}
        lines: set[tuple[str, int]] = set()

        def trace(frame: Any, event: str, _: Any) -> Any:
            if frame.f_code.co_filename not in targets:
                return None
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            return trace

        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "seen"
            child = os.fork()
            if not child:
                _silent()
                found = []
                threading.settrace(trace)
                for at, item in enumerate(items):
                    lines.clear()
                    began = time.process_time()
                    sys.settrace(trace)
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=(*items, None)[at + 1])
                    sys.settrace(None)
                    found.append((time.process_time() - began, sorted(lines)))
                kept.write_text(json.dumps((self._failed, found)))
                os._exit(0)
            os.waitpid(child, 0)
            failed, seen = json.loads(kept.read_text())
        if failed:
            raise SystemExit(f"{failed} fails without any bug")
        return [(seconds, {(file, line) for file, line in where}) for seconds, where in seen]

    def _quickest(self, runs: Iterable[tuple[float, int]], items: Sequence[Any]) -> list[tuple[float, Any]]:
        """The first of these tests, as many as `most` allows, each with its seconds."""
        chosen: list[tuple[float, Any]] = []
        for seconds, at in runs:
            if not chosen or sum(one for one, _ in chosen) + seconds <= self.most:
                chosen.append((seconds, items[at]))
        return chosen

    def _try(
        self, mutant: Mutant, code: CodeType, held: Sequence[FunctionType], runs: list[tuple[float, Any]]
    ) -> Tried:
        began = time.perf_counter()
        passes = self._passes(runs, code, held)
        outcome = {True: "alive", False: "killed", None: "late"}[passes]
        return Tried(mutant, outcome, time.perf_counter() - began)

    def _passes(
        self, runs: list[tuple[float, Any]], code: CodeType | None, held: Sequence[FunctionType]
    ) -> bool | None:
        """Whether the tests pass with this code in the functions; None where they take too long: ten times the
        processor's seconds they took, or much longer by the clock."""
        limit = math.ceil(5 + 10 * sum(seconds for seconds, _ in runs))
        child = os.fork()
        if not child:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            _silent()
            for function in held:
                function.__code__ = code  # type: ignore[assignment]
            for _, item in runs:  # each on its own, so that the first failure ends it
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if self._failed:
                    os._exit(1)
            os._exit(0)
        status = _waited(child, 12 * limit)
        return None if status is None or os.WIFSIGNALED(status) else status == 0


def _silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)


def _waited(child: int, limit: float) -> int | None:
    """The exit status of a process; None for one that took longer, and was ended with all it began."""
    end, pause = time.monotonic() + limit, 0.002
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(pause)
        pause = min(0.05, pause * 1.3)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def equivalent() -> dict[tuple[str, str, str, str], str]:
    """The bugs that are none, each with the reason: by file, function, and what stands instead of what."""
    rows = tomllib.loads(EQUIVALENT.read_text(encoding="utf8")).get("mutant", []) if EQUIVALENT.exists() else []
    return {(row["file"], row["function"], row["before"], row["after"]): row["why"] for row in rows}


def summed(made: int, tried: Iterable[Tried]) -> dict[str, Any]:
    """The figures of one room, and the bugs that are alive."""
    known, rows = equivalent(), list(tried)
    alive = [one for one in rows if one.outcome in ("alive", "unrun")]
    none = [one for one in alive if _told(one.mutant) in known]
    counts = Counter(one.outcome for one in rows)
    killed, of = counts["killed"] + counts["late"], len(rows) - len(none)
    low, high = common.wilson(killed, of, 1.96)
    return {
        "made": made,
        "tried": len(rows),
        "killed": killed,
        "equivalent": len(none),
        "share": round(killed / of, 4) if of else 1.0,
        "interval": [round(low, 4), round(high, 4)],
        "seconds": round(sum(one.seconds for one in rows), 1),
        "alive": [
            {"outcome": one.outcome, **{k: v for k, v in asdict(one.mutant).items() if k != "text"}}
            for one in alive
            if one not in none
        ],
    }


def _told(mutant: Mutant) -> tuple[str, str, str, str]:
    return mutant.file, mutant.function, mutant.before, mutant.after


def trial(room: str, sample: int, seed: int, most: float, minutes: float) -> dict[str, Any]:
    """Try the bugs of one room in this process."""
    import pytest

    sources, tests = ROOMS[room]
    files = [
        file for one in sources for file in ([SOURCE / one] if one.endswith(".py") else (SOURCE / one).rglob("*.py"))
    ]
    plugin = Trial(sorted(files), sample, f"{seed}/{room}", most, minutes)
    with tempfile.TemporaryDirectory() as folder:
        given = [str(ROOT / "tests" / one) for one in tests if (ROOT / "tests" / one).exists()]
        how = ["-q", "-s", "-x", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
        how += [f"--basetemp={folder}/tests", f"--rootdir={ROOT}"]
        code = pytest.main([*how, *given], plugins=[plugin])
        if not plugin.tried:
            raise SystemExit(f"pytest ended with {code} before any bug of {room} was tried")
    return summed(plugin.made, plugin.tried)


def main(words: list[str] | None = None) -> None:
    """Rooms one after another, each in a process of its own, since modules stay loaded."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("rooms", nargs="*", choices=[[], *ROOMS], metavar="ROOM")
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--most", type=float, default=10.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--alive", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    rooms = given.rooms or list(ROOMS)
    if given.here:
        found = trial(rooms[0], given.sample, given.seed, given.most, given.minutes)
        given.json.write_text(json.dumps(found), encoding="utf8")
        return
    when = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": common.commit(), "seed": given.seed}
    there = given.json and given.json.exists() and given.json.read_text(encoding="utf8")
    results: dict[str, Any] = json.loads(there)["figures"] if there else {"rooms": {}}
    for room in rooms:
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "room.json"
            same = [f"--{key}={getattr(given, key)}" for key in ("sample", "seed", "most", "minutes")]
            subprocess.run([sys.executable, __file__, room, *same, "--json", str(kept), "--here"], check=True)
            found = results["rooms"][room] = {**when, **json.loads(kept.read_text(encoding="utf8"))}
        low, high = found["interval"]
        share = f"{100 * found['share']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        counts = f"{found['killed']} of {found['tried']} killed, {found['equivalent']} change nothing"
        print(f"{room:10} {share}  {counts}; {found['made']} can be made; {found['seconds']} s", flush=True)
        for one in found["alive"] if given.alive else ():
            print(f"  {one['file']}:{one['first']} {one['function']} [{one['outcome']}]")
            print(f"    - {one['before']}\n    + {one['after']}")
        common.write(given.json, results, sum(one["tried"] for one in results["rooms"].values()))


if __name__ == "__main__":
    main()
