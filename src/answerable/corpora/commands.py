"""What is typed to do a thing: an answer that stands in a line of code is that line, with all that it takes, and one
in a part of lines that stand under each other that part."""

from __future__ import annotations

import re
from dataclasses import replace

from answerable.corpora.citations import FindDocument
from answerable.corpora.paragraphs import ITEM
from answerable.text import asks_for_reasons, margin, part_at
from answerable.types import Candidate, Document

_PROMPT = re.compile(r"[ \t]*(?:(?:[$#%>]|>>>) +)?")
_COMMAND = re.compile(r"\bcommands?\b", re.IGNORECASE)
_REMARK = re.compile(r"\s+#\s.*")


def typed(question: str, answer: Candidate, find: FindDocument) -> Candidate:
    """The answer to a question how to do a thing, or for a command, with the words of the whole line of code that it
    stands in, without a prompt before it and a remark after it, or else of its part of lines in columns; as it is where
    it stands in none, or not in one alone.

    Code is what a format says is code; in plain text, lines set in below one that ends with a colon, but for items.
    """
    asked = asks_for_reasons(question) or _COMMAND.search(question)
    passage = answer.chain.hits[answer.hit].passage
    document = find(passage) if asked else None
    if document is None or document.offset:
        return answer
    text = document.text
    begin, last = text.rfind("\n", 0, answer.start) + 1, text.find("\n", answer.start)
    last = len(text) if last < 0 else last
    if _is_code(document, begin, last):
        begin = _PROMPT.match(text, begin).end()  # type: ignore[union-attr]
        remark = _REMARK.search(text, begin, last)
        last = remark.start() if remark else last
    elif part := part_at(passage.text, answer.start - passage.start):
        begin, last = (passage.start + at for at in part)
    else:
        return answer
    last = begin + len(text[begin:last].rstrip())
    return replace(answer, text=text[begin:last], start=begin, end=last) if begin < answer.end <= last else answer


def _is_code(document: Document, first: int, last: int) -> bool:
    """Whether the line of these characters is one of code."""
    if document.kind != "text":
        return any(start <= first and last <= end for start, end in document.meta.get("code") or ())
    if ITEM.match(document.text, first):
        return False
    own, lines = margin(document.text[first:last]), document.text[:first].splitlines()
    led = next((line for line in reversed(lines) if line.strip() and margin(line) < own), "")
    return led.rstrip().endswith(":")
