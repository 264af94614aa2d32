"""Workbooks of Excel and LibreOffice: each table of their sheets a document, a line for each row."""

from __future__ import annotations

import datetime as dates
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from answerable.corpora.archives import Archive, opened
from answerable.corpora.sources import File, Limits, Report, clean, distinct, read_whole, short_name, title_from
from answerable.corpora.tables import split_header, table_of
from answerable.errors import FormatError
from answerable.printing import counted
from answerable.text import one_line
from answerable.types import Document

Rows = list[list[str]]
_ZIPPED = b"PK\x03\x04"
_WHAT = "workbook"


def read_workbook(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """The tables of the sheets that are shown, in order, each with its number as `meta["record"]`. Cells are the
    values that were saved with them, days in ISO 8601.

    An empty row parts two tables where names of columns follow it. Rows of a single cell above or below a table are
    notes on it, and stand above its rows. Ids are `source#sheet`, of a single table `source`; one that comes again
    gets `~2`.
    """
    found = [
        (sheet, notes, rows) for sheet, read in _sheets(path, source, limits, report) for notes, rows in tables_in(read)
    ]
    if not found:
        raise FormatError(f"{source} has no rows")
    seen: dict[str, int] = {}
    for number, (sheet, notes, rows) in enumerate(found):
        single = len(found) == 1
        id = source if single else f"{source}#{distinct(short_name(sheet), seen)}"
        title = title_from(source) if single else f"{title_from(source)}, {sheet}"
        yield table_of(*split_header(rows), id, title, source, enclave, {"record": number}, notes)


def _sheets(path: File, source: str, limits: Limits, report: Report) -> Iterator[tuple[str, Rows]]:
    """The name and the rows of each sheet. Raises `FormatError`."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

    data = read_whole(path, source, limits)
    if data.startswith(_ZIPPED):
        with opened(path, source, limits, _WHAT) as archive:
            _hold(archive)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except PasswordError as error:
        raise FormatError(f"{source} is locked by a password") from error
    except CalamineError as error:
        raise FormatError(f"{source} is damaged, locked or no {_WHAT}") from error
    damaged = 0
    for one in book.sheets_metadata:
        if one.typ == SheetTypeEnum.WorkSheet and one.visible == SheetVisibleEnum.Visible:
            try:
                rows = [[written(cell) for cell in row] for row in book.get_sheet_by_name(one.name).iter_rows()]
            except CalamineError:
                damaged += 1
                continue
            yield one_line(clean(one.name)), rows
    if damaged:
        report(f"skipped {counted(damaged, 'sheet')} of {source}: damaged")


def _hold(archive: Archive) -> None:
    """Unpack each part within the limits, since what reads them then has none. Raises `FormatError` for a bomb."""
    for name in archive.names:
        if name.endswith((".xml", ".bin")):
            archive.read(name)


def written(cell: Any) -> str:
    """A cell as it is written into a row: whole numbers without a point, days and times in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return f"{cell:.15g}" if cell % 1 or abs(cell) >= 1e15 else str(int(cell))
    if isinstance(cell, dates.datetime):
        midnight = cell.time() == dates.time()
        return cell.date().isoformat() if midnight else cell.isoformat(" ", "minutes" if not cell.second else "seconds")
    if isinstance(cell, dates.time):
        return cell.isoformat("minutes" if not cell.second else "seconds")
    return one_line(str(cell))


def tables_in(rows: Sequence[Sequence[str]]) -> Iterator[tuple[list[str], Rows]]:
    """The notes and the rows of each table of a sheet."""
    widest = max((_filled(row) for row in rows), default=0)
    notes: list[str] = []
    table: Rows = []
    for block in _blocks(rows):
        if widest > 1 and all(_filled(row) < 2 for row in block):
            notes += [cell for row in block for cell in row if cell]
            continue
        above = next(number for number, row in enumerate(block) if widest < 2 or _filled(row) > 1)
        if table and split_header(block[above:])[0]:
            yield notes, _evened(table)
            notes, table = [], []
        notes += [cell for row in block[:above] for cell in row if cell]
        table += block[above:]
    if table:
        yield notes, _evened(table)


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _blocks(rows: Iterable[Sequence[str]]) -> Iterator[Rows]:
    """Rows that stand right below each other."""
    block: Rows = []
    for row in rows:
        if any(row):
            block.append([*row])
        elif block:
            yield block
            block = []
    if block:
        yield block


def _evened(rows: Rows) -> Rows:
    """The rows without the columns in which nothing stands, which lie beside a table."""
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    return [[row[column] for column in kept] for row in rows]
