"""Questions beside those of whole clauses.

What stands between brackets after a name: when somebody was born, and when they died. And the same question in words
that people use: "come out" for "be released".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from answerable.qapairs.generation.parsing import Parsed
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.answers import date_form
from answerable.qapairs.generation.syntactic.asking import Asked
from answerable.qapairs.generation.syntactic.subjects import Topic
from answerable.qapairs.generation.syntactic.words import EVENTS, WORKS

_SPAN = re.compile(r"\s[-–—]+\s|(?<=\d)[-–—](?=\d)")


def of_asides(parsed: Parsed, answer: Extracted, about: Topic) -> Iterator[Asked]:
    """Questions for a date in the first brackets of a page about a person."""
    if not parsed.asides or not (about.person and about.sure) or date_form(answer.text) not in ("year", "day"):
        return
    aside = parsed.asides[0]
    if not (aside.start <= answer.start and answer.end <= aside.end) or not parsed.sentences:
        return
    if aside.start > parsed.sentences[0].words[-1].end:
        return
    text = parsed.text[aside.start : aside.end]
    at = answer.start - aside.start
    before = text[:at]
    if re.search(r"\b(?:died|d\.)\s*(?:\w+\s)?$", before):
        yield from _life(about, "die", "died")
    elif re.search(r"\bborn\b[^;]*$", before) and not _SPAN.search(before):
        yield from _life(about, "born", "born")
    elif _SPAN.search(before):
        yield from _life(about, "die", "died")
    elif _SPAN.search(text[at:]):
        yield from _life(about, "born", "born")


def _life(about: Topic, what: str, made: str) -> Iterator[Asked]:
    if what == "born":
        yield Asked(f"when was {about.name} born", "when", made, 0, "topic")
        yield Asked(f"what year was {about.name} born", "what year bare", made, 0, "topic")
    else:
        yield Asked(f"when did {about.name} die", "when", made, 0, "topic")
        yield Asked(f"what year did {about.name} die", "what year bare", made, 0, "topic")


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
