"""What is printed, whoever wrote it: text that cannot drive a terminal, JSON without a hidden character, cells that no
spreadsheet runs, HTML for notebooks that loads and runs nothing, and files that are written whole or not at all. The
only copies.
"""

from __future__ import annotations

import json
import os
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

_TURNS = frozenset(map(chr, (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070))))
"""Characters that turn the direction of writing, and so can make a line read as what it is not."""
_NOTES = frozenset(map(chr, (*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080))))
"""Characters that say something beside the text, and are not seen: annotations and tags."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that look like a blank."""
_FORMULA = frozenset("=+-@\u2212")
"""How a cell begins that a spreadsheet would run: documents are written by strangers."""


def clean(text: str) -> str:
    """Text that is safe to print, as long as it was: U+FFFD for every control character, which could drive a terminal,
    for what turns the direction of a line, ends it unseen or hides in it, and for lone surrogates.

    Line ends and tabs stay, and so do invisible characters that words are written with, such as joiners.
    """
    return text if text.isprintable() else "".join("\ufffd" if _drives(c) else c for c in text)


def _drives(c: str) -> bool:
    return c in _TURNS or c in _NOTES or (c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"))


def counted(count: int, one: str, more: str = "") -> str:
    """How many there are of something: "1 file", "2,364 files"; `more`: what several are called if not by an "s"."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def consulted(label: Iterable[str]) -> str:
    """A label in words: the private enclaves whose text was looked at for something, cited or not."""
    return f"consulted private text: {', '.join(sorted(label))}"


def as_json(
    value: Any, indent: int | None = None, narrow: bool = False, default: Callable[[Any], Any] | None = None
) -> str:
    r"""`value` as JSON whose every character is seen: others, and where it is `narrow` all beyond ASCII, are \uXXXX.

    It reads back as `value`, but for lone surrogates, which no UTF-8 can carry: they become U+FFFD. `default`: what
    makes JSON of another type.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=default)
    if text.isprintable() and (text.isascii() or not narrow):
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(c if c == "\n" or (c.isprintable() and (c.isascii() or not narrow)) else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def safe_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe before what begins like one.

    The first character that is seen decides, as it looks: full-width signs count, and blanks before it do not.
    """
    return f"'{cell}" if _runs(cell.lstrip("'")) else cell


def plain_cell(cell: str) -> str:
    """What a cell held before `safe_cell`."""
    return cell[1:] if cell.startswith("'") and _runs(cell.lstrip("'")) else cell


def _runs(cell: str) -> bool:
    for c in cell:
        if c in "\t\r\n":
            return True
        if unicodedata.category(c)[0] not in "CMZ" and c not in _BLANK:
            return unicodedata.normalize("NFKC", c)[0] in _FORMULA
    return False


SHOWN = 100
"""Members of a set that a notebook shows."""


class InNotebook:
    """An answer or a set, as notebooks show it: what was found, and below it the quotes that it rests on."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        own: Any = self
        if not hasattr(own, "members"):
            passages = [one.hit.passage for one in getattr(own, "passages", ())]
            quotes = own.citations or [] if own.text else passages
            head = own.text or f"No short answer: {own.reason or 'the nearest passages'}"
            how = f"confidence {own.confidence:.2f}"
            return _shown(head, how, own.label, ((one.text, _place(one)) for one in quotes))
        cited = ((one, [cite.text for own in one.supports for cite in own.citations]) for one in own.members[:SHOWN])
        rows = ((" … ".join(said), f"{one.probability:.2f}  {_place(one)}") for one, said in cited)
        return _shown(f"{own.count:,} found", f"{own.expected:.1f} expected", own.label, rows)


def _shown(head: str, how: str, label: Iterable[str], rows: Iterable[tuple[str, str]]) -> str:
    private = f"; {consulted(label)}" if label else ""
    quotes = "".join(f"<blockquote>{_safe(text)}<br><small>{_safe(place)}</small></blockquote>" for text, place in rows)
    return f"<p><strong>{_safe(head)}</strong> <small>{_safe(how + private)}</small></p>{quotes}"


def _place(one: Any) -> str:
    """Where a quote stands: the title, the enclave, and the file or the document."""
    source = getattr(one, "source", None) or getattr(one, "document_id", "")
    span = f":{one.start}-{one.end}" if hasattr(one, "start") else ""
    return f"{one.title or source} — {one.enclave}, {source}{span}"


def _safe(text: str) -> str:
    return escape(clean(text))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when it is whole; readable by its owner alone."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
