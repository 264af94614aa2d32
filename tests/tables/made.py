"""Tables for the tests of this room."""

from __future__ import annotations

from answerable.corpora.tables import delimited
from answerable.tables.cells import Table
from answerable.types import Document

SALARIES = """Name,Role,Salary,Start,Remote,Manager
Ana Ruiz,engineer,"$62,000",2019-03-01,yes,Mei Tanaka
Tomas Blick,engineer,"$67,500",2018-11-12,no,Mei Tanaka
Mei Tanaka,head of design,"$71,000",2016-02-08,yes,
Ole Berg,tester,"$48,250",2021-07-19,no,Ana Ruiz
Ines Falk,engineer,"$58,000",2021-09-30,no,Ana Ruiz
"""


def document(text: str = SALARIES, name: str = "team-salaries.csv") -> Document:
    """A table as it is indexed."""
    return delimited(text, name, name, "office", print, {})


def table(text: str = SALARIES) -> Table:
    """The same, taken apart."""
    found = Table.of(document(text))
    assert found is not None
    return found
