"""Calendars (.ics) and contacts (.vcf): each entry a document, its properties as lines (RFC 5545, RFC 6350)."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from answerable.corpora.sources import (
    Faults,
    File,
    Limits,
    Report,
    charset,
    clean,
    decode,
    distinct,
    read_whole,
    short_name,
)
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

_FOLD = re.compile(r"\r?\n[ \t]")
_SOFT = re.compile(r"^([^\n:]*;ENCODING=QUOTED-PRINTABLE[^\n:]*:(?:[^\n]*=\r?\n)*[^\n]*)", re.IGNORECASE | re.MULTILINE)
_PROPERTY = re.compile(r'(?:[\w-]+\.)?([\w-]+)((?:;[^";:]*+(?:"[^"]*+"[^";:]*+)*+)*+):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';([\w-]+)(?:=((?:"[^"]*"|[^";])*))?')
_ESCAPED = re.compile(r"\\([\\;,nN])")
_ZONE, _IN_UTC = re.compile(r"^X-WR-TIMEZONE:([\w/+-]{1,64})", re.MULTILINE), re.compile(r"\d{8}T\d{6}Z")
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?)?")
_BY_DAY = re.compile(r"(-?\d+)?(MO|TU|WE|TH|FR|SA|SU)")
_DAYS = dict(
    zip("MO TU WE TH FR SA SU".split(), "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(), strict=True)
)
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_NTH = {"1": "first ", "2": "second ", "3": "third ", "4": "fourth ", "-1": "last "}
_KINDS = {"VEVENT": "event", "VTODO": "event", "VJOURNAL": "event", "VCARD": "contact"}
_PLACES = {"CELL": "mobile", "HOME": "home", "WORK": "work", "FAX": "fax"}
_LINES = {
    "ORG": "Organisation",
    "TITLE": "Position",
    "TEL": "Telephone",
    "EMAIL": "E-mail",
    "ADR": "Address",
    "URL": "Web",
    "BDAY": "Born",
    "ANNIVERSARY": "Anniversary",
    "NICKNAME": "Called",
}
"""What is told of a contact, in this order."""


@dataclass(frozen=True, slots=True)
class _Property:
    """One line of an entry; the names of its parameters are in capitals."""

    name: str
    parameters: Mapping[str, str]
    raw: str

    @property
    def value(self) -> str:
        """What it says, on as many lines as it has."""
        return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.raw).strip()

    @property
    def fields(self) -> list[str]:
        """The parts of a value of several, those that are empty left out."""
        parts = re.split(r"(?<!\\);", self.raw)
        return [said for one in parts if (said := one_line(_Property(self.name, {}, one).value))]


def read_cards(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """The events, tasks and notes of a calendar, or contacts, each with its number as `meta["record"]`. An event has
    the day it begins as its `date`; one that repeats is one, with how. Ids are `source#uid`; one that comes again, as a
    changed day of what repeats, gets `~2`.
    """
    seen: dict[str, int] = {}
    number = -1
    with Faults(source, report) as faults:
        for number, (kind, properties) in enumerate(_entries(decode(read_whole(path, source, limits), source))):
            uid = next((one.value for one in properties if one.name == "UID"), "") or f"{number}"
            id = f"{source}#{distinct(short_name(clean(one_line(uid))), seen)}"
            try:
                title, text, day = (_contact if kind == "contact" else _event)(properties)
            except (ValueError, OverflowError):
                faults.add(f"entry {number + 1}", "it has a day or a time that there is not")
                continue
            meta = {"record": number, **({"date": day} if day else {})}
            yield Document(id, enclave, title, clean(text), source, kind, (), meta)
    if number < 0:
        raise FormatError(f"{source} holds no event and no contact")


def _entries(text: str) -> Iterator[tuple[str, list[_Property]]]:
    """The kind and the properties of each entry, without those of what is inside it, such as alarms."""
    text = _SOFT.sub(lambda found: re.sub(r"=\r?\n", "", found[1]), _FOLD.sub("", text))
    zone = _zone(text)
    inside: list[str] = []
    entry: list[_Property] = []
    for line in text.splitlines():
        found = _PROPERTY.fullmatch(line.strip())
        if found is None:
            continue
        name, value = found[1].upper(), found[3]
        if name == "BEGIN":
            inside.append(value.strip().upper())
            entry = [] if inside[-1] in _KINDS else entry
        elif name == "END" and inside:
            if (ended := inside.pop()) in _KINDS and entry:
                yield _KINDS[ended], entry
                entry = []
        elif inside and inside[-1] in _KINDS:
            entry.append(_property(name, found[2], value, zone))


def _zone(text: str) -> tzinfo | None:
    """Where a calendar that writes its times in UTC is kept; None where it does not say, or nobody knows."""
    said = _ZONE.search(text)
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(said[1]) if said else None
    return None


def _property(name: str, parameters: str, raw: str, zone: tzinfo | None) -> _Property:
    given: dict[str, str] = {}
    for key, value in _PARAMETER.findall(parameters):
        said = value.strip('"') if value else key  # vCard 2.1 leaves out the name: ";HOME"
        key = key.upper() if value else "TYPE"
        given[key] = f"{given[key]},{said}" if key in given else said
    if given.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        with suppress(ValueError, LookupError):
            raw = quopri.decodestring(raw.encode()).decode(charset(given.get("CHARSET", "utf-8")), "replace")
    if zone and _IN_UTC.fullmatch(raw):
        with suppress(ValueError, OverflowError):
            moment = datetime.strptime(raw, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            raw = f"{moment.astimezone(zone):%Y%m%dT%H%M%S}"
    return _Property(name, given, raw)


def _event(properties: Sequence[_Property]) -> tuple[str, str, str]:
    """Title, text and day of an event; of one that comes again on days of a week first these, then when it began."""
    told: dict[str, _Property] = {}
    for one in properties:
        told.setdefault(one.name, one)

    def said(name: str) -> str:
        return told[name].value if name in told else ""

    title = one_line(said("SUMMARY")) or "(no title)"
    begins, ends = _moment(told.get("DTSTART")), _moment(told.get("DTEND"))
    if begins and not ends and isinstance(begins, datetime) and (lasts := _DURATION.fullmatch(said("DURATION"))):
        weeks, days, hours, minutes = (int(one or 0) for one in lasts.groups())
        ends = begins + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    once, named = _span(begins, ends), "BYDAY=" in said("RRULE").upper()
    repeats = _repeats(said("RRULE"), _times(begins, ends) if named else "")
    lines = {
        "When": repeats if named and repeats else once,
        "First": once if named and repeats else "",
        "Due": _written(_moment(told.get("DUE"))),
        "Done": _written(_moment(told.get("COMPLETED"))),
        "Repeats": "" if named else repeats,
        "Where": one_line(said("LOCATION")),
        "By": _person(told["ORGANIZER"]) if "ORGANIZER" in told else "",
        "With": ", ".join(_person(one) for one in properties if one.name == "ATTENDEE"),
        "Status": one_line(said("STATUS")).lower() if said("STATUS").upper() in ("CANCELLED", "TENTATIVE") else "",
    }
    day = begins or _moment(told.get("DUE"))
    return title, _text(title, lines.items(), said("DESCRIPTION")), day.isoformat()[:10] if day else ""


def _contact(properties: Sequence[_Property]) -> tuple[str, str, str]:
    """Title and text of a contact, and no day."""
    named = {one.name: one for one in reversed(properties)}
    parts = named["N"].fields if "N" in named else []
    name = one_line(named["FN"].value) if "FN" in named else " ".join([*parts[1:2], *parts[:1]])
    lines = [(f"{_LINES[kind]}{_place(one)}", _told(one)) for kind in _LINES for one in properties if one.name == kind]
    title = name or next((value for _, value in lines if value), "") or "(no name)"
    return title, _text(title, lines, "\n".join(one.value for one in properties if one.name == "NOTE")), ""


def _text(title: str, lines: Iterable[tuple[str, str]], rest: str) -> str:
    told = [f"{name}: {value}" for name, value in lines if value]
    return "\n\n".join(filter(None, (title, *told, rest)))


def _told(one: _Property) -> str:
    if one.name in ("BDAY", "ANNIVERSARY"):
        moment = _moment(one)
        return _day(moment) if moment else one_line(one.value)
    return ", ".join(one.fields)


def _place(one: _Property) -> str:
    """ " (mobile)": what a number or an address is for."""
    said = one.parameters.get("TYPE", "").upper().replace('"', "").split(",")
    places = [_PLACES[kind] for kind in said if kind in _PLACES]
    return f" ({', '.join(places)})" if places else ""


def _person(one: _Property) -> str:
    address = re.sub(r"^mailto:", "", one.value, flags=re.IGNORECASE)
    name = one_line(one.parameters.get("CN", ""))
    return f"{name} <{address}>" if name and name != address else address


def _moment(one: _Property | None) -> datetime | date | None:
    """A day, or a day and a time where it happens, or in UTC where that is not said; None for what is neither."""
    said = one.value.replace("-", "").replace(":", "") if one else ""
    for form in ("%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M", "%Y%m%d"):
        with suppress(ValueError):
            found = datetime.strptime(said, form)
            return found.date() if "T" not in form else found.replace(tzinfo=UTC) if "Z" in form else found
    return None


def _day(moment: date) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"


def _written(moment: datetime | date | None) -> str:
    """`Monday, 6 May 2024, 09:00`; of a day without a time the day alone."""
    if moment is None:
        return ""
    time = f", {moment:%H:%M}{' UTC' if moment.tzinfo else ''}" if isinstance(moment, datetime) else ""
    return f"{moment:%A}, {_day(moment)}{time}"


def _span(begins: datetime | date | None, ends: datetime | date | None) -> str:
    """From when to when. The last of whole days is the one before the end."""
    if begins is None or ends is None:
        return _written(begins)
    if not isinstance(ends, datetime):
        ends -= timedelta(1)
    if ends == begins or type(begins) is not type(ends):
        return _written(begins)
    same = isinstance(begins, datetime) and isinstance(ends, datetime) and begins.date() == ends.date()
    return f"{_written(begins)} to {f'{ends:%H:%M}' if same else _written(ends)}"


def _times(begins: datetime | date | None, ends: datetime | date | None) -> str:
    """`, 09:00 to 10:30`; empty for whole days."""
    if not isinstance(begins, datetime):
        return ""
    same = isinstance(ends, datetime) and ends.date() == begins.date()
    return f", {begins:%H:%M}{' UTC' if begins.tzinfo else ''}{f' to {ends:%H:%M}' if same else ''}"


def _repeats(rule: str, times: str) -> str:
    """`every 2 weeks on Monday and Friday, 09:00 to 10:30, until 3 May 2024`; empty for a rule of another kind."""
    parts = dict(one.upper().split("=", 1) for one in rule.split(";") if "=" in one)
    if (unit := _UNITS.get(parts.get("FREQ", ""))) is None:
        return ""
    every = parts.get("INTERVAL", "1")
    days = [f"{_NTH.get(nth, '')}{_DAYS[day]}" for nth, day in _BY_DAY.findall(parts.get("BYDAY", ""))]
    until = _moment(_Property("UNTIL", {}, parts.get("UNTIL", "")))
    return "".join(
        (
            f"every {unit}" if every == "1" else f"every {every} {unit}s",
            f" on {' and '.join(days)}" if days else "",
            times,
            f"{',' if times else ''} until {_day(until)}" if until else "",
            f", {parts['COUNT']} times" if "COUNT" in parts else "",
        )
    )
