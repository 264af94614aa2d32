"""Sections that a text names: "as described in Section 3.1", "see § 4.2(b)", "(see Priorities)"; questions for one."""

from __future__ import annotations

import re

from answerable.corpora.paragraphs import Span
from answerable.documents.encoded import Book

_KIND = r"(?i:§+|\b(?:section|sec\.|article|art\.|clause|chapter|rule|appendix|annex|exhibit|schedule))"
_NUMBER = r"(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)(?![\w-])"
_NAMED = re.compile(
    rf"(?:(?:{_KIND}s|§§)\s*{_NUMBER}(?:(?:,\s*|\s+)(?:(?:and|or|to)\s+)?{_NUMBER})*|{_KIND}\s*{_NUMBER})"
    r"(?!\s+of\s+(?!(?:this|these)\b))"
)
_TITLE = re.compile(rf"(?:{_KIND}\s*)?({_NUMBER})[.):]?(?:\s|$)")
_ASKED = re.compile(
    r"what (?:does|do|is|are|stands?)\b(?: (?:said|written|in|the))* (?P<named>.+?)"
    r"(?: (?:say|state|require|cover|about))?(?P<more> (?:about|of|on) .+?)?\W*$",
    re.IGNORECASE,
)
_SEE = re.compile(r"\bsee (?:also )?(?:the )?", re.IGNORECASE)
SHORT = 800
"""Characters of a section, or a list, that is told whole."""
_LINE = r"(?m)^[ \t]*(?:§ ?)?{}[.)]?\s+\S"


def sections_named(book: Book, text: str, most: int = 3) -> list[Span]:
    """Characters [start, end) of the sections whose numbers a text names, or their titles after "see", headings left
    out; in order, `most` at most.

    A number that no heading has is looked for at the beginning of a line, if it has a full stop. "Section 5 of the Act"
    is of another document.
    """
    plain = re.sub(r"\(\w+\)", "", text)
    numbers = (number for named in _NAMED.finditer(plain) for number in re.findall(_NUMBER, named[0]))
    found = [_numbered(book, number) for number in dict.fromkeys(numbers)]
    found += [_titled(book, plain[see.end() :]) for see in _SEE.finditer(plain)]
    return [span for span in dict.fromkeys(found) if span][:most]


def section_asked(book: Book, question: str) -> Span | None:
    """The section that a question asks to hear: "What does section 4.2 say?"; one "about" something if it is short."""
    asked = _ASKED.match(question.strip())
    if not asked or not _NAMED.fullmatch(asked["named"]):
        return None
    found = next(iter(sections_named(book, asked["named"], 1)), None)
    return None if found and asked["more"] and found[1] - found[0] > SHORT else found


def _numbered(book: Book, number: str) -> Span | None:
    """The text below the first heading with a number, or the line that begins with it. A letter alone is an article."""
    for section in book.document.sections:
        title = _TITLE.match(section.title)
        if title and title[1] == number and (number[0].isdigit() or title[0].strip() != number):
            return _held(book, section.start + len(section.title), section.end)
    line = re.search(_LINE.format(re.escape(number)), book.document.text) if "." in number else None
    return _held(book, line.start(), line.end()) if line else None


def _titled(book: Book, text: str) -> Span | None:
    """The text below the heading whose title, its number left out, a text begins with; the longest of several."""
    best, held = 0, None
    for section in book.document.sections:
        title = section.title[found.end() :] if (found := _TITLE.match(section.title)) else section.title
        if len(title) > max(best, 3) and text.startswith(title) and not text[len(title) :][:1].isalnum():
            best, held = len(title), section
    return _held(book, held.start + len(held.title), held.end) if held else None


def _held(book: Book, start: int, end: int) -> Span | None:
    """The sentences that stand between two characters; None without any."""
    places = (one.sentences for one in book.paragraphs if one.start < end and start < one.end)
    here = [span for some in places for span in some if span[0] < end and start < span[1]]
    return (here[0][0], here[-1][1]) if here else None
