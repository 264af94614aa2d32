"""JSON: lists of objects as tables or a document for each, any other value as one text with a line for each leaf."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from answerable.corpora.lines import labels_in, name_in
from answerable.corpora.sources import File, Limits, Report, clean, decode, distinct, read_whole, short_name, title_from
from answerable.corpora.tables import FREE_NAMES, LONGEST_NAME, NAMES_SHARE, table_of
from answerable.corpora.telegram import read_telegram, telegram_chats
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

_TITLES = ("title", "name", "subject")
_DEEPEST = 40
_LONGEST_ROW = 300
"""Characters in the cells of a row, on the average: half as many as a passage has. What is longer is a text."""
_FILLED = 3
"""Of the cells of a table at least one in so many is filled."""

Leaf = tuple[str, str]
"""Its path, and what stands there."""
Rows = tuple[list[str], list[list[str]]]
"""The names of columns, and cells."""


def read_json(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A file's lists of objects where these are most of it, else all of it as one text.

    A list is a table where its objects say the same things, each once and briefly; of any other list each object is a
    document, called by its title or name. What stands beside a single table are notes above its rows, what stands
    beside other lists is a text of its own. Numbers stay as they are written, and of nulls nothing is said. Chats of
    Telegram are parted by day.
    Raises `FormatError`.
    """
    value = _parsed(decode(read_whole(path, source, limits), source), source)
    if chats := telegram_chats(value):
        yield from read_telegram(chats, source, enclave)
        return
    lists = dict(_lists(value))
    rest = [*chain(*_groups(value, leaving=lists))]
    if len(rest) > sum(map(len, lists.values())):
        lists = {}
    labels = {label for objects in lists.values() for one in objects for label in labels_in(one)}
    known = {"label": sorted(labels)} if labels else {}
    for number, document in enumerate(_documents(value, lists, rest, source, enclave, limits)):
        yield replace(document, meta={**document.meta, **known, "record": number})


def _documents(
    value: object,
    lists: Mapping[str, list[dict[str, Any]]],
    rest: Sequence[Leaf],
    source: str,
    enclave: str,
    limits: Limits,
) -> Iterator[Document]:
    """What `read_json` gives of a value that holds such lists, and `rest` beside them."""
    called, seen, tables = title_from(source), dict[str, int](), {name: _table(lists[name]) for name in lists}
    single = len(lists) == 1 and all(tables.values())
    for name, objects in lists.items():
        title = called if len(lists) == 1 else f"{called}, {name}"
        if rows := tables[name]:
            id_ = source if single else f"{source}#{distinct(short_name(name), seen)}"
            notes = [_line(*leaf) for leaf in rest] if single else ()
            yield table_of(*rows, id_, title, source, enclave, {}, notes)
            continue
        for number, one in enumerate(objects):
            own = name_in(one, number)
            if text := _text(one, limits):
                id_ = f"{source}#{distinct(own, seen)}"
                yield Document(id_, enclave, _title(one) or f"{title} {own}", text, source, "record", (), {})
    if rest and not single:
        title = called if lists else _title(value) or called
        yield Document(source, enclave, title, _text(value, limits, lists), source, "text", (), {})
    elif not lists:
        raise FormatError(f"{source} holds no text")


def _parsed(text: str, source: str) -> Any:
    """The value that a file holds, numbers as they are written. Raises `FormatError`."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise FormatError(f"{source} is not JSON: line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise FormatError(f"{source} is nested too deeply") from None
    level, depth = [value], 0
    while level:
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inner(one)]
        depth += 1
        if depth > _DEEPEST:
            raise FormatError(f"{source} is nested too deeply")
    return value


def _inner(one: dict[str, Any] | list[Any]) -> Collection[Any]:
    return one.values() if isinstance(one, dict) else one


def _lists(value: object, path: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """By their paths the lists of objects that stand in no other list."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _lists(one, _under(path, key))
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield path, value


def _table(objects: Sequence[dict[str, Any]]) -> Rows | None:
    """A list of objects as the rows of a table; None where it is none."""
    leaves = [[*chain(*_groups(one))] for one in objects]
    rows = [dict(row) for row in leaves]
    header = [*dict.fromkeys(name for row in rows for name in row)]
    filled, length = sum(map(len, rows)), sum(len(said) for row in leaves for _, said in row)
    again = filled < sum(map(len, leaves))
    if again or filled * _FILLED < len(header) * len(rows) or length > _LONGEST_ROW * len(rows) or not filled:
        return None
    return header, [[row.get(name, "") for name in header] for row in rows]


def _title(value: object) -> str:
    """What an object is called; empty where it does not say."""
    told = (_said(value.get(key)) for key in _TITLES) if isinstance(value, dict) else ()
    return next((one_line(one) for one in told if one), "")


def _text(value: object, limits: Limits, leaving: Mapping[str, object] | None = None) -> str:
    """A value as a text, a line for each leaf, what each object says a paragraph; no further than to over the limit.
    Paths are said only as long as they are not far more than what stands there, as the header of a table is."""
    told, length, room = list[str](), 0, FREE_NAMES
    for leaves in _groups(value, leaving=leaving):
        for at, (path, said) in enumerate(leaves):
            line = _line(path if room > 0 else "", said)
            told.append(("\n" if at else "\n\n") + line)
            room += NAMES_SHARE * len(said) - (len(line) - len(said))
            length += len(told[-1])
        if length > limits.max_bytes:
            break
    return "".join(told).strip()


def _groups(value: object, path: str = "", leaving: Mapping[str, object] | None = None) -> Iterator[list[Leaf]]:
    """What each object says itself, before what those in it say; without the lists `leaving`, by their paths."""
    if leaving and leaving.get(path) is value:
        return
    if (said := _said(value)) is not None:
        yield [(path, said)] if said else []
    elif isinstance(value, list):
        for one in value:
            yield from _groups(one, path)
    elif isinstance(value, dict):
        held = [(_under(path, key), one, _said(one)) for key, one in value.items()]
        yield [(place, said) for place, _, said in held if said]
        for place, one, said in held:
            if said is None:
                yield from _groups(one, place, leaving)


def _said(value: object) -> str | None:
    """What a leaf says, or a list of leaves that are short; empty where that is nothing, None for any other value."""
    if isinstance(value, list):
        told = ["" if isinstance(one, list | dict) else _said(one) or "" for one in value]
        long = any(isinstance(one, list | dict) for one in value) or any(len(one) > LONGEST_NAME for one in told)
        return None if long else one_line(", ".join(filter(None, told)))
    if isinstance(value, dict):
        return None
    said = str(value).lower() if isinstance(value, bool) else str("" if value is None else value)
    return clean(said).strip()


def _under(path: str, key: str) -> str:
    """The path of what an object calls so."""
    return f"{path} {one_line(clean(key))[:LONGEST_NAME]}".replace("_", " ").strip()[-2 * LONGEST_NAME :]


def _line(path: str, said: str) -> str:
    return f"{path}: {said}" if path else said
