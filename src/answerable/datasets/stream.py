"""A JSON text parsed value by value while it is read: files too large to be held whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from answerable.errors import FormatError

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
