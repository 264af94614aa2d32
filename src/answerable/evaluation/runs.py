"""A run: what was asked, what was said to it and how long it took, as JSON lines that survive being cut off.

The first line is the header; then a line for each question, in the order of the data, flushed as soon as it is
answered. A last line that was cut off is dropped when the run is opened again. What the header says of the data, the
settings and the versions must be what the evaluation says now. A record has `id` and `question`, what the task keeps,
and `scores` as they were worked out then, for `compare` and `slices`; reports work them out anew. Runs may hold private
answers: their files are readable by their owner alone.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from answerable.errors import BusyError, FormatError, UsageError
from answerable.privacy.small_files import writing as explained

Record = dict[str, Any]
FORMAT = 1
_START = b'{"run":'
"""How a run's file begins, even where it was cut off or is of another version."""
AGAIN = "start the run --fresh"
"""The way out where a run was changed or damaged."""
_SLACK = 1e-9  # what rounding may add to a score of 1
_COMPARED = ("id", "question", "scores", "answer", "confidence", "confidences", "searches")
_HEADER = {"task": str, "data": dict, "settings": dict, "versions": dict, "made": dict}
_SAME = ("task", "data", "settings", "versions")
"""What must not change between the beginning of a run and its end."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a run was made of. `data`: name, digest and count of the questions, and how they were drawn.

    `versions` are those of answerable and of the models; `made` tells Python and platform, which may change.
    """

    task: str
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    made: Mapping[str, str] = field(default_factory=lambda: machine())

    def line(self) -> bytes:
        """The first line of the file."""
        return _line({"run": FORMAT, **asdict(self)})

    @property
    def key(self) -> str:
        """Sixteen hex digits that tell this run from one of other data, settings or versions."""
        same = json.dumps({part: getattr(self, part) for part in _SAME}, sort_keys=True)
        return blake2b(same.encode(), digest_size=8).hexdigest()

    def require(self, other: Header, path: Path) -> None:
        """Raise `UsageError`, naming the first difference, unless `other` may go on with the run in `path`."""
        for part in _SAME:
            ours, theirs = _plain(getattr(self, part)), _plain(getattr(other, part))
            if ours != theirs:
                name, then, now = _difference(part, ours, theirs)
                raise UsageError(
                    f"{path} was made with {name} {then}, not {now}", hint="name another --run, or start --fresh"
                )


def machine() -> dict[str, str]:
    """Python's version and the platform."""
    return {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}


class Run:
    """A run that is being written, opened by `writing`. `done` counts the questions that have a line."""

    def __init__(self, path: Path, file: BinaryIO, done: int) -> None:
        self.path, self.done = path, done
        self._file = file

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record and hand it to the operating system, so that killing this process loses nothing of it.

        Raises `WorkspaceError` when it cannot be written.
        """
        with explained(self.path):
            self._file.write(_line(record))
            self._file.flush()
        self.done += 1


@contextmanager
def writing(path: Path, header: Header, fresh: bool = False) -> Iterator[Run]:
    """A new run in `path`, or the one that is there, to go on with; `fresh` drops what is there.

    Raises `UsageError` when the file is no run, or one of other data, settings or versions; `BusyError` when another
    process is writing it; `WorkspaceError` when it cannot be written.
    """
    from filelock import FileLock, Timeout

    with ExitStack() as stack:
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = path.with_name(f".{path.name}.lock")
            try:
                stack.enter_context(FileLock(lock, timeout=0))
            except Timeout as error:
                raise BusyError(f"{path} is being written by another process", hint="wait until it is done") from error
            stack.callback(_remove, lock)  # when the run is closed, and before the lock is given back
            if fresh:
                _drop(path)
            done, end = _resume(path, header)
            file = stack.enter_context(open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b"))
            file.truncate(end)
            file.seek(end)
            if not end:
                file.write(header.line())
                file.flush()
        yield Run(path, file, done)


def _drop(path: Path) -> None:
    """Remove a run, whole or damaged. Raises `UsageError` for anything else, which was named by mistake."""
    if not path.exists():
        return
    with path.open("rb") as file:
        first = file.read(len(_START))
    if not _START.startswith(first):
        raise UsageError(f"{path} exists and is no run", hint="name another --run")
    path.unlink()


def _remove(lock: Path) -> None:
    with suppress(OSError):  # it cannot be removed while it is open on every system
        lock.unlink(missing_ok=True)


def header_of(path: Path) -> Header:
    """The header of a run. Raises `UsageError` when the file is not there, is no run, or its header is not whole."""
    try:
        with path.open("rb") as file:
            line = file.readline()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error
    found = _parse(line)
    if found is None or found.pop("run", None) != FORMAT:
        raise UsageError(f"{path} is no run of this version", hint="a run is written by answerable evaluate TASK")
    if found.keys() != _HEADER.keys() or not all(isinstance(found[part], kind) for part, kind in _HEADER.items()):
        raise UsageError(f"the header of {path} is not whole", hint=AGAIN)
    return Header(**found)


def records(path: Path) -> Iterator[Record]:
    """The records of a run in order, one at a time; a last line that was cut off is left out.

    Raises `UsageError` when the file is no run, `FormatError` when a line in it is damaged.
    """
    header_of(path)
    for record, _ in _lines(path):
        yield record


@dataclass(frozen=True, slots=True)
class Scored:
    """What runs are compared by. `said`: the answer, None where there is none, or a ranking. Scores are 0 to 1.

    `confidences`: by each method, and `searches`: how many were made, where the run kept them.
    """

    id: str
    question: str
    scores: Mapping[str, float]
    said: str | None
    confidence: float | None
    confidences: Mapping[str, float] | None = None
    searches: int | None = None


def scored(path: Path) -> Iterator[Scored]:
    """The records of a run as they are compared, in order, each checked: the file may have been changed by hand.

    Raises as `records` does, and `FormatError` with the line where a part is missing or of a wrong type, or where an
    id comes again.
    """
    seen: set[str] = set()
    for number, record in enumerate(records(path), start=2):
        parts: list[Any] = [record.get(name) for name in _COMPARED]
        one = Scored(*parts)
        wrong = _wrong(one) or ("`id` is that of an earlier line" if one.id in seen else "")
        if wrong:
            raise FormatError(f"line {number} of {path}: {wrong}", hint=AGAIN)
        seen.add(one.id)
        yield one


def _wrong(one: Scored) -> str:
    """The first part that is not as it was written, in words; '' where all are."""
    checks = {
        "`id` is not text": isinstance(one.id, str),
        "`question` is not text": isinstance(one.question, str),
        "`scores` are not numbers from 0 to 1 by name": isinstance(one.scores, dict)
        and all(map(_share, one.scores.values())),
        "`confidences` are neither null nor numbers from 0 to 1 by name": one.confidences is None
        or (isinstance(one.confidences, dict) and all(map(_share, one.confidences.values()))),
        "`searches` is no number of searches": one.searches is None
        or (type(one.searches) is int and one.searches >= 0),
        "`answer` is neither text nor null": isinstance(one.said, str | None),
        "`confidence` is neither null nor a number from 0 to 1": one.confidence is None or _share(one.confidence),
    }
    return next((words for words, right in checks.items() if not right), "")


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 + _SLACK


def _resume(path: Path, header: Header) -> tuple[int, int]:
    """How many records are whole, and the byte after the last of them: (0, 0) when there is nothing to keep."""
    if not path.exists():
        return 0, 0
    with path.open("rb") as file:
        first = file.readline()
    if not first.endswith(b"\n") and header.line().startswith(first[:16]):
        return 0, 0  # cut off while the header was written
    header_of(path).require(header, path)
    done, end = 0, len(first)
    for _, after in _lines(path):
        done, end = done + 1, after
    return done, end


def _lines(path: Path) -> Iterator[tuple[Record, int]]:
    with path.open("rb") as file:
        end = len(file.readline())
        for number, line in enumerate(file, start=2):
            end += len(line)
            record = _parse(line)
            if record is None or "id" not in record:
                if file.read(1) == b"":
                    return  # the last line: cut off, even if a newline of its text was the last byte written
                raise FormatError(f"line {number} of {path} is damaged", hint=AGAIN)
            yield record, end


def _parse(line: bytes) -> Record | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    """As JSON gives it back: tuples are lists."""
    return json.loads(json.dumps(value))


def _difference(name: str, ours: Any, theirs: Any) -> tuple[str, Any, Any]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in {**ours, **theirs}:
            if ours.get(key) != theirs.get(key):
                return _difference(f"{name}.{key}", ours.get(key), theirs.get(key))
    return name, json.dumps(ours), json.dumps(theirs)
