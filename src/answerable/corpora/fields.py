"""What is known of a document besides its text: who wrote it to whom, when, its kind; and filters by that.

A filter by a field restricts the enclaves in which some document has it: there a document without it does not fit. An
enclave in which none has it, such as an encyclopaedia beside a mailbox, is searched whole. Kinds and enclaves restrict
everything. It is a part of what was asked, and as private as the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from answerable.errors import UsageError
from answerable.text import words
from answerable.types import Document, Fields

KINDS = ("mail", "chat", "text", "markdown", "html", "pdf", "docx", "epub", "table", "bookmark", "record")
"""What a document may be; a record is a line of JSON."""
_BETWEEN_PEOPLE = ("mail", "chat")
SHOWN = 3  # recipients
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y-%m", "%B %Y", "%b %Y", "%Y")

Row = tuple[int, str, str, str, str]
"""Of a document its key, its kind, its sender, its recipients a line each, and its day; what it has not is empty."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may be read: of several values of one field any, of several fields all. Empty: every document.

    `sender`, `to` (also of copies): words that each begin a word of one person's name or address. `after`, `before`: a
    day, a month or a year, such as `4 May 2001`, `2001-05` or `2001`, of which the first day counts: from it on, and
    until the day before it. They are kept as ISO days. Raises `UsageError` for what names nobody, no day or no kind.
    """

    sender: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    enclaves: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sender", "to", "enclaves", "kinds"):
            given: str | Sequence[str] = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        for name in ("after", "before"):
            object.__setattr__(self, name, day_of(getattr(self, name)) if getattr(self, name) else "")
        if nobody := [one for one in (*self.sender, *self.to) if not words(one)]:
            raise UsageError(f"{nobody[0]!r} names nobody", hint="give a part of a name or an address")
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise UsageError(f"no document is of kind {unknown[0]!r}", hint=f"known: {', '.join(KINDS)}")

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    @property
    def of_documents(self) -> bool:
        """Whether it asks for more than enclaves."""
        return bool(self.sender or self.to or self.after or self.before or self.kinds)

    def __str__(self) -> str:
        said = [
            *(["from " + " or ".join(self.sender)] if self.sender else ()),
            *(["to " + " or ".join(self.to)] if self.to else ()),
            *([f"from {self.after} on"] if self.after else ()),
            *([f"before {self.before}"] if self.before else ()),
            *(["of kind " + " or ".join(self.kinds)] if self.kinds else ()),
            *(["in " + " or ".join(self.enclaves)] if self.enclaves else ()),
        ]
        return ", ".join(said)

    def fitting(self, rows: Sequence[Row]) -> list[int] | None:
        """The keys of an enclave's documents that fit, in order; None where all do, since none has any such field."""
        _, _, senders, recipients, days = map(any, zip(*rows, strict=True)) if rows else (False,) * 5
        by_sender, by_to = self.sender and senders, self.to and recipients
        by_day = (self.after or self.before) and days
        if not (by_sender or by_to or by_day or self.kinds):
            return None
        asked_sender, asked_to = ([words(one) for one in names] for names in (self.sender, self.to))
        return [
            key
            for key, kind, sender, recipient, day in rows
            if (not self.kinds or kind in self.kinds)
            and (not by_sender or _named(asked_sender, sender))
            and (not by_to or _named(asked_to, recipient))
            and (not by_day or (day and self.after <= day and (not self.before or day < self.before)))
        ]


UNFILTERED = Filter()
"""Every document."""


def day_of(text: str) -> str:
    """The first day of a date as people write it, as ISO 8601. Raises `UsageError` for what is none."""
    plain = " ".join(text.replace(",", " ").split())
    for form in _DATES:
        try:
            return datetime.strptime(plain, form).date().isoformat()
        except ValueError:
            continue
    raise UsageError(f"{text!r} is no date", hint="such as 2001-05-04, 4 May 2001, May 2001 or 2001")


def row_of(kind: str, meta: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """A `Row` of a document, but for its key."""
    people = [*(meta.get("to") or ()), *(meta.get("cc") or ())] if kind in _BETWEEN_PEOPLE else []
    sender = str(meta.get("from") or "") if kind in _BETWEEN_PEOPLE else ""
    lines = "\n".join(" ".join(words(str(one))) for one in people)
    return kind, " ".join(words(sender)), lines, str(meta.get("date") or "")[:10]


def fields_of(document: Document) -> Fields | None:
    """What is shown of a document beside its title; None where nothing is known."""
    meta, between = document.meta, document.kind in _BETWEEN_PEOPLE
    to = [str(one) for one in meta.get("to") or ()] if between else []
    told = Fields(
        str(meta.get("from") or "") if between else "",
        tuple(to[:SHOWN]),
        max(0, len(to) - SHOWN),
        str(meta.get("date") or ""),
    )
    return None if told == Fields() else told


def _named(asked: Sequence[Sequence[str]], people: str) -> bool:
    """Whether all words of one of the names each begin a word of one of the people, who stand a line each."""
    lines = [f" {person}" for person in people.split("\n")]
    return any(all(f" {word}" in person for word in name) for name in asked for person in lines)
