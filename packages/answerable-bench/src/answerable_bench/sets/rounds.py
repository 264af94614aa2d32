"""Rounds of questions to people: given out as a table (CSV) or a page that works offline, and taken back from either.

A round shows tasks and asks the same few questions of each. Whoever answers has a name; answers are kept by task and
name beside the build, and a later answer to the same task by the same person replaces the earlier. Answers to what has
since been put in other words are passed over.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from answerable.errors import FormatError, UsageError
from answerable.printing import plain_cell, safe_cell
from answerable_bench.sets.forms import ANNOTATOR, Asked, Round, Task
from answerable_bench.sets.page import page
from answerable_bench.stages import Counts, read_jsonl, write_jsonl, write_text

Answer = dict[str, Any]
Read = Callable[[Task, Mapping[str, str], str], Answer | None]
"""The answer in a row of a task, or None where there is none yet. Raises `FormatError`, which names the place given."""


def give_out(one: Round, folder: Path, tasks: Sequence[Task], path: Path, annotator: str) -> int:
    """Write the tasks as a page where `path` ends in .html, else as a table; how many there are.

    Answers of the same annotator that are already there are filled in.
    """
    known = {_key(one, row): row for row in answers(one, folder) if row[ANNOTATOR] == annotator}
    filled = [{**task, ANNOTATOR: annotator, **_written(one, known.get(_key(one, task)), task)} for task in tasks]
    if path.suffix.lower() in (".html", ".htm"):
        write_text(path, page(one, filled, annotator))
        return len(filled)
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8-sig", newline="") as file:
        part.chmod(0o600)
        writer = csv.writer(file)
        writer.writerow(one.columns)
        for row in filled:
            writer.writerow([safe_cell(row[name]) for name in one.columns])
    part.replace(path)
    return len(filled)


def take_in(one: Round, folder: Path, tasks: Sequence[Task], path: Path, read: Read) -> Counts:
    """Read answers back, from a table or from what the page saved, and keep them; how many there are now, and of how
    many tasks there is none.

    Raises `FormatError` where one is not of the round's form or of no task of this build; then nothing is kept.
    """
    known = {_key(one, task): task for task in tasks}
    kept = {(_key(one, row), row[ANNOTATOR]): row for row in answers(one, folder)}
    for where, cells in _rows(one, path):
        task = known.get(_key(one, cells))
        if task is None:
            raise FormatError(f"{where} is of no task of this build", hint="export the round again")
        answer = read(task, cells, where)
        if answer is None:
            continue
        annotator = cells[ANNOTATOR].strip()
        if not annotator:
            raise FormatError(f"{where} has no annotator", hint="a name or a number for whoever answers")
        kept[_key(one, cells), annotator] = {name: cells[name] for name in one.keys} | {ANNOTATOR: annotator} | answer
    write_jsonl(folder / one.file, kept.values())
    met = {key for key, _ in kept}
    return {"answers": len(kept), "tasks": len(known), "open": sum(key not in met for key in known)}


def answers(one: Round, folder: Path) -> list[Answer]:
    """The answers kept so far."""
    return list(read_jsonl(folder / one.file)) if (folder / one.file).is_file() else []


def choice(asked: Asked, cells: Mapping[str, str], where: str) -> str:
    """The value chosen, by its first letters or its number from the top. Raises `FormatError` where it is none."""
    given = cells[asked.name].strip().casefold()
    names = [name for name, _ in asked.choices]
    if given in names:
        return given
    found = [name for name in names if given and name.startswith(given)]
    if len(found) != 1:
        raise FormatError(f"{where} has no {asked.name} of {', '.join(names)}", hint="correct it")
    return found[0]


def _key(one: Round, row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in one.keys)


def _written(one: Round, answer: Answer | None, task: Task) -> dict[str, str]:
    """What an answer looks like in its columns; nothing where the task has changed since."""
    empty = {question.name: "" for question in one.asked}
    if answer is None or answer.get("query", task.get("query")) != task.get("query"):
        return empty
    return empty | {name: str(answer.get("cells", {}).get(name, answer.get(name, ""))) for name in empty}


def _rows(one: Round, path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row and where it stands: of a table, or of the JSON that a page saves."""
    needed = {*one.keys, ANNOTATOR, *(question.name for question in one.asked)}
    try:
        text = path.read_text("utf-8-sig")
        if text.lstrip()[:1] == "{":
            given = json.loads(text)
            if given.get("round") != one.name:
                raise FormatError(f"{path} is of another round", hint=f"the answers of {one.name}")
            for number, row in enumerate(given["answers"], start=1):
                yield f"answer {number} of {path}", {name: str(row.get(name, "")) for name in needed}
            return
        reader = csv.DictReader(StringIO(text, newline=""))
        if missing := needed - set(reader.fieldnames or ()):
            raise FormatError(f"{path} has no column `{sorted(missing)[0]}`", hint="export the round again")
        for number, cells in enumerate(reader, start=2):
            yield f"row {number} of {path}", {name: plain_cell(cells.get(name) or "") for name in needed}
    except (UnicodeDecodeError, csv.Error):
        raise FormatError(f"{path} is no CSV in UTF-8", hint="save it as CSV UTF-8") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise FormatError(f"{path} is not what a page of this round saves", hint="save its answers again") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="check the path") from error
