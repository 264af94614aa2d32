"""Records of the files data sets come in: JSONL, one great JSON array or object, TSV; plain or gzip; one at a time.

A record is strict: a field that is asked for is there and of its type, or a `FormatError` names the file, the record
(counted from 1) and the field. No error carries text of the data.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

from answerable.errors import FormatError, UsageError

T = TypeVar("T")

_KINDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}

_SHA256 = {
    "train-v1.1.json": "3527663986b8295af4f7fcdff1ba1ff3f72d07d61a20f487cb238a6ef92fd955",
    "dev-v1.1.json": "95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9",
    "train-v2.0.json": "68dcfbb971bd3e96d5b46c7177b16c1a4e7d4bdef19fb204502738552dede002",
    "dev-v2.0.json": "80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8",
    "NQ-open.train.jsonl": "0c93aaf13b12f855628489665e4ef85ffb8573ad444646f11f4fabdc57a0aabf",
    "NQ-open.dev.jsonl": "f15567f38099f3615f5b8a685c0aef449c11ad90d3da3735e8d1b98115b40616",
}
"""Published files whose contents are known: what bears such a name must be that file."""


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one record and where it stands: `number` from 1, `inside` the path within it."""

    fields: dict[str, Any]
    path: Path
    number: int
    inside: str = ""

    def __contains__(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.fields.get(name) is not None

    def broken(self, name: str, what: str) -> FormatError:
        """The error that says `what` is wrong with the field `name`."""
        within = f" ({self.inside})" if self.inside else ""
        return FormatError(f"{self.path}: record {self.number}{within}: the field `{name}` {what}", hint=WHOLE)

    def field(self, name: str, kind: type[T]) -> T:
        """The field's value, which is a `kind`. Raises FormatError where it is missing, null or of another type."""
        value = self.fields.get(name)
        if value is None:
            raise self.broken(name, "is missing" if name not in self.fields else "is empty")
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            with suppress(OverflowError):
                value = float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.broken(name, f"is not {_KINDS.get(kind, kind.__name__)}")
        return value

    def text(self, *names: str) -> str:
        """The text of the first of `names` that is there."""
        return self.field(self.one_of(*names), str)

    def name(self, *names: str) -> str:
        """An id: text, or a whole number as text."""
        name = self.one_of(*names)
        value = self.fields[name]
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else self.field(name, str)

    def words(self, name: str) -> str:
        """Text that may be missing or null: then ''."""
        return self.field(name, str) if name in self else ""

    def texts(self, *names: str) -> tuple[str, ...]:
        """A list of texts under the first of `names` that is there."""
        name = self.one_of(*names)
        values = self.field(name, list)
        if not all(isinstance(value, str) for value in values):
            raise self.broken(name, "is not a list of texts")
        return tuple(values)

    def pairs(self, name: str, first: type, second: type) -> tuple[tuple[Any, Any], ...]:
        """A list of two-element lists of these types."""
        values = self.field(name, list)
        for value in values:
            if not (isinstance(value, list) and len(value) == 2):
                raise self.broken(name, "is not a list of pairs")
            if not (isinstance(value[0], first) and isinstance(value[1], second)):
                kinds = " and ".join(_KINDS.get(kind, "anything") for kind in (first, second))
                raise self.broken(name, f"is not a list of pairs of {kinds}")
        return tuple((value[0], value[1]) for value in values)

    def record(self, name: str) -> Record:
        """An object under `name`, as a record of its own."""
        return replace(self, fields=self.field(name, dict), inside=_path(self.inside, name))

    def records(self, name: str) -> Iterator[Record]:
        """The objects of a list under `name`, each as a record of its own."""
        for number, value in enumerate(self.field(name, list), start=1):
            if not isinstance(value, dict):
                raise self.broken(name, "is not a list of objects")
            yield replace(self, fields=value, inside=_path(self.inside, f"{name} {number}"))

    def one_of(self, *names: str) -> str:
        """The first of `names` that is there and not null. Raises FormatError where none is."""
        for name in names:
            if name in self:
                return name
        if len(names) == 1 and names[0] in self.fields:
            raise self.broken(names[0], "is empty")
        raise self.broken("` or `".join(names), "is missing")


def _path(inside: str, name: str) -> str:
    return f"{inside}, {name}" if inside else name


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The file as UTF-8 text, unpacked where it is gzip. Raises UsageError where it cannot be opened, FormatError where
    it breaks while it is read."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
    except OSError as error:
        raise UsageError(f"cannot open {path}: {error.strerror}", hint="check the path") from error
    try:
        opener = gzip.open if packed else open
        with opener(path, "rt", encoding="utf-8-sig", newline="") as stream:
            yield stream
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text", hint=WHOLE) from error
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{path} breaks off or is damaged", hint="fetch it again") from error


def check(path: Path) -> None:
    """Raise FormatError where a file bears the name of a published one whose contents are known, and is not it."""
    wanted = _SHA256.get(path.name)
    if wanted is None or not path.is_file():
        return
    with path.open("rb") as raw:
        found = hashlib.file_digest(raw, "sha256").hexdigest()
    if found != wanted:
        raise FormatError(
            f"{path} is not the published {path.name}: its sha256 is {found[:12]}…, not {wanted[:12]}…",
            hint="fetch it again, or rename it if it was changed on purpose",
        )


def lines(path: Path) -> Iterator[Record]:
    """The records of a JSONL file, in order; blank lines are passed over and not counted."""
    number = 0
    with open_text(path) as stream:
        for line in stream:
            if not line.strip():
                continue
            number += 1
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{path}: record {number} is not JSON", hint=WHOLE) from error
            if not isinstance(fields, dict):
                raise FormatError(f"{path}: record {number} is not a JSON object", hint=WHOLE)
            yield Record(fields, path, number)


def rows(path: Path, columns: tuple[str, ...]) -> Iterator[Record]:
    """The rows of a TSV file of these columns (quoted as CSV is), as records of texts; a header row is passed over."""
    number = 0
    with open_text(path) as stream:
        try:
            for row in csv.reader(stream, delimiter="\t"):
                if not row or (number == 0 and tuple(row) == columns):
                    continue
                number += 1
                if len(row) != len(columns):
                    raise FormatError(f"{path}: record {number} has {len(row)} columns, not {len(columns)}", hint=WHOLE)
                yield Record(dict(zip(columns, row, strict=True)), path, number)
        except csv.Error as error:
            raise FormatError(f"{path}: record {number + 1} is not a row of a TSV file", hint=WHOLE) from error


def elements(path: Path, under: str | None = None) -> Iterator[Record]:
    """The objects of a JSON array, one at a time: the whole file is the array, or it stands in the field `under` of
    an object. Raises FormatError where there is no such array."""
    number = 0
    with open_text(path) as stream:
        source = JsonText(stream, path)
        if under is not None and not any(key == under for key in source.names()):
            raise FormatError(f"{path} has no field `{under}`", hint=WHOLE)
        for number, value in enumerate(source.items(), start=1):
            if not isinstance(value, dict):
                raise FormatError(f"{path}: record {number} is not a JSON object", hint=WHOLE)
            yield Record(value, path, number)


def any_objects(path: Path) -> Iterator[Record]:
    """The records of a file that is either JSONL or a JSON array, by its first character."""
    with open_text(path) as stream:
        first = JsonText(stream, path).peek()
    yield from elements(path) if first == "[" else lines(path)


def first_fields(path: Path) -> frozenset[str]:
    """The names of the first record's fields, whatever the file's form: JSONL, an array, an array in a field `data`, or
    an object of objects. Empty where it is none of these. Reads no further than it must."""
    with open_text(path) as stream:
        source = JsonText(stream, path)
        first = source.peek()
        if first not in ("{", "["):
            return frozenset()
        names = []
        if first == "{":
            for name in source.names():
                names.append(name)
                if name == "data" and source.peek() == "[":
                    break
                value = source.value()
                if isinstance(value, dict) and len(names) == 1:
                    return frozenset(value)
            else:
                return frozenset(names)
        value = next(source.items(), None)
        return frozenset(value) if isinstance(value, dict) else frozenset()


def unique(values: Iterator[T] | tuple[T, ...] | list[T]) -> tuple[T, ...]:
    """The values in order, each once."""
    return tuple(dict.fromkeys(values))


def content_id(title: str, text: str) -> str:
    """The id of a passage that has none of its own: the first 16 hex digits of the SHA-256 of its title and text."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]


def joined(sentences: tuple[str, ...]) -> str:
    """The text of sentences: as they are where they bring their own blanks (HotpotQA), else with a blank between."""
    own = any(sentence[:1].isspace() for sentence in sentences[1:])
    return ("" if own else " ").join(sentences).strip()


WHOLE = "check that the file is whole and of the data set it is read as"
"""The way out of most errors of a data set's file."""

_CHUNK = 1 << 20


class JsonText:
    """A JSON text that is parsed value by value as it is read, so that memory holds one value at a time."""

    def __init__(self, stream: TextIO, path: Path) -> None:
        self._stream, self._path = stream, path
        self._text, self._at = "", 0
        self._decoder = json.JSONDecoder()
        self._skip = True

    def names(self) -> Iterator[str]:
        """The names of the object that starts here. After each the caller takes its `value`, its `items`, or stops;
        a value that is not taken is passed over."""
        self._take("{")
        if self.peek() == "}":
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._broken()
            self._take(":")
            self._skip = True
            yield key
            if self._skip:
                self.value()
            if self.peek() != ",":
                self._take("}")
                return
            self._take(",")

    def items(self) -> Iterator[Any]:
        """The values of the array that starts here."""
        self._take("[")
        if self.peek() == "]":
            return
        while True:
            yield self.value()
            if self.peek() != ",":
                self._take("]")
                return
            self._take(",")

    def value(self) -> Any:
        """The value that starts here."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._more():
                    raise self._broken() from error
                continue
            if end == len(self._text) and self._more():
                continue  # a number may go on
            self._at = end
            self._skip = False
            return value

    def peek(self) -> str:
        """The next character that is not blank, or '' at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise self._broken()
        self._at += 1

    def _more(self) -> bool:
        rest = len(self._text) - self._at
        chunk = self._stream.read(max(_CHUNK, rest))  # twice as much each time, so that a long value costs no square
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)

    def _broken(self) -> FormatError:
        return FormatError(f"{self._path} is not JSON of the form expected, or breaks off", hint=WHOLE)
