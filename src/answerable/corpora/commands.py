"""What is typed to do a thing: an answer that stands in a line of code is that line, with all that it takes."""

from __future__ import annotations

import re
from dataclasses import replace

from answerable.corpora.citations import FindDocument
from answerable.corpora.paragraphs import ITEM
from answerable.text import asks_for_reasons
from answerable.types import Candidate, Document

_PROMPT = re.compile(r"[ \t]*(?:(?:[$#%>]|>>>) +)?")
_REMARK = re.compile(r"\s+#\s.*")


def typed(question: str, answer: Candidate, find: FindDocument) -> Candidate:
    """The answer to a question how to do a thing, with the words of the whole line of code that it stands in, without a
    prompt before it and a remark after it; as it is where it stands in none, or not in one alone.

    Code is what a format says is code; in plain text, lines set in below one that ends with a colon, but for items.
    """
    document = find(answer.chain.hits[answer.hit].passage) if asks_for_reasons(question) else None
    if document is None or document.offset:
        return answer
    text = document.text
    first, end = text.rfind("\n", 0, answer.start) + 1, text.find("\n", answer.start)
    last = len(text) if end < 0 else end
    if not _is_code(document, first, last):
        return answer
    begin = _PROMPT.match(text, first).end()  # type: ignore[union-attr]
    remark = _REMARK.search(text, begin, last)
    last = remark.start() if remark else last
    return replace(answer, text=text[begin:last].rstrip()) if begin < answer.end <= last else answer


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
