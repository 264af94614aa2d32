"""Rounds of questions to people: given out as a table (CSV) or a page that works offline, and taken back from either.

A round shows tasks and asks the same few questions of each. Answers are kept by task and name of whoever answers; a
later one replaces the earlier, and those to what has since been put in other words are passed over. How far people
agree is told by majority and by Fleiss' kappa (Fleiss 1971), as in section 3.3.3.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.errors import FormatError
from answerable_bench.grammar import sentences
from answerable_bench.stages import Counts, read_jsonl, read_table, text_of, write_jsonl, write_table, write_text

ID, DOCUMENT, ANNOTATOR = "id", "document", "annotator"
Task = dict[str, str]
"""What is shown of one task, by the name of its column; `id`, and `document` where a query is asked about each."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a round, a column of its table. `choices`: (as it is written, what it means); none: free text."""

    name: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """`file`: where answers are kept; `shown`: the columns of a task; `sentences`: the column whose sentences are
    numbered and can be pointed at, or ""."""

    name: str
    file: str
    title: str
    instructions: tuple[str, ...]
    shown: tuple[str, ...]
    asked: tuple[Asked, ...]
    sentences: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that say which task a row is of."""
        return (ID, DOCUMENT) if DOCUMENT in self.shown else (ID,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table."""
        return (*self.shown, ANNOTATOR, *(one.name for one in self.asked))


def open_round(name: str) -> Round:
    """The round of this name, as `rounds.toml` has it."""
    told = tomllib.loads(Path(__file__).with_name("rounds.toml").read_text("utf-8"))[name]
    asked = (Asked(one["name"], one["text"], tuple(map(tuple, one.get("choices", ())))) for one in told["asked"])
    lists = {field: tuple(told[field]) for field in ("instructions", "shown")}
    return Round(**{"name": name, **told, **lists, "asked": tuple(asked)})


def most(votes: Sequence[bool]) -> bool:
    """Whether more than half of the votes are for it."""
    return 2 * sum(votes) > len(votes)


def fleiss_kappa(rated: Sequence[Sequence[Hashable]]) -> float | None:
    """Agreement beyond chance of the ratings of each thing: 1 where all agree, 0 where they do as by chance.

    κ = (P̄ - P̄_e) / (1 - P̄_e), with P̄ the mean share of agreeing pairs of raters and P̄_e the sum of the squared
    shares of the ratings. Things with another number of ratings than most have (of two or more) are left out. None
    where nothing was rated twice, or only one rating was ever given.
    """
    numbers = Counter(len(ratings) for ratings in rated if len(ratings) > 1)
    if not numbers:
        return None
    raters = max(numbers, key=lambda number: (numbers[number], number))
    counted = [Counter(ratings) for ratings in rated if len(ratings) == raters]
    shares = sum(counted, Counter[Hashable]())
    total = raters * len(counted)
    chance = sum((count / total) ** 2 for count in shares.values())
    if len(shares) < 2:
        return None
    pairs = [sum(count * (count - 1) for count in one.values()) / (raters * (raters - 1)) for one in counted]
    return (sum(pairs) / len(pairs) - chance) / (1 - chance)


def unanimous(rated: Sequence[Sequence[Hashable]]) -> float | None:
    """The share of things rated twice or more whose ratings are all the same, or None where there are none."""
    several = [ratings for ratings in rated if len(ratings) > 1]
    return sum(len(set(ratings)) == 1 for ratings in several) / len(several) if several else None


_FORM = Path(__file__).with_name("page.html")
_HERE = "/*data*/null"


def page(one: Round, tasks: Sequence[Task], annotator: str) -> str:
    """The page with its tasks. Nothing in a task can end the script that holds it."""
    told: dict[str, Any] = {
        "round": one.name,
        "title": one.title,
        "instructions": list(one.instructions),
        "annotator": annotator,
        "columns": list(one.columns),
        "keys": list(one.keys),
        "asked": [{"name": q.name, "text": q.text, "choices": [list(c) for c in q.choices]} for q in one.asked],
        "sentences": one.sentences,
        "tasks": [_shown(one, task) for task in tasks],
    }
    named = hashlib.sha256(json.dumps([one.name, [[task[key] for key in one.keys] for task in tasks]]).encode())
    told["state"] = f"answerable sets {one.name} {named.hexdigest()[:12]}"
    data = json.dumps(told, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        data = data.replace(letter, f"\\u{ord(letter):04x}")
    return _FORM.read_text("utf-8").replace(_HERE, data)


def _shown(one: Round, task: Task) -> dict[str, Any]:
    """The columns of a task; instead of numbered sentences the sentences one by one, to be pointed at."""
    if not one.sentences:
        return dict(task)
    cut = [found.text for found in sentences(task[f"plain {one.sentences}"])]
    return {name: task[name] for name in one.columns if name != one.sentences} | {"cut": cut}


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
    write_table(path, one.columns, ([row[name] for name in one.columns] for row in filled))
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


def present(one: Round, folder: Path, texts: Mapping[str, str]) -> dict[Any, list[Answer]]:
    """The answers to queries in their present words (`texts`, by id), by the query's id, and the document's where
    there is one."""
    found: dict[Any, list[Answer]] = {}
    for row in answers(one, folder):
        if texts.get(row[ID]) == row["query"]:
            found.setdefault(row[ID] if one.keys == (ID,) else _key(one, row), []).append(row)
    return found


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
    if text_of(path).lstrip()[:1] != "{":
        yield from ((f"row {number} of {path}", cells) for number, cells in read_table(path, needed))
        return
    try:
        given = json.loads(text_of(path))
        if given.get("round") != one.name:
            raise FormatError(f"{path} is of another round", hint=f"the answers of {one.name}")
        for number, row in enumerate(given["answers"], start=1):
            yield f"answer {number} of {path}", {name: str(row.get(name, "")) for name in needed}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise FormatError(f"{path} is not what a page of this round saves", hint="save its answers again") from None
