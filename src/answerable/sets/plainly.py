"""A query put plainly before it is read: its dates, and who sent the mails that it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from answerable.corpora.fields import BETWEEN_PEOPLE, FieldRow, span_of
from answerable.corpora.values import MONTHS, YEARLESS
from answerable.errors import UsageError
from answerable.sets.by_fields import DAYS, NOUNS

_YEARLESS = re.compile(rf"\b(?:{'|'.join(DAYS)}) {YEARLESS.pattern}")
_BETWEEN = re.compile(r"\b(between) (.{1,20}?) and (?=(\S+(?: \S+){0,2}))", re.I)
_SENT = re.compile(
    r"\b((?:e-?)?mails?|messages?|everything|anything)(?: that| which)? "
    r"(?:(?P<by>(?!I\b)[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}) (?:has |had )?(?:sent|wrote|written)(?: (?:me|us)\b)?"
    r"|(?:I|we) (?:have |had )?(?:received|got|gotten)(?= from\b))"
)
"""Mail by who sent it, or that somebody has had."""
_FROM = re.compile(r"\bfrom (?=(?:before|after|since|between)\b)", re.I)
_COMMA = re.compile(r"(?<=[a-z] \d)(\d?),(?= (?:1[0-9]|20)\d\d\b)", re.I)


def plain_dates(query: str) -> str:
    """A query whose dates and numbers are not taken for several things by their commas and the "and" of "between";
    what is "from before May" is before May."""

    def joined(match: re.Match[str]) -> str:
        last = match[3].split()
        dates = (match[2], *(" ".join(last[:many]) for many in range(len(last), 0, -1)))
        numbers = all(one.lstrip("$£€")[:1].isdecimal() for one in (match[2], match[3]))
        for date in filter(_is_date, dates[1:]):
            _, _, rest = date.partition(" ")
            if rest and _is_date(begun := f"{match[2]} {rest}"):  # "between 10 and 14 May 2001"
                return f"{match[1]} {begun}–"
        whole = numbers or (_is_date(dates[0]) and any(map(_is_date, dates[1:])))
        return f"{match[1]} {match[2]}–" if whole else match[0]

    return _BETWEEN.sub(joined, _COMMA.sub(r"\1", _FROM.sub("", query)))


def plain_senders(query: str) -> str:
    """A query in which "mails that Kim sent" are mails from Kim, and mails that I received from Kim as well."""
    return _SENT.sub(lambda said: f"{said[1]} from {said['by']}" if said["by"] else said[1], query)


def in_their_year(query: str, rows: Callable[[], Iterable[FieldRow]]) -> str:
    """A query of mails with the year of the months that it names without one: the last in which there are such mails
    among the documents of `rows`."""

    def dated(said: re.Match[str]) -> str:
        years = [day[:4] for day in days if int(day[5:7]) == MONTHS[said[1].lower()]]
        return f"{said[0]} {max(years)}" if years else said[0]

    if NOUNS.keys().isdisjoint(query.lower().split()) or not _YEARLESS.search(query):
        return query
    days = [row[4] for row in rows() if row[4] and row[1] in BETWEEN_PEOPLE]
    return _YEARLESS.sub(dated, query)


def _is_date(text: str) -> bool:
    try:
        return bool(span_of(text.rstrip(".?!,;")))
    except UsageError:
        return False
