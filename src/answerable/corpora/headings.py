"""Headings of plain text, told by how they are numbered, named, marked or placed: reports, laws, manuals, RFCs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from answerable.corpora.layout import Rows
from answerable.corpora.outline import Heading, is_underline, nest
from answerable.text import asks
from answerable.types import Section

_HEADING_WORDS = 12
_HEADING_CHARACTERS = 300
_RUN_IN_WORDS = 10
_LEAST_NUMBERED = 3
"""How many headings such as "1. Definitions." a text must have: a list with remarks may look like one or two."""
_LEAST_LISTED = 3
"""How many titles a list of contents must have."""
_DIGITS = re.compile(r"^(?:[^\W\d]+\.?\s+|§+\s*)?(\d{1,4}(?:\.\d{1,3}){0,4})(?!\w)")

_MARKED = re.compile(r"(={2,6})[ \t]+(\S.*?)(?:[ \t]+=+)?$")
"""A heading as AsciiDoc and wikis mark it: "== Scope"."""
_UNDERLINES = {"=": 1, "*": 1, "-": 2, "~": 3, "^": 3}
_NAMES = (
    ("book", "title", "volume"),
    ("part", "division"),
    ("chapter",),
    ("appendix", "annex", "schedule", "exhibit"),
    ("article", "art."),
    ("section", "sec.", "§", "§§", "clause", "rule"),
)
"""What laws call their parts, the wider first. Those of one row are of one depth."""
_RANKS = {name: rank for rank, names in enumerate(_NAMES) for name in names}
_ORDINAL = r"(?:\d{1,4}(?:[.-]\d{1,3}){0,3}[a-z]?|[ivxlc]{1,7}|[a-z])"
_ANY_NAME = "|".join(sorted(map(re.escape, _RANKS), key=len, reverse=True))
_NAMED = re.compile(
    rf"(?P<name>{_ANY_NAME})(?:(?<=§)[ \t]*|[ \t]+){_ORDINAL}(?!\w)",
    re.IGNORECASE,
)
_NAME = re.compile(rf"^(?:{_ANY_NAME})\s+", re.IGNORECASE)
_BARE = re.compile(rf"(?:{_ANY_NAME})(?:(?<=§)\s*|\s+)\S+", re.IGNORECASE)
"""A name and an ordinal without a title."""
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ \t]+[^\W\d_]")
_LETTERED = re.compile(r"\((?:(?P<roman>[ivx]{1,6})|[a-z]|\d{1,2})\)[ \t]+[^\W\da-z_]")
LEADERS = re.compile(r"(?:\.{3,}|(?:\. ){3,}|…|\t|[ ]{4,})[ ]*(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
"""How a line of a table of contents ends."""
_RUN_IN = re.compile(
    r"[ \t]*[.:\u2014\u2013-]*[ \t]*(?P<words>[^\W\da-z_][^.:;!?\n]{0,80})[.:][ \t\u2014\u2013-]+(?=[\"“‘'(\w])"
)
NUMBERED_LINE = re.compile(rf"{_NUMBERED.pattern}|{_NAMED.pattern}", re.IGNORECASE)
"""How a heading with a number or a name begins."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading, before it is known which names and numbers a document uses.

    `rank`: of its name, None for a number of `level` parts; `letter`: 1 or 2 for "(a)" and "(i)", which lie below what
    they follow; `listed`: an item of a list could begin so too ("(a) Notice", "1. Definitions.").
    """

    start: int
    title: str
    rank: int | None = None
    level: int = 0
    letter: int = 0
    listed: bool = False
    runs_in: bool = False

    @property
    def bare(self) -> bool:
        """Whether its letters alone tell that it is one."""
        return self.title.isupper() and self.rank is None and not self.letter and not _NUMBERED.match(self.title)


def text_sections(text: str) -> tuple[Section, ...]:
    """The headings of a plain text: lines alone between blank lines that are numbered, named as parts of a law or a
    book, in capitals, centred, below rules, marked or underlined, lines that stand further out than their text, and a
    number and short title that open a paragraph ("4.2 Term. This ...").

    Anything less certain stays text, and so do the lines of a table of contents, and first sentences of paragraphs of
    which more have a number of that depth and no title.
    """
    found: list[_Found] = []
    untitled = Counter[int]()
    alone: dict[int, int] = {}
    after_listed = held = False
    rows = Rows.of(text)
    out = rows.further_out()
    placed = out or dict.fromkeys(rows.centred() | rows.below_rules(), 1)
    for number, (start, block) in enumerate(_openings(text)):
        heading = _heading(start, block)
        if heading is None or (out and heading.bare):  # where headings stand further out, capitals amid text are none
            heading = _Found(start, block[0], level=placed[start]) if start in placed else None
        if heading is None and (plain := _NUMBERED.match(block[0])):
            untitled[plain[1].count(".") + 1] += 1
        # Items of a list follow each other; below a heading there is text.
        if held and heading is not None:
            found.pop()
        listed = heading is not None and heading.listed
        held = listed and not after_listed
        if heading is not None and (held or not listed):
            found.append(heading)
            alone |= {start: number} if block == [heading.title] else {}
        # One with a title that opens a paragraph has its text with it.
        after_listed = listed and len(block) == 1
        held = held and after_listed
    if held:
        found.pop()
    numbered = sum(heading.listed and not heading.letter for heading in found)
    if numbered < _LEAST_NUMBERED:
        found = [heading for heading in found if heading.letter or not heading.listed]
    titled = Counter(heading.level for heading in found if heading.runs_in)
    found = [heading for heading in found if not heading.runs_in or titled[heading.level] >= untitled[heading.level]]
    return nest(_with_depths(_without_contents(found, alone)), len(text))


def _without_contents(found: Sequence[_Found], alone: Mapping[int, int]) -> list[_Found]:
    """The headings but for those of lists of contents: lines with no text between them that come again later, in the
    same order. They have three titles or more, or what they begin with comes next; laws number anew in each part.

    `alone`: the numbers of the runs of lines that are nothing but a heading, by where they begin.
    """
    bare = [_BARE.fullmatch(one.title) is not None for one in found]
    keys = [one.title if untitled else _NAME.sub("", one.title) for one, untitled in zip(found, bare, strict=True)]
    numbers = {*alone.values()}
    joined = [one.start in alone and alone[one.start] - 1 in numbers for one in found]
    places: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    kept: list[_Found] = []
    at = 0
    while at < len(found):
        end = _end_of_repeated(at, keys, places, joined) if found[at].start in alone else at
        repeats = at < end < len(found) and joined[end] and keys[end] == keys[at]
        if not repeats and bare[at:end].count(False) < _LEAST_LISTED:
            end = max(end, at + 1)
            kept += found[at:end]
        at = end
    return kept


def _end_of_repeated(at: int, keys: Sequence[str], places: Mapping[str, list[int]], joined: Sequence[bool]) -> int:
    """Where the headings from `at` end that stand together and all come again after the last of them, in order."""
    end, place, first = at, at, len(keys)
    while end < first and (end == at or joined[end]):
        later = places[keys[end]]
        nearest = bisect_right(later, place)
        if nearest == len(later):
            break
        place = later[nearest]
        first = min(first, place)
        end += 1
    return end


def is_contents(line: str) -> bool:
    """Whether a line is one of a table of contents: dots or a wide gap, then the number of a page."""
    return LEADERS.search(line) is not None


def _openings(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each run of lines between blank lines, or from one that is marked as a heading: where it begins, and its first
    three lines without their blanks."""
    held: list[str] = []
    begins = cursor = 0
    for row in text.replace("\xa0", " ").splitlines(keepends=True):
        line = row[:_HEADING_CHARACTERS].strip()
        if held and (not line or _MARKED.fullmatch(line)):
            yield begins, held
            held = []
        if not line:
            pass
        elif not held:
            begins, held = cursor, [row.strip() if len(row) <= _HEADING_CHARACTERS else line]
        elif len(held) < 3:
            held.append(line)
        cursor += len(row)
    if held:
        yield begins, held


def _heading(start: int, block: Sequence[str]) -> _Found | None:
    """The heading that a run of lines begins with or is."""
    line = block[0]
    if len(line) > _HEADING_CHARACTERS or is_contents(line):
        return None
    if marked := _MARKED.fullmatch(line):
        return _Found(start, marked[2], level=len(marked[1]))
    below = block[1] if len(block) > 1 else ""
    if len(below) >= 3 and (depth := _UNDERLINES.get(below[0])) and is_underline(below, line):
        return _Found(start, line, level=depth)
    named = _NAMED.match(line)
    if not below:
        alone = _alone(start, line, named)
        if alone is not None:
            return alone
    elif named and len(block) == 2 and len(line.split()) <= 4 and _is_title(below):
        return _Found(start, f"{line} {below}", rank=_RANKS[named["name"].lower()])
    return _run_in(start, line, named)


def _alone(start: int, line: str, named: re.Match[str] | None) -> _Found | None:
    """A line by itself as a heading."""
    words, question = len(line.split()), asks(line)
    if (words > _HEADING_WORDS and not question) or line[-1] in ",;:!":
        return None
    if named:
        rest = line[named.end() :].strip(" \t.")
        opens = not rest or not (question or rest[0].islower() or rest[0] == ",")
        if opens and (line[-1] != "." or (words <= _RUN_IN_WORDS and ". " not in rest)):
            return _Found(start, line, rank=_RANKS[named["name"].lower()])
        return None
    numbered = _NUMBERED.match(line)
    if line[-1] == ".":
        title = line[numbered.end() - 1 :] if numbered else ""
        if not title[:1].isupper() or words > _RUN_IN_WORDS or ". " in title:
            return None
    if numbered:
        level = numbered[1].count(".") + 1
        return _Found(start, line, level=level, listed=level == 1 and (question or line[-1] == "."))
    if not question and (lettered := _LETTERED.match(line)):
        return _Found(start, line, letter=2 if lettered["roman"] and len(lettered["roman"]) > 1 else 1, listed=True)
    if line.isupper() and sum(c.isalpha() for c in line) >= 4:
        return _Found(start, line, level=1)
    return None


def _run_in(start: int, line: str, named: re.Match[str] | None) -> _Found | None:
    """A number, and as a rule a short title, that open a paragraph: "Section 12. Liability. The seller ..."."""
    numbered = _NUMBERED.match(line) if not named else None
    if named:
        end = named.end()
        closed = line[end : end + 1] in (".", ":") or line[end:].lstrip()[:1] in ("\u2014", "\u2013")
    elif numbered:
        end, closed = numbered.end() - 1, False
    else:
        return None
    rank = _RANKS[named["name"].lower()] if named else None
    level = numbered[1].count(".") + 1 if numbered else 0
    title = _RUN_IN.match(line, end)
    if title and len(title["words"].split()) <= _RUN_IN_WORDS and (level != 1 or _is_title(title["words"])):
        whole = line[: title.end("words")].strip()
        return _Found(start, whole, rank, level, listed=level == 1, runs_in=rank is None)
    return _Found(start, line[:end], rank, level) if closed else None


def _is_title(line: str) -> bool:
    """Whether a line below "ARTICLE IV" is its title."""
    words = [word for word in line.split() if word[0].isalpha()]
    capital = sum(word[0].isupper() for word in words)
    return 0 < len(words) <= _HEADING_WORDS and line[-1] not in ".,;:!?" and capital * 2 > len(words)


def _with_depths(found: Sequence[_Found]) -> list[Heading]:
    """Depths: by name among the names that are used, by the parts of a number, by letter below what it follows."""
    used = sorted({heading.rank for heading in found if heading.rank is not None})
    headings: list[Heading] = []
    numbers: dict[str, int] = {}
    above = 0
    for heading in found:
        number = _DIGITS.search(heading.title)
        wider = number[1].rpartition(".")[0] if number else ""
        if heading.letter:
            depth = above + heading.letter
        elif heading.rank is not None:
            depth = above = used.index(heading.rank) + 1
        else:
            # "4.1" lies below "4" and "Article 4", however these are marked.
            depth = above = numbers[wider] + 1 if wider in numbers else heading.level
        if number:
            numbers[number[1]] = depth
        headings.append((heading.start, depth, heading.title))
    return headings
