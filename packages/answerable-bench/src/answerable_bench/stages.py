"""Stages that resume: each writes its files whole, then a record of what it was made from and what came out.

A stage whose record has the key it would get now, and whose files are there, is not run again. Its key covers what it
depends on and the key of the stage before, so that a change runs what follows anew.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from answerable.datasets.records import lines
from answerable.errors import FormatError, UsageError, WorkspaceError
from answerable.printing import plain_cell, replacing, safe_cell

Counts = dict[str, int]
"""What a stage counted, in the order it is told."""
Progress = Callable[[str, int, int], None]
RECORDS = "stages"
_AS_CSV = "save it as CSV UTF-8"
_FORM = 2
"""Grows when a stage comes to make something else of the same, so that older results are not taken for its."""


class Done(NamedTuple):
    """A stage that is finished. `resumed`: it was finished before."""

    name: str
    counts: Counts
    seconds: float
    resumed: bool


class Stages:
    """The stages of one folder, in the order they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: list[Done] = []
        self._key = ""
        self._anew = False

    def run(self, name: str, given: Mapping[str, Any], files: Sequence[str], make: Callable[[], Counts]) -> Done:
        """Run `make`, which writes `files` in the folder, unless that was done from the same `given`.

        Raises `WorkspaceError` where the folder cannot be written.
        """
        told = json.dumps([_FORM, name, self._key, given], sort_keys=True, default=str)
        self._key = hashlib.sha256(told.encode()).hexdigest()
        record = self.folder / RECORDS / f"{name}.json"
        done = None if self._anew else self._finished(name, record, files)
        if done is None:
            self._anew = True  # whatever follows is made from what is made here
            started = monotonic()
            try:
                record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                record.unlink(missing_ok=True)
                counts = make()
                seconds = round(monotonic() - started, 2)
                write_json(record, {"key": self._key, "counts": counts, "seconds": seconds})
            except OSError as error:
                what = error.strerror or type(error).__name__
                raise WorkspaceError(f"{self.folder} cannot be written: {what}") from error
            done = Done(name, counts, seconds, resumed=False)
        self.done.append(done)
        return done

    def _finished(self, name: str, record: Path, files: Sequence[str]) -> Done | None:
        try:
            kept = json.loads(record.read_text("utf-8"))
            if kept["key"] == self._key and all((self.folder / file).is_file() for file in files):
                return Done(name, dict(kept["counts"]), float(kept["seconds"]), resumed=True)
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no record, or one that was cut off: the stage is run
        return None


def begun(folder: Path, sources: Iterable[Path], mark: str, what: str) -> Stages:
    """The stages of a folder, made for its owner alone, that holds `mark` where it was begun before.

    Raises `UsageError` for a folder that holds something else, or that one of the sources lies in.
    """
    for path in sources:
        if folder.resolve() in (path.resolve(), *path.resolve().parents):
            raise UsageError(f"{path} is in {folder}, where files are replaced", hint="name another folder")
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / mark).exists())):
        raise UsageError(f"{folder} exists and is no {what}", hint="name a new folder")
    (folder / RECORDS).mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    return Stages(folder)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write one JSON object, for its owner alone, whole or not at all."""
    write_text(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write records a line each, for their owner alone, whole or not at all; how many there were."""
    count = 0
    with replacing(path) as file:
        for record in records:
            count += 1
            file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
    return count


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file that a stage wrote. Raises `FormatError` where one is damaged."""
    for row in lines(path):
        yield row.fields


def known(kind: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Of a record the fields that a dataclass has; those of older builds may have more."""
    return {field.name: row[field.name] for field in fields(kind)}


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text file as it is, for its owner alone, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode(encoding))


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV for people, for its owner alone, whole or not at all, in which no cell is a formula."""
    made = StringIO(newline="")
    writer = csv.writer(made)
    writer.writerow(columns)
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    write_text(path, made.getvalue(), "utf-8-sig")


def read_table(path: Path, needed: Collection[str], read: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of such a table, each with its number as a spreadsheet counts. Raises `FormatError`, `UsageError`."""
    try:
        reader = csv.DictReader(StringIO(text_of(path), newline=""))
        if missing := set(needed) - set(reader.fieldnames or ()):
            raise FormatError(f"{path} has no column `{sorted(missing)[0]}`", hint="export it again")
        for number, row in enumerate(reader, start=2):
            yield number, {name: plain_cell(row.get(name) or "") for name in {*needed, *read}}
    except csv.Error:
        raise FormatError(f"{path} is no CSV in UTF-8", hint=_AS_CSV) from None


def text_of(path: Path) -> str:
    """What people hand back. Raises `FormatError` for what is not UTF-8, `UsageError` where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path} is no CSV in UTF-8", hint=_AS_CSV) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="check the path") from error


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"
