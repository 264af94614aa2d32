"""What a program says in words: the answer, and how it was worked out."""

from __future__ import annotations

import re

from answerable.corpora.values import scale
from answerable.tables.asked import Condition
from answerable.tables.cells import Table, with_commas
from answerable.tables.programs import Program, Said, Sort, places

_AROUND = re.compile(r"[-−–(]?\s?(\D*?)[-−–]?\d[\d,.]*(?:e[-+]?\d+)?([^\d)]*)\)?")
_TIME = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?")
_LONGEST = 80
"""Characters of an answer that are read beside a question."""
_WORTH = frozenset(("sum", "mean", "spread"))
_OPS = {
    "kinds": "how many different values {column} has",
    "most": "the most frequent {column}",
    "fewest": "the least frequent {column}",
    "sum": "the sum of {column}",
    "mean": "the mean of {column}",
    "spread": "the difference in {column}",
    "length": "the years in {column}",
    "count": "how many rows there are",
    "more": "how many more rows one has than the other",
    "say": "{column}",
}
_SORTS = {"first": "the {nth}row", "last": "the last row", "next": "the row after", "previous": "the row before"}
_ENDS = (("least", "greatest"), ("earliest", "latest"))
"""The ends of a column of numbers, and of one of dates."""
_NTH = ("", "", "second ", "third ", "fourth ", "fifth ")
_KINDS = {
    "full": "is “{words}”",
    "part": "has “{words}”",
    "number": "is {words}",
    "month": "is in {words}",
    "not": "is not “{words}”",
    "filled": "is filled",
    "empty": "is empty",
    "yes": "is yes",
    "no": "is no",
    "near": "is “{cell}”, which is near to “{words}”",
    ">": "is over {words}",
    "<": "is under {words}",
    ">=": "is {words} or more",
    "<=": "is {words} or less",
}


def written(program: Program, table: Table) -> str:
    """What a program says, a number with the sign or unit that the cells it is made of have in common."""
    if not isinstance(program.values, float):
        return ", ".join(program.values)
    value = program.values
    if program.op == "length":
        return f"{value:.0f} year{'' if value == 1 else 's'}"
    cells = [row[program.column] for at, row in enumerate(table.rows) if program.rows >> at & 1 and row[program.column]]
    if _op(program) not in _WORTH or table.orders[program.column].kind != "number":
        return f"{value:.0f}"
    if all(_TIME.fullmatch(cell) for cell in cells):
        minutes, seconds = divmod(round(value), 60)
        deep = max(cell.count(":") for cell in cells) == 2
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if deep else f"{minutes}:{seconds:02}"
    around = {(found[1], "" if scale(cell) > 1 else found[2]) for cell in cells if (found := _AROUND.fullmatch(cell))}
    before, after = around.pop() if len(around) == 1 else ("", "")
    commas = with_commas(row[program.column] for row in table.rows)
    return f"{'-' if value < 0 else ''}{before}{_digits(abs(value), commas)}{after}"


def _op(program: Program) -> str:
    """What a program does, in the words that say it: rows that are counted by a column are summed up."""
    return "sum" if program.op == "count" and program.column >= 0 else program.op


def _digits(value: float, commas: bool) -> str:
    """A number with its thousands apart: whole, in hundredths, or where it is small in three digits that count."""
    told = f"{value:,.0f}" if value == round(value) else f"{value:,.2f}" if value >= 0.1 else f"{value:.3g}"
    return told.translate(str.maketrans(",.", ".,")) if commas else told


def reason(said: Said, table: Table) -> str:
    """How an answer was worked out."""
    what, which, where = _told(said, table)
    which = which or f"over {len(said.rows)} of {len(table.rows)} rows"
    left = f"; left out: {', '.join(f'“{word}”' for word in said.ignored)}" if said.ignored else ""
    return f"worked out from the table “{table.title}”: {what}, {which}{f', where {where}' if where else ''}{left}"


def in_words(said: Said, table: Table) -> str:
    """What is said and of which rows, as it is read beside the question."""
    what, which, where = _told(said, table)
    answer = written(said.program, table)
    answer = answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]}…"
    return f"{what}{f', {which}' if which else ''}{f', where {where}' if where else ''}: {answer}"


def _told(said: Said, table: Table) -> tuple[str, str, str]:
    """What is said, which row by an order, and where; each empty for none."""
    (kind, used, sort), column = said.program.selector, said.program.column
    what = _OPS[_op(said.program)].format(column=table.header[column] if column >= 0 else "")
    conditions = [_condition(said.conditions[number], said.words, table) for number in used]
    return what, _sorted(sort, table) if sort else "", (" or " if kind == "either" else " and ").join(conditions)


def _sorted(sort: Sort, table: Table) -> str:
    if sort.by in _SORTS:
        return _SORTS[sort.by].format(nth=_NTH[sort.place] or "first ")
    dated = table.orders[sort.column].kind == "date"
    end = _ENDS[dated][sort.by == "max"]
    return f"with the {_NTH[sort.place]}{end} {table.header[sort.column]}"


def _condition(one: Condition, words: tuple[str, ...], table: Table) -> str:
    said, cell = " ".join(words[one.start : one.end]), table.rows[places(one.rows)[0]][one.column]
    return f"{table.header[one.column]} {_KINDS[one.kind].format(words=said, cell=cell)}"
