"""The same question in words that people use: "come out" for "be released"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from answerable.qapairs.generation.syntactic.asking import Asked
from answerable.qapairs.generation.syntactic.subjects import Topic
from answerable.qapairs.generation.syntactic.words import EVENTS, WORKS

_REWORDED = (
    (re.compile(r"^(when|what year|in what year) was (.+?)(?: first)? released$"), r"\1 did \2 come out"),
    (re.compile(r"^(when|what year|in what year) did (.+?) premiere$"), r"\1 did \2 come out"),
    (re.compile(r"^who (?:does|did) (.+) star$"), r"who stars in \1"),
    (re.compile(r"^where (is|are|was|were) (.+) (?:located|situated)$"), r"where \1 \2"),
    (re.compile(r"^what (?:is|was) (.+) (?:also )?known as$"), r"what is another name for \1"),
    (re.compile(r"^(when|what year|in what year) was (.+) (?:founded|established)$"), r"\1 did \2 start"),
    (re.compile(r"^how many (\w+(?: \w+)?) ((?:in|on|at|of) .+) (are|were) there$"), r"how many \1 \3 there \2"),
    (re.compile(r"^(when|what year|in what year) did (.+) pass away$"), r"\1 did \2 die"),
)


def reworded(asked: Asked, about: Topic) -> Iterator[Asked]:
    """Other wordings of a question; with the page's title, where it asks about something in a work or an event."""
    for pattern, wording in _REWORDED:
        text, changed = pattern.subn(wording, asked.question)
        if changed:
            yield asked._replace(question=text, made="reworded")
    if asked.subject in ("own", "asked", "expletive") and about.sure and about.noun in WORKS | EVENTS:
        low = asked.question.lower()
        named = sum(word[:1].isupper() for word in asked.question.split())
        if about.title.lower() not in low and asked.short and named < 3 and about.noun not in low.split():
            yield asked._replace(question=f"{asked.question} in {about.name}", made="in title")
