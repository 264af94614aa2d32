"""Tables: each row becomes one line that says what its cells are, `Header: cell; Header: cell`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from answerable.corpora.sources import Faults, File, Limits, Report, clean, decode, read_whole, title_from
from answerable.errors import FormatError
from answerable.text import mail_head, one_line, parts, sentences, strip
from answerable.types import Document

_NUMBER = re.compile(r"[\s$€£%+\-().,:/\d]*\d[\s$€£%+\-().,:/\d]*")
_NAMED = re.compile(r"(?:(?![.?!] )[^:;\n]){1,60}: \S")
_LABELLED = re.compile(r"[ \t]*(?:[-*•][ \t]+)?[^\W\d_][^:;.?!]{0,40}: (?!.*; )\S")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DEEPEST, _SEEN = 4, 5
"""The most rows of a header, and how many rows below it are looked at for what it names."""
_LONGEST_ROW = 2000
LONGEST_NAME = 80
"""Characters of the name of a column."""
FREE_NAMES = 1_000_000
NAMES_SHARE = 8
"""Characters that the names of columns may take in a table, and how many more for each character in its cells."""
_LINE = re.compile(r"[^\n]+")
HEADING_LINE = re.compile(r"#{1,6}[ \t][^\n]*")
"""A line that is a heading of Markdown."""
HEADING_MARK = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
"""What it begins with, which is not shown."""
_PARTED = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t])")
_SEMICOLON = re.compile("; ")
_SAMPLE_CHARACTERS = 65536


def row_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each row of a table as `row_line` writes it, the names of its columns only as long as they are not far more than
    what the rows themselves say: a header must not multiply."""
    room = FREE_NAMES
    for row in rows:
        line, spans = row_line(header if room > 0 else (), row)
        said = sum(end - start for start, end in spans)
        room += NAMES_SHARE * said - (len(line) - said)
        yield line, spans


def row_line(header: Sequence[str], cells: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """One row as a line, and where each cell stands in it. Empty cells are left out and stand nowhere, as (0, 0)."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for index, cell in enumerate(cells):
        cell = one_line(cell)
        if not cell:
            spans.append((0, 0))
            continue
        name = header[index][:LONGEST_NAME] if index < len(header) else ""
        label = f"{name.rstrip(' :').replace('_', ' ')}: " if name else ""
        length += 2 if pieces else 0
        spans.append((length + len(label), length + len(label) + len(cell)))
        pieces.append(label + cell)
        length += len(label) + len(cell)
    return "; ".join(pieces), spans


def rows_in(text: str) -> list[tuple[int, int]]:
    """Where the rows of a table stand in a text: the characters of each of its lines that reads as one."""
    return [found.span() for found in _LINE.finditer(text) if is_row(found.group().strip())]


def labelled(text: str) -> list[tuple[int, int]]:
    """Where lines stand that say what their values are, "Membership fee: 240 euro", two or more below one another; the
    lines over a mail are none."""
    found, near = list[tuple[int, int]](), list[tuple[int, int]]()
    for line in _LINE.finditer(text, mail_head(text)) if ": " in text else ():
        if near and (near[-1][1] + 1 != line.start() or not _LABELLED.match(line.group())):
            found += near if len(near) > 1 else []
            near = []
        near += [line.span()] if _LABELLED.match(line.group()) else []
    return found + (near if len(near) > 1 else [])


def statements(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a text stands, in order, and each row of a table, line of a list of values (`labelled`)
    and heading of Markdown."""
    found: list[tuple[int, int]] = []
    at = 0
    lines = [line.span() for line in HEADING_LINE.finditer(text) if not line.start() or text[line.start() - 1] == "\n"]
    for begin, end in sorted({*rows_in(text), *labelled(text), *lines, (len(text), len(text))}):
        found += [(at + first, at + last) for first, last in sentences(text[at:begin])]
        found += [(begin, end)] if end > begin else []
        at = end
    return found


def borders(text: str) -> list[int]:
    """Where paragraphs, items of lists, lines of a list of values, and in rows of a table names of columns and cells
    end, in rising order, and the parts of lines that stand under each other: what is quoted for an answer goes over
    none of these."""
    found = [*(parted.end() for parted in _PARTED.finditer(text)), *parts(text), *(end for _, end in labelled(text))]
    for begin, end in rows_in(text):
        at = begin
        for cell in text[begin:end].split("; "):
            named = _NAMED.match(cell)
            found += [at, at + named.end() - 1] if named else []
            at += len(cell) + 2
        found.append(end)
    return sorted({*found})


def is_row(line: str, label: str = "") -> bool:
    """Whether a line without blanks at its ends reads as `row_line` writes it: two named cells or more, or one named
    like the first of the row above, `label`."""
    if label and line.startswith(f"{label}: "):
        return True
    if "; " not in line or not _NAMED.match(line) or len(line) > _LONGEST_ROW:
        return False
    cells = line.split("; ")
    if any(cell.count("(") != cell.count(")") for cell in cells):
        return False
    named = sum(_NAMED.match(cell) is not None for cell in cells)
    return named >= 2 and named * 2 >= len(cells) and (named > 2 or line[-1] not in ".!?")


def cell_spans(text: str, start: int, end: int, header: Sequence[str] = ()) -> Iterator[tuple[int, int]]:
    """The `Header: cell` pieces of the row text[start:end], in order, without the semicolons between them.

    With the header given, a semicolon inside a cell parts nothing; else one parts where a name follows, in a row that
    begins with a name, and everywhere in one that does not.
    """
    labels = {name[:LONGEST_NAME].rstrip(" :").replace("_", " ") for name in header if name}
    known = len(header) > 0 and all(header)
    named = _NAMED.match(text, start, end) is not None
    longest = max(map(len, labels), default=0)
    cursor = start
    for match in _SEMICOLON.finditer(text, start, end):
        if known:
            colon = text.find(": ", match.end(), min(match.end() + longest + 2, end))
            parts = colon >= 0 and text[match.end() : colon] in labels
        else:
            parts = not named or _NAMED.match(text, match.end(), end) is not None
        if parts:
            yield strip(text, cursor, match.start())
            cursor = match.end()
    yield strip(text, cursor, end)


def split_header(rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The header of a table and its other rows: the first row, if it names columns rather than fills them.

    Where that leaves columns without a name, or the next row names columns again, it is of several rows ("Three months"
    above "2019" and "2018"). A year names a column that holds other numbers, or no
    year where several are named so. A name that is there again is told apart by the one before it, where a column holds
    numbers.
    """
    top = [[one_line(cell) for cell in row] for row in rows[: _DEEPEST + 1]]
    width = max(map(len, rows), default=0)
    if len(rows) < 2 or not _heads(top[0]):
        return [], rows
    deep = 1
    named = {column for column, cell in enumerate(top[0]) if cell}
    while deep < len(top) - 1 and _heads(top[deep]) and (len(named | {0}) < width or not top[deep][0]):
        named |= {column for column, cell in enumerate(top[deep]) if cell}
        deep += 1
    below = rows[deep : deep + _SEEN]
    filled = [[cell for row in below if (cell := one_line(row[at]) if at < len(row) else "")] for at in range(width)]
    numbers = [any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in column) for column in filled]
    if deep > 1 and (len(named | {0}) < width or not any(numbers[1:])):
        deep = 1
    years = [at for row in top[:deep] for at, cell in enumerate(row) if _YEAR.fullmatch(cell)]
    header = _merged(top[:deep], width) if deep > 1 else top[0]
    known = [name for name in header if name]
    again = len(set(known)) < len(known)
    none = len({*years}) > 1 and not any(_YEAR.fullmatch(cell) for at in years for cell in filled[at])
    if not (none or all(numbers[at] for at in years)) or len(known) * 2 < len(header) or (again and not any(numbers)):
        return [], rows
    return _told_apart(header), rows[deep:]


def is_number(cell: str) -> bool:
    """Whether a cell is nothing but a number, with its sign."""
    return _NUMBER.fullmatch(cell) is not None


def _told_apart(header: Sequence[str]) -> list[str]:
    """Names of columns, one that was there before with that of the column on its left, or its number."""
    made: list[str] = []
    for at, name in enumerate(header):
        said = name
        if name and name in made and (before := header[at - 1]) not in ("", name):
            said = f"{before} {name}"
        number = 2
        while said and said in made:
            said, number = f"{name} {number}", number + 1
        made.append(said)
    return made


def _heads(row: Sequence[str]) -> bool:
    """Whether a row may name columns: nothing in it is long or a number, but for years after the first cell, and for
    what is added ("+1")."""
    unlike = (
        len(cell) > LONGEST_NAME or (_NUMBER.fullmatch(cell) and cell[0] != "+" and not (at and _YEAR.fullmatch(cell)))
        for at, cell in enumerate(row)
    )
    return any(row) and not any(unlike)


def _merged(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The names of columns from several rows, what stands above several of them being said of each."""
    said: list[dict[str, None]] = [{} for _ in range(width)]
    for number, row in enumerate(rows):
        last = ""
        for column in range(width):
            cell = row[column] if column < len(row) else ""
            last = cell if cell or number == len(rows) - 1 or column < 2 else last
            if last:
                said[column][last] = None
    return [" ".join(names) for names in said]


def read_delimited(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A CSV or TSV file as one document, a line for each row. Ragged rows are kept; unreadable ones are reported."""
    text = decode(read_whole(path, source, limits), source)
    yield delimited(text, source, source, enclave, report, {"record": 0}, tab=".tsv" in path.name.lower())


def delimited(
    text: str, id_: str, source: str, enclave: str, report: Report, meta: dict[str, Any], tab: bool = False
) -> Document:
    """A table as CSV, or with tabs, as a document of that `meta`. Raises `FormatError` where it has no rows."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tab else _delimiter(text))
    with Faults(id_, report) as faults:
        while True:
            try:
                rows.append(next(reader))
            except StopIteration:
                break
            except csv.Error:
                where = f"the row at line {reader.line_num}"
                faults.add(where, "a field is too large, or a quotation mark is never closed")
    told = split_header([row for row in rows if any(cell.strip() for cell in row)])
    return table_of(*told, id_, title_from(id_), source, enclave, meta)


def table_of(
    header: list[str],
    rows: list[list[str]],
    id_: str,
    title: str,
    source: str,
    enclave: str,
    meta: dict[str, Any],
    notes: Sequence[str] = (),
) -> Document:
    """A table of rows that are not empty as a document of that `meta`; `notes` stand above its rows, a line each.
    Raises `FormatError` where it has no rows."""
    lines = [line for line, _ in row_lines(header, rows) if line]
    if not lines:
        raise FormatError(f"{id_} has no rows")
    told = {**meta, "header": header, "rows": len(lines)}
    text = "\n".join([*(one_line(note) for note in notes), *lines])
    return Document(id_, enclave, title, clean(text), source, "table", (), told)


def _delimiter(text: str) -> str:
    """The mark that splits the first lines into most columns evenly, a comma when none does."""
    sample = text[:_SAMPLE_CHARACTERS].splitlines()[:20]
    best, score = ",", 0
    for mark in (",", ";", "\t", "|"):
        counts = [line.count(mark) for line in sample if line.strip()]
        if counts and min(counts) > score:
            best, score = mark, min(counts)
    return best


def table_document(record: dict[str, Any], id_: str, source: str, enclave: str, number: int) -> Document | None:
    """A JSONL record with `header` and `rows` (cells are texts, or objects with `text` and `links`) as a document.

    The text is `section_text`, then the rows. `meta["links"]` lists (start, end, target) for every linked cell. The
    `intro` is left out: it opens the page the table stands on, and other tables of that page bring it too.
    """
    named = record["header"] if isinstance(record.get("header"), list) else []
    header = [one_line(clean(_cell_text(cell)))[:LONGEST_NAME] for cell in named if isinstance(cell, str | dict)]
    parts: list[str] = []
    links: list[tuple[int, int, str]] = []
    length = 0
    note = record.get("section_text")
    if isinstance(note, str) and note.strip():
        parts.append(one_line(clean(note)))
        length = len(parts[0]) + 1
    rows = 0
    listed = [row for row in record["rows"] if isinstance(row, list)]
    said = ([clean(_cell_text(cell)) for cell in row] for row in listed)
    for row, (line, spans) in zip(listed, row_lines(header, said), strict=True):
        if not line:
            continue
        for cell, (start, end) in zip(row, spans, strict=True):
            links += [(length + start, length + end, clean(target)) for target in _cell_links(cell) if end]
        parts.append(line)
        length += len(line) + 1
        rows += 1
    if not rows:
        return None
    meta: dict[str, Any] = {"record": number, "header": header, "rows": rows, "links": links}
    if isinstance(url := record.get("url"), str) and url:
        meta["url"] = clean(url)
    return Document(id_, enclave, _table_title(record), "\n".join(parts), source, "table", (), meta)


def _table_title(record: dict[str, Any]) -> str:
    title, section = record.get("title"), record.get("section")
    parts = [title] if isinstance(title, str) and title.strip() else []
    if isinstance(section, str):
        parts += [part for part in section.split(" -- ") if part.strip()]
    return one_line(clean(", ".join(parts)))


def _cell_text(cell: object) -> str:
    if isinstance(cell, dict):
        cell = cell.get("text")
    if isinstance(cell, str):
        return cell
    return "" if cell is None or isinstance(cell, list | dict) else str(cell)


def _cell_links(cell: object) -> list[str]:
    links = cell.get("links") if isinstance(cell, dict) else None
    return [link for link in links if isinstance(link, str)] if isinstance(links, list) else []
