"""What a round asks of people: its questions, and the columns of its table."""

from __future__ import annotations

from dataclasses import dataclass

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
