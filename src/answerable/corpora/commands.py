"""What is typed to do a thing: an answer that stands in a line of code is that line, with all that it takes."""

from __future__ import annotations

import re

from answerable.corpora.citations import FindDocument
from answerable.corpora.paragraphs import ITEM
from answerable.types import Candidate, Document

_PROMPT = re.compile(r"[ \t]*(?:(?:[$#%>]|>>>) +)?")
_REMARK = re.compile(r"\s+#\s.*")


def command(answer: Candidate, find: FindDocument) -> str | None:
    """The line of code that an answer stands in, without a prompt before it and a remark after it; None where it stands
    in none, or not in one alone.

    Code is what a format says is code; in plain text, lines set in below one that ends with a colon, but for items.
    """
    document = find(answer.chain.hits[answer.hit].passage)
    if document is None or document.offset:
        return None
    text = document.text
    first, end = text.rfind("\n", 0, answer.start) + 1, text.find("\n", answer.start)
    last = len(text) if end < 0 else end
    if not _is_code(document, first, last):
        return None
    typed = _PROMPT.match(text, first).end()  # type: ignore[union-attr]
    remark = _REMARK.search(text, typed, last)
    last = remark.start() if remark else last
    return text[typed:last].rstrip() if typed < answer.end <= last else None


def _is_code(document: Document, first: int, last: int) -> bool:
    """Whether the line of these characters is one of code."""
    if document.kind != "text":
        return any(start <= first and last <= end for start, end in document.meta.get("code") or ())
    if ITEM.match(document.text, first):
        return False
    margin, lines = _margin(document.text[first:last]), document.text[:first].splitlines()
    led = next((line for line in reversed(lines) if line.strip() and _margin(line) < margin), "")
    return led.rstrip().endswith(":")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
