"""What a document itself says a term means, or letters stand for.

Found by its words: no window of a reader need be near a definition.
"""

from __future__ import annotations

import re

from answerable.documents.encoded import Book
from answerable.text import sentences
from answerable.types import Document

DEFINED = 0.9
"""How likely what is found so is right: 59 of the 63 questions of COVID-QA, SQuAD and Natural Questions that it
answers, none of a report (`benchmarks/deciding.py`)."""
_NAME = r"[\w.&/'’-]+(?: [\w.&/'’-]+){0,3}?"
_LETTERS = re.compile(
    r"what (?:do|does) (?:the )?(?:letters |acronym |abbreviation )?[\"“']?([\w.&/-]+)[\"”']? (?:stand for|mean)\W*$",
    re.IGNORECASE,
)
_TERM = re.compile(
    rf"(?:what (?:is|are) (?:meant by |the (?:definition|meaning) of )?(?:an? |the )?[\"“']?(?P<is>{_NAME})[\"”']?"
    rf"|what (?:do|does) (?:an? |the )?[\"“']?(?P<means>{_NAME})[\"”']? mean"
    r"|what does it mean to [\"“']?(?P<to>\w+)[\"”']?(?: (?:an?|the) \w+)?"
    rf"|define (?:an? |the )?[\"“']?(?P<define>{_NAME})[\"”']?)\W*$",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:(?:is|are)(?: an?| the| any| one| those| certain| defined as| when| where| what)"
    r"|means?|shall mean|refers? to|denotes?)\b"
)
_REACH = 200
"""Characters before letters in parentheses in which their words stand."""
_LONGEST = 600


def defined(book: Book, question: str) -> tuple[int, int] | None:
    """Characters [start, end) that say what a question asks the meaning of; None where it asks for none, or none is
    found.

    What letters stand for is words whose initials they are, with the letters in parentheses behind (Schwartz and Hearst
    2003). A definition is a sentence that begins with the term, in quotes or not, and goes on to say what it is.
    """
    asked = question.strip()
    letters, term = _LETTERS.match(asked), _TERM.match(asked)
    if letters and (found := _spelt(book.document.text, letters[1])):
        return found
    return _defined(book.document, next(filter(None, term.groups()))) if term else None


def _spelt(text: str, letters: str) -> tuple[int, int] | None:
    """The words before "(ABC)" whose initials are those letters, or those in the parentheses after "ABC"."""
    if sum(map(str.isupper, letters)) < 2:
        return None
    for place in re.finditer(rf"\(\s*(?:or |the )?[\"“'‘]?{re.escape(letters)}s?[\"”'’]?\s*[),;]", text):
        before = text[max(0, place.start() - _REACH) : place.start()].rstrip(" \n\"”'’")
        starts = [one.start() for one in re.finditer(r"\w+", before)]
        for first in reversed(starts[-2 * len(letters) - 2 :]):
            if _abbreviates(letters, before[first:]):
                offset = max(0, place.start() - _REACH)
                return offset + first, offset + len(before)
    if after := re.search(rf"\b{re.escape(letters)} \(([^()]{{4,100}})\)", text):
        return after.span(1) if _abbreviates(letters, after[1]) else None
    return None


def _abbreviates(letters: str, said: str) -> bool:
    """Whether letters begin words of a text, in order, the first of them its first word, and the last is in its last;
    no sentence ends in it."""
    wanted = [one for one in letters.lower() if one.isalnum()]
    parts = re.findall(r"\w+", said.lower())
    if not wanted or not parts or re.search(r"[.:;!?]\s", said):
        return False
    initials = iter(one[0] for one in parts)
    return parts[0][0] == wanted[0] and wanted[-1] in parts[-1] and all(one in initials for one in wanted)


def _defined(document: Document, term: str) -> tuple[int, int] | None:
    """The first sentence that begins with a term in quotes, or else with it, and says what it is."""
    text, said = document.text, r"\s+".join(map(re.escape, term.split()))
    opening = r"(?:(?<=[.!?:;)]\s)|(?<=\n)(?<![^\n]{40}[^\n.:;!?]\n)|^)[ \t]*(?:\W{0,3}\d*[.)]?\s)?"
    forms = (
        rf"(?:\b(?:An?|The|To)\s+)?[\"“]{said}(?:s|es)?[\"”](?:\s+\([^)]*\))?[^.\n\"“]{{0,60}}?\s+(?:is\b|are\b|{_SAYS})",
        rf"{opening}(?P<here>(?:(?:An?|The)\s+)?{said}(?:s|es)?(?:\s+\([^)]*\))?,?\s+{_SAYS})",
        rf"{opening}(?P<here>{said}\s*(?::|[–—]|\s+(?=(?:The|This|An?|Any|Each|Whether|How)\b)))",
    )
    for number, form in enumerate(forms):
        if place := re.compile(form, re.IGNORECASE if number < 2 else 0).search(text):
            start = place.start("here") if number else place.start()
            first = next(iter(sentences(text[place.end() : start + _LONGEST])), None)
            return (start, place.end() + first[1]) if first else None
    return None
