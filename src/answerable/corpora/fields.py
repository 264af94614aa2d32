"""What is known of a document besides its text: who wrote it to whom, when, its kind; and filters by that.

A filter by a field restricts the enclaves in which some document has it: there a document without it does not fit. An
enclave in which none has it, such as an encyclopaedia beside a mailbox, is searched whole. Kinds, folders and enclaves
restrict everything. It is a part of what was asked, and as private as the question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from answerable.errors import UsageError
from answerable.text import words
from answerable.types import Document, Fields

KINDS = tuple("mail chat text markdown html pdf docx odt slides epub table event contact bookmark record".split())
"""What a document may be; a record is a line of JSON."""
BETWEEN_PEOPLE = ("mail", "chat")
"""Those that have a sender and recipients, and are of the day they were sent."""
SHOWN = 3  # recipients
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y-%m", "%B %Y", "%b %Y", "%Y")
_NAMED = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_PART = re.compile(
    r"(?:the )?(?:(?P<week>first|last) week of |(?P<half>first|second|last) half of |"
    r"(?:(?P<start>beginning|start|early)|(?P<middle>middle|mid)|(?:end|late))(?: part)?(?: of |[- ]))",
    re.IGNORECASE,
)
_LONGEST = {"d": 1, "m": 31, "B": 31, "b": 31, "Y": 366}
"""Days of what a form names most closely."""

FieldRow = tuple[str, str, str, str, str]
"""Of a document its id, its kind, its sender, its recipients a line each, and its day; what it has not is empty."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may be read: of several values of one field any, of several fields all. Empty: every document.

    `sender`, `to` (also of copies): words that each begin a word of one person's name or address; in quotation marks
    words that each are one of the name, or of the address before its @. `after`, `before`: a day, a month or a year,
    such as `4 May 2001`, `2001-05` or `2001`, of which the first day counts: from it on, and until the day before it.
    They are kept as ISO days. `folders`: names of folders, in any case, of which a document is in one, however deep.
    Raises `UsageError` for what names nobody, no day or no kind.
    """

    sender: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    enclaves: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sender", "to", "enclaves", "kinds", "folders"):
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
        return bool(self.sender or self.to or self.after or self.before or self.kinds or self.folders)

    def __str__(self) -> str:
        said = [
            *(["from " + " or ".join(self.sender)] if self.sender else ()),
            *(["to " + " or ".join(self.to)] if self.to else ()),
            *([f"from {self.after} on"] if self.after else ()),
            *([f"before {self.before}"] if self.before else ()),
            *(["of kind " + " or ".join(self.kinds)] if self.kinds else ()),
            *(["in the folder " + " or ".join(self.folders)] if self.folders else ()),
            *(["in " + " or ".join(self.enclaves)] if self.enclaves else ()),
        ]
        return ", ".join(said)

    def fitting(self, rows: Sequence[FieldRow]) -> list[str] | None:
        """The ids of an enclave's documents that fit, in order; None where all do, since none has any such field."""
        senders, recipients, days = _having(rows)
        by_sender, by_to = self.sender and senders, self.to and recipients
        by_day = (self.after or self.before) and days
        if not (by_sender or by_to or by_day or self.kinds or self.folders):
            return None
        asked_sender, asked_to = _asked(self.sender), _asked(self.to)
        folders = {one.lower() for one in self.folders}
        return [
            id
            for id, kind, sender, recipient, day in rows
            if (not self.kinds or kind in self.kinds)
            and (not folders or not folders.isdisjoint(folders_of(id)))
            and (not by_sender or _named(asked_sender, sender))
            and (not by_to or _named(asked_to, recipient))
            and (not by_day or (day and self.after <= day and (not self.before or day < self.before)))
        ]

    def answered(self, rows: Sequence[FieldRow]) -> bool:
        """Whether an enclave has each field that is asked for: else what fits there fits but a part of the filter."""
        senders, recipients, days = _having(rows)
        dated = self.after or self.before
        return not ((self.sender and not senders) or (self.to and not recipients) or (dated and not days))


UNFILTERED = Filter()
"""Every document."""


def day_of(text: str) -> str:
    """The first day of a date as people write it, as ISO 8601. Raises `UsageError` for what is none."""
    return span_of(text)[0]


def span_of(text: str) -> tuple[str, str]:
    """The first day of a date as people write it, and the first one after it: of a year that of the next. A part of one
    is a date as well: "the first half of May 2001", of which the end, the middle and the beginning are a third.

    Raises `UsageError` for what is none.
    """
    plain = " ".join(text.replace(",", " ").split())
    if part := _PART.match(plain):
        return _part_of(part, *map(date.fromisoformat, span_of(plain[part.end() :])))
    for form in _DATES:
        try:
            first = datetime.strptime(plain, form).date()
        except ValueError:
            continue
        finest = next(one for one in "dmBbY" if f"%{one}" in form)
        after = date.fromordinal(min(first.toordinal() + _LONGEST[finest], date.max.toordinal()))
        after -= timedelta(0 if finest == "d" else after.day - 1)  # the first day of a month
        return first.isoformat(), after.isoformat()
    raise UsageError(f"{text!r} is no date", hint="such as 2001-05-04, 4 May 2001, May 2001 or 2001")


def _part_of(part: re.Match[str], first: date, after: date) -> tuple[str, str]:
    days = (after - first).days
    length = 7 if part["week"] else days // 2 if part["half"] else days // 3
    early = (part["week"] or part["half"] or "").lower() == "first" or part["start"]
    begin = first if early else first + timedelta(days // 3) if part["middle"] else after - timedelta(length)
    return begin.isoformat(), min(after, begin + timedelta(length)).isoformat()


def row_of(kind: str, meta: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """A `FieldRow` of a document, but for its id."""
    between = _between_people(kind, meta)
    people = [*(meta.get("to") or ()), *(meta.get("cc") or ())] if between else []
    sender = str(meta.get("from") or "") if between else ""
    lines = "\n".join(_person(str(one)) for one in people)
    return kind, _person(sender), lines, str(meta.get("date") or "")[:10]


def _between_people(kind: str, meta: Mapping[str, Any]) -> bool:
    """Whether a document was sent: by itself, or with a mail."""
    return kind in BETWEEN_PEOPLE or "attached_to" in meta


def folders_of(document: str) -> list[str]:
    """The names of the folders that a document lies in, by its id, in small letters, the outermost first."""
    path, _, _ = document.partition("#")[0].rpartition("/")
    return [one for one in path.lower().split("/") if one]


def day_named(source: str) -> str:
    """The day that the name of a file says, "2024-03-11 plumber.md"; empty where it says none."""
    for said in _NAMED.findall(PurePosixPath(source).name)[:1]:
        with suppress(ValueError):
            return date.fromisoformat(said).isoformat()
    return ""


def with_day(meta: dict[str, Any], source: str, day: str) -> dict[str, Any]:
    """What is known of a document, with the day that is kept of its file: as its `date` if that is the day the file's
    name says, else as the day it was `changed`."""
    return meta if "date" in meta else {**meta, "date" if day == day_named(source) else "changed": day}


def fields_of(document: Document) -> Fields | None:
    """What is shown of a document beside its title; None where nothing is known."""
    meta, between = document.meta, _between_people(document.kind, document.meta)
    to = [str(one) for one in meta.get("to") or ()] if between else []
    told = Fields(
        str(meta.get("from") or "") if between else "",
        tuple(to[:SHOWN]),
        max(0, len(to) - SHOWN),
        str(meta.get("date") or ""),
        meta.get("changed"),
    )
    return None if told == Fields() else told


def day_known(fields: Fields | None) -> str:
    """The day of a document that filters go by; empty where none is known."""
    return (fields.date or fields.changed or "")[:10] if fields else ""


def said_by(document: Document, wanted: Filter) -> str:
    """The fields of a document that a filter goes by, as its source has them: "From: Kim Watson, Date: 2001-05-04".

    Of many recipients those that are asked for, or else the first few.
    """
    meta = document.meta
    to = [str(one) for one in (*(meta.get("to") or ()), *(meta.get("cc") or ()))]
    people = [one for one in to if _named(_asked(wanted.to), _person(one))] or to
    more = [f"{len(people) - SHOWN} more"] if len(people) > SHOWN else []
    told = {
        "From": str(meta.get("from") or "") if wanted.sender else "",
        "To": ", ".join([*people[:SHOWN], *more]) if wanted.to else "",
        "Date": str(meta.get("date") or "")[:10] if wanted.after or wanted.before else "",
        "Changed": str(meta.get("changed") or "") if wanted.after or wanted.before else "",
    }
    return "; ".join(f"{name}: {value}" for name, value in told.items() if value) or f"Kind: {document.kind}"


def _having(rows: Sequence[FieldRow]) -> tuple[bool, ...]:
    """Whether any document has a sender, a recipient and a day."""
    return tuple(any(row[place] for row in rows) for place in (2, 3, 4))


def _person(told: str) -> str:
    """The words of a name and an address, and before those of where the address is an @."""
    name, at, host = told.rpartition("@")
    return " ".join([*words(name), *at, *words(host)])


def _asked(names: Sequence[str]) -> list[tuple[bool, list[str]]]:
    """The words of each name, as they are looked for in a person's line, and whether whole: in quotation marks."""
    whole = [one[:1] == one[-1:] == '"' for one in names]
    return [
        (only, [f" {word} " if only else f" {word}" for word in words(one)])
        for only, one in zip(whole, names, strict=True)
    ]


def _named(asked: Sequence[tuple[bool, Sequence[str]]], people: str) -> bool:
    """Whether one of the people, who stand a line each, has all words of one of the names."""
    lines = [f" {person} " for person in people.split("\n")]
    held = [(line, line.rpartition("@")[0] or line) for line in lines]
    return any(all(word in (line, own)[only] for word in name) for only, name in asked for line, own in held)
