"""A chat as WhatsApp exports it, a text: what was said in a day is a document, with people's names and the times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import pairwise

from answerable.corpora.slack import by_day
from answerable.corpora.sources import title_from
from answerable.text import one_line
from answerable.types import Document

_STAMP = re.compile(
    r"^\u200e?(?:\[(?=[^\]\n]*\])|(?=[^\n]{,40} - ))(\d{1,4})([./-])(\d{1,2})\2(\d{1,4}), "
    r"(\d{1,2})[:.](\d\d)(?:[:.]\d\d)?(?:\s?([ap])\.?\s?m\.?)?(?:\]| -) ",
    re.IGNORECASE | re.MULTILINE,
)
"""What a message begins with: "[05/01/2026, 18:02:11] ", "1/5/26, 6:02 PM - "."""
_NAMED = re.compile(r"([^:\n\u200e]{1,80}): (?!\u200e|<[^<>\n]*>\s*\Z)(\S.*)", re.DOTALL)
"""Who says what; messages of the program itself and in the place of pictures are neither."""
_CALLED = re.compile(r"whatsapp chat (?:with|-) ", re.IGNORECASE)


def is_whatsapp(text: str) -> bool:
    """Whether a text is such an export: it begins with a message, as does another of its lines."""
    begun = text.lstrip("\ufeff\n\r ")
    return _STAMP.match(begun) is not None and sum(1 for _ in zip(_STAMP.finditer(begun), range(2), strict=False)) == 2


def read_whatsapp(text: str, source: str, enclave: str) -> Iterator[Document]:
    """The days of a chat, in order, as `read_slack` has those of a channel; ids are `source#` and the day."""
    stamps = [*_STAMP.finditer(text)]
    ends = [one.start() for one in stamps[1:]] + [len(text)]
    said = (
        (at, one_line(named[1]), named[2].strip())
        for at, stamp, end in zip(_moments(stamps), stamps, ends, strict=True)
        if at and (named := _NAMED.match(text, stamp.end(), end))
    )
    return by_day(said, source, source, enclave, _CALLED.sub("", title_from(source)))


def _moments(stamps: list[re.Match[str]]) -> list[datetime | None]:
    """When each message was sent, by days before months, or the other way where only that is in the order of time."""
    read = [[_moment(one, month_first) for one in stamps] for month_first in (False, True)]
    days, months = ([one for one in found if one] for found in read)
    kept = len(days) == len(stamps) and all(one <= other for one, other in pairwise(days))
    return read[0] if kept or len(months) < len(stamps) else read[1]


def _moment(stamp: re.Match[str], month_first: bool) -> datetime | None:
    first, second, third = int(stamp[1]), int(stamp[3]), int(stamp[4])
    if len(stamp[1]) == 4:
        year, month, day = first, second, third
    else:
        year, month, day = third + (2000 if third < 100 else 0), *((first, second) if month_first else (second, first))
    hour = int(stamp[5]) % 12 + (12 if stamp[7].lower() == "p" else 0) if stamp[7] else int(stamp[5])
    with suppress(ValueError):
        return datetime(year, month, day, hour, int(stamp[6]))
    return None
