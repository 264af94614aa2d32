"""Where a mail quotes or forwards another: as sections, so that nobody is cited for somebody else's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from answerable.types import Section

QUOTED = "Quoted message"
FORWARDED = "Forwarded message"

_FORWARD_MARK = re.compile(
    r"[-_=*>\s]*(?:forwarded by\b|begin forwarded message\b|forwarded message\b|original message follows\b)",
    re.IGNORECASE,
)
_ORIGINAL_MARK = re.compile(r"[-_=*>\s]*(?:original message|reply message|message d'origine)\b[-_\s]*$", re.IGNORECASE)
_ATTRIBUTION = re.compile(r".{1,200}?\b(?:wrote|writes|schrieb|a écrit)\s*:\s*$", re.IGNORECASE)
_FIELD = re.compile(r"[>\s*]*(from|to|sent|date|cc|bcc|subject|reply-to|importance)\s*:(.*)$", re.IGNORECASE)
_DATE = re.compile(r"\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]m)?\b", re.IGNORECASE)
_NAME_END = re.compile(r"\s+on behalf of\s|\s+(?:on\s+|at\s+)?\d|\s{2,}|\t", re.IGNORECASE)
_NOTES_ADDRESS = re.compile(r"\s*@\s*[\w ]+$")
_ON = re.compile(r"on\b", re.IGNORECASE)
_QUOTE = re.compile(r"\s{0,4}>")
_FIELD_SPAN = 30
"""Lines within which the fields of one header stand: a long list of recipients takes many."""

_LAST_WORDS = 10
"""A quote with no more words than these below it (a signature) ends the mail."""

_LONGEST_NAME = 120
_LONGEST_SENDER = 1000
_FIELD_GAP = 3
"""Blank lines that Lotus Notes may leave between two fields."""

_INLINE_QUOTE_WORDS = 50
"""A reply between the lines keeps the quotes it answers, up to this many words each."""


def quote_sections(text: str, start: int) -> tuple[Section, ...]:
    """The quoted and forwarded messages in `text` from character `start` (the end of the mail's own header) on.

    Flat, in order and apart from each other. A title tells who is quoted, if that is plain to see.
    """
    rows = _rows(text, start)
    begins = _message_starts(rows)
    bounds = [begin for begin, _ in begins]
    found: list[Section] = []
    for number, (begin, title) in enumerate(begins):
        end = bounds[number + 1] if number + 1 < len(bounds) else len(rows)
        found.append(_section(title, rows, begin, end))
    first = bounds[0] if bounds else len(rows)
    quotes = [_section(title, rows, a, b) for a, b, title in _quote_blocks(rows[:first])]
    return tuple(quotes + found)


def _rows(text: str, start: int) -> list[tuple[int, int, str]]:
    """(start, end, line) of every line from `start` on, ends without the line break."""
    rows = []
    cursor = start
    for line in text[start:].split("\n"):
        rows.append((cursor, cursor + len(line), line))
        cursor += len(line) + 1
    return rows


def _section(title: str, rows: Sequence[tuple[int, int, str]], begin: int, end: int) -> Section:
    return Section(title, 1, rows[begin][0], rows[end - 1][1])


def _message_starts(rows: Sequence[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """The row at which each message inside begins (its mark, if it has one, else its header), with a title."""
    found: list[tuple[int, str]] = []
    mark: tuple[int, str] | None = None
    index = 0
    while index < len(rows):
        line = rows[index][2]
        if not line.strip():
            index += 1
            continue
        if _ORIGINAL_MARK.match(line):
            mark = mark or (index, QUOTED)
        elif _FORWARD_MARK.match(line):
            mark = mark or (index, FORWARDED)
        elif (fields := _header_at(rows, index)) is not None:
            begin, end, sender = fields
            if mark and begin - mark[0] <= 8:
                begin, kind = mark
            else:
                if mark:
                    found.append(mark)
                kind = QUOTED
            found.append((begin, f"{kind} from {sender}" if sender else kind))
            mark = None
            index = end
            continue
        elif mark and index - mark[0] > 8:
            found.append(mark)
            mark = None
        index += 1
    if mark:
        found.append(mark)
    return found


def _header_at(rows: Sequence[tuple[int, int, str]], index: int) -> tuple[int, int, str] | None:
    """A copied mail header whose first field stands at row `index`: (its first row, the row after it, the sender).

    Either From comes with two more fields, or To comes with Subject and one more, or (Lotus Notes) with Subject below
    a line that has a date.
    """
    match = _FIELD.match(rows[index][2])
    if match is None:
        return None
    seen = {match.group(1).lower(): match.group(2).strip()}
    end = index + 1
    blanks = 0
    for row in range(index + 1, min(index + _FIELD_SPAN, len(rows))):
        line = rows[row][2]
        if field := _FIELD.match(line):
            seen.setdefault(field.group(1).lower(), field.group(2).strip())
            end, blanks = row + 1, 0
        elif not line.strip(" >\t"):
            blanks += 1
            if blanks > _FIELD_GAP or "subject" in seen:
                break
        elif "subject" in seen or blanks:
            break
    first = match.group(1).lower()
    if first == "from" and len(seen) >= 3 and seen.keys() & {"sent", "date", "subject"}:
        return index, end, _name(seen["from"])
    if first == "to" and "subject" in seen:
        above, sender = _notes_lines(rows, index)
        return (above, end, sender) if above < index or len(seen) >= 3 else None
    return None


def _notes_lines(rows: Sequence[tuple[int, int, str]], index: int) -> tuple[int, str]:
    """The lines above a Lotus Notes header that say who wrote and when: (the first of them, the name)."""
    first = index
    dated = named = False
    blanks = 0
    for row in range(index - 1, max(index - 7, -1), -1):
        line = rows[row][2].strip(" >\t")
        if not line:
            blanks += 1
            if named or blanks > 2:
                break
            continue
        if "---" in line or len(line) > _LONGEST_NAME or (dated and blanks and line[-1] in ".!?:;,"):
            break
        if _DATE.search(line):
            dated = True
            named = named or _DATE.match(line) is None
        elif named or len(line.split()) > 8 or line[-1] in ".!?:;,":
            break
        else:
            named = True
        first = row
    if not dated:
        return index, ""
    return first, _name(rows[first][2].strip(" >\t"))


def _name(sender: str) -> str:
    """A name, or an address, from how a copied header gives it; empty if it does not look like one."""
    sender = re.sub(r"\[.*?\]|<[^>]*>|\(.*?\)", " ", sender[:_LONGEST_SENDER])
    sender = _NAME_END.split(sender.strip(), maxsplit=1)[0]
    sender = _NOTES_ADDRESS.sub("", sender.split("/")[0]).strip(" \"'*,;:-\t")
    if sender.count(",") == 1:
        last, given = (part.strip(" \"'") for part in sender.split(","))
        sender = f"{given} {last}".strip()
    like_a_name = 2 <= len(sender) <= 60 and len(sender.split()) <= 6 and sender[0].isalpha() and '"' not in sender
    return sender if like_a_name and sender.lower() not in ("at", "on", "the") and not _DATE.search(sender) else ""


def _quote_blocks(rows: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Runs of `>` lines that are long, or with which the mail ends: (first row, row after the last, title)."""
    runs: list[tuple[int, int]] = []
    index = 0
    while index < len(rows):
        if not _QUOTE.match(rows[index][2]):
            index += 1
            continue
        begin = last = index
        while index < len(rows) and index - last <= 2:
            if _QUOTE.match(rows[index][2]):
                last = index
            # Lines that a mail program wrapped lose their mark: a short rest between two marked lines is quoted too.
            elif rows[index][2].strip() and len(rows[index][2]) > 40:
                break
            index += 1
        runs.append((begin, last + 1))
        index = last + 1
    return _worth(rows, runs)


def _worth(rows: Sequence[tuple[int, int, str]], runs: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """The runs that are no small quotes between the lines of a reply, with the lines that say who is quoted."""
    lengths = list(accumulate((len(line.split()) for _, _, line in rows), initial=0))
    blocks = []
    for begin, end in runs:
        if lengths[end] - lengths[begin] <= _INLINE_QUOTE_WORDS and lengths[-1] - lengths[end] > _LAST_WORDS:
            continue
        first, sender = _attribution(rows, begin)
        blocks.append((first, end, f"{QUOTED} from {sender}" if sender else QUOTED))
    return blocks


def _attribution(rows: Sequence[tuple[int, int, str]], begin: int) -> tuple[int, str]:
    """The row of "On Friday, Ada wrote:" above the quote at row `begin`, and who it was; `begin` if there is none."""
    above = begin - 1
    while above >= 0 and begin - above <= 2 and not rows[above][2].strip():
        above -= 1
    if above < 0 or len(rows[above][2]) > 2 * _LONGEST_NAME or not _ATTRIBUTION.match(rows[above][2].strip()):
        return begin, ""
    line = rows[above][2].strip()
    before = rows[above - 1][2].strip() if above else ""
    if _ON.match(before) and not _ON.match(line) and len(before) <= _LONGEST_NAME:
        above, line = above - 1, f"{before} {line}"
    wrote = re.split(r"\s+(?:wrote|writes)\b", line, maxsplit=1, flags=re.IGNORECASE)[0]
    return above, _name(wrote.split(",")[-1] if _ON.match(wrote) else wrote)
