"""Killed at random moments, and on a full disk: nothing committed is lost, no answer is wrong, the next run resumes.

    python benchmarks/crash.py [--data FILE ...] [--first 12] [--kills 500] [--disks 20] [--seed 1] [--json FILE]

The work is a workspace with the models that ship: files are indexed, pairs made of them, and a third of the documents
deleted in three steps, each with its VACUUM. `--data` takes mbox files too, gzipped or not, of which the `--first`
mails are read; without it the shipped sample. It is done once in peace, and then in fresh folders:

- **killed** (SIGKILL) at moments drawn evenly from 0.7 of the processor time that the calm one took, or else from what
  follows the beginning of a deletion, and started again until it gets through, while one process asks and another tries
  to write too;
- **on a full disk**: a file system of a fixed size, `--disks` sizes from nothing to what the calm one took, and then
  more room (Linux, where a user may mount in a namespace of their own).

After each kill and each full disk the store must be sound and hold what the dead process had reported; answers must be
word for word in documents that are there; the end must equal the calm one: documents, vectors, pairs, and what five
questions are answered. No byte of what was deleted may be left in any file. Ends with 1 where one fails.
"""

from __future__ import annotations

import ctypes
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import common
from answerable.cli.demo import SAMPLE
from answerable.errors import AnswerableError
from answerable.workspace import models as chosen
from answerable.workspace import pair_stages as pair_parts
from answerable.workspace.settings import load
from crash_work import SETTINGS, ask, check, needles_of, questions, state, work, write_too

FORK = get_context("fork")  # what is imported here need not be imported by each process that is killed
for _name in ("onnxruntime", "tantivy", "usearch"):
    import_module(_name)
LONGEST = 900.0
"""Seconds after which a process that should end is taken for one that hangs."""


def preload() -> None:
    """Open models once: on one processor they have no threads, and live through the fork of each process killed."""
    models = load(None, os.environ, SETTINGS).models
    for module, name, *of in (
        (chosen, "open_encoder", models.encoder),
        (chosen, "open_reader", models.reader),
        (chosen, "open_matcher", models.matcher),
        (pair_parts, "_skills"),
    ):
        setattr(module, name, cache(getattr(module, name)))
        getattr(module, name)(*of, models.threads)


def process(task: Callable[..., None], *given: Any) -> Any:
    """A process that has begun with a task, quiet but for what goes wrong."""
    made = FORK.Process(target=task, args=given)
    made.start()
    return made


def ended(worker: Any, seconds: float, report: Path, begins: bytes) -> bool:
    """Kill a process after so many seconds of processor time from the moment that it reports what begins with this.

    Whether it ended before that.
    """
    before, start = report.stat().st_size if report.exists() else 0, None if begins else 0.0
    while worker.is_alive():
        try:
            used = sum(map(int, Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
        except OSError:
            break
        now = used / os.sysconf("SC_CLK_TCK")
        if start is None and report.exists() and begins in report.read_bytes()[before:]:
            start = now
        if start is not None and now >= start + seconds:
            worker.kill()
            worker.join()
            return False
        time.sleep(0.001)
    return True


def result(task: Callable[..., Any], *given: Any) -> Any:
    """What a function returns in a process of its own; models opened here would not live through a fork."""
    with tempfile.NamedTemporaryFile() as file:

        def told() -> None:
            Path(file.name).write_text(json.dumps(task(*given)))

        made = process(told)
        made.join(LONGEST)
        if made.exitcode != 0:
            made.kill()
            raise SystemExit(f"{task.__name__} ended with {made.exitcode}")
        return json.loads(Path(file.name).read_text())


class Trial:
    """What all rounds share, and what they found."""

    def __init__(self, place: Path, data: list[Path], seed: int, record: Path | None) -> None:
        self.place, self.data, self.chance, self.record = place, data, random.Random(seed), record
        self.faults: list[str] = []
        self.ends = 0
        self.tally: dict[str, Counter[str]] = {name: Counter() for name in ("during", "asks", "writers", "disks")}
        calm = self.folder("calm")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result(work, calm, data, calm / "report")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.length = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.asked = result(questions, calm)
        self.expected = result(state, calm, self.asked)
        self.needles = result(needles_of, self.folder("words"), data)
        self.end("calm", calm)
        self.bytes = sum(path.stat().st_size for path in (calm / "w").rglob("*") if path.is_file())
        print(f"undisturbed: {self.length:.1f} s, {self.expected[0]}, {len(self.needles)} needles", flush=True)

    def folder(self, name: str) -> Path:
        """A new one."""
        (self.place / name).mkdir()
        return self.place / name

    def end(self, what: str, folder: Path) -> None:
        """Compare what became of it with the calm one, and look for what was deleted."""
        try:
            found = result(state, folder, self.asked)
        except SystemExit as broken:
            self.faults.append(f"{what}: {broken}")
            return
        if self.expected != found:
            parts = [n for n, (one, other) in enumerate(zip(self.expected, found, strict=True)) if one != other]
            self.faults.append(f"{what}: the end differs from the undisturbed one in {parts}")
        every = b"\n".join(path.read_bytes() for path in sorted((folder / "w").rglob("*")) if path.is_file())
        if count := sum(one.encode() in every for one in self.needles):
            self.faults.append(f"{what}: {count} pieces of what was deleted are left")

    def figures(self) -> dict[str, Any]:
        """What was done so far, for the file of results."""
        kills, disks = self.tally["during"].total(), self.tally["disks"]
        numbers = {"kills": kills, "full disks": disks["full"], "faults": len(self.faults)}
        return {**numbers, "workspaces": self.ends, "seconds": round(self.length, 1), **self.tally}

    def tell(self, what: str) -> None:
        """A line, and the file of results as it is now: a long run may be looked at, and ended."""
        print(f"{what}, {len(self.faults)} faults", *self.faults[-1:], flush=True)
        common.write(self.record, self.figures(), max(1, self.tally["during"].total()))

    def killed(self, kills: int) -> None:
        """Kill and start again until there were enough kills."""
        during = self.tally["during"]
        while during.total() < kills:
            folder, ends = self.folder(f"killed{self.ends}"), self.ends
            report, until = folder / "report", folder / "until"
            asker = process(ask, folder, self.asked, until, folder / "asked")
            worker = process(work, folder, self.data, report)
            other = process(write_too, folder, self.data, folder / "other")
            while during.total() < kills:
                begins, most = self.chance.choice(((b"", 0.7 * self.length), (b'{"stage": "delete"', 0.06)))
                if ended(worker, self.chance.uniform(0, most), report, begins):
                    break
                stage, fault = check(folder, report)
                during[stage] += 1
                self.faults += [f"kill {during.total()} during {stage}: {fault}"] if fault else []
                worker = process(work, folder, self.data, report)
            worker.join(LONGEST)
            if worker.exitcode != 0:
                worker.kill()
                self.faults.append(f"workspace {ends}: the last run ended with {worker.exitcode}")
            other.join()
            until.touch()
            asker.join()
            self.tally["writers"][(folder / "other").read_text() if (folder / "other").exists() else "broke"] += 1
            told = json.loads((folder / "asked").read_text())
            self.tally["asks"].update(told["asks"])
            self.faults += [f"workspace {ends}, asking: {one}" for one in told["faults"]]
            self.end(f"workspace {ends}", folder)
            shutil.rmtree(folder)
            self.ends += 1
            self.tell(f"{during.total()} kills, {self.ends} workspaces")

    def full(self, disks: int) -> None:
        """Run on disks of so many sizes, each too small or just large enough; then give it more room."""
        for number in range(disks):
            size = int(2.5 * self.bytes * (number + 1) / disks) // 4096 * 4096 + 65536
            folder, what = self.folder(f"disk{number}"), f"a disk of {size} bytes"
            said, fault = result(on_disk, folder, size, self.data)
            self.tally["disks"][said] += 1
            self.faults += [f"{what}: {fault}"] if fault else []
            self.end(what, folder)
            shutil.rmtree(folder)
            self.tell(f"disk {number + 1} of {disks}: {said}")


def on_disk(folder: Path, size: int, data: list[Path]) -> tuple[str, str]:
    """In a namespace of its own: work on a small disk, look at what is there, work on with more room, copy it out."""
    disk, libc, user, group = folder / "disk", ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    disk.mkdir()
    if libc.unshare(0x1002_0000):  # mounts and users
        raise OSError(ctypes.get_errno(), "no namespace can be made")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "crash", str(disk)], check=True)

    def tried() -> str:
        try:
            work(disk, data, folder / "report")
        except AnswerableError as error:
            return "full" if "is full" in str(error) or "No space left" in str(error) else f"error: {error}"
        return "enough"

    try:
        said = str(result(tried))
        subprocess.run(["mount", "-o", "remount,size=1G", str(disk)], check=True)
        fault = check(disk, folder / "report")[1] if said in ("full", "enough") else said
        again = result(tried)
        fault = fault or ("" if again == "enough" else f"with more room: {again}")
    except SystemExit as broken:
        said, fault = "broke", str(broken)
    shutil.copytree(disk / "w", folder / "w")
    return said, fault


def cut(paths: list[Path], first: int, place: Path) -> list[Path]:
    """The files as they are, but of an mbox the first mails."""
    made = []
    for path in paths:
        if ".mbox" not in path.suffixes:
            made.append(path)
            continue
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rb") as file:
            mails = file.read().split(b"\nFrom ")[:first]
        made.append(place / path.name.removesuffix(".gz"))
        made[-1].write_bytes(b"\nFrom ".join(mails) + b"\n")
    return made


def main(words: list[str] | None = None) -> int:
    """Run, print what was found, and say by the exit code whether all was well."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--data", type=Path, nargs="+", default=[SAMPLE / "public", SAMPLE / "private"])
    parser.add_argument("--first", type=int, default=12, help="mails of each mbox")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--disks", type=int, default=20)
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as place:
        preload()
        data = cut([path.absolute() for path in given.data], given.first, Path(place))
        trial = Trial(Path(place), data, given.seed, given.json)
        trial.full(given.disks)
        trial.killed(given.kills)
    print(json.dumps(trial.figures(), indent=1))
    print("\n".join(trial.faults))
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main())
