"""Questions of what stands between brackets after a name: when somebody was born, and when they died."""

from __future__ import annotations

import re
from collections.abc import Iterator

from answerable.qapairs.generation.parsing import Parsed
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.answers import date_form
from answerable.qapairs.generation.syntactic.asking import Asked
from answerable.qapairs.generation.syntactic.subjects import Topic

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
