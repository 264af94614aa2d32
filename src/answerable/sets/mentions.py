"""Words that a constraint says a text has ("mails that mention Houston"), which no judge need be asked."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial

from answerable.corpora.citations import FindDocument
from answerable.indexes.terms import analyzer
from answerable.sets.bound import Bound, Size
from answerable.sets.expression import Expression, signed
from answerable.text import sentences
from answerable.types import Passage

_WHO = r"\b(?:that|which|who|do|does|also|even|ever|never) "
_HAVING = r"\b(?:with|has|have|having|contains?|containing|says?|saying|uses?|using)"
_ASKED = re.compile(
    rf"(?:(?:^|{_WHO})mentions?|\bmentioning|\bmentions? of|(?:{_WHO})?{_HAVING}"
    r"(?: the (?:words?|name|phrase)\b|(?= [\"“])))\s+(?P<said>\S.*)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“](.+)[\"”]")
_ONCE = Size("mentions", 1.0)


def mention(wanted: str) -> Bound | None:
    """What a constraint says that texts have, as a bound to the constraint's end: all of its content words in any form,
    or what stands in quotation marks as it stands there, but for its case and white space."""
    found = _ASKED.search(wanted)
    if found is None:
        return None
    return Bound(found.start(), found.end(), _ONCE, 1.0, math.inf, partial(_told, found["said"]))


def alone(wanted: str) -> Bound | None:
    """As `mention`, of a constraint that says nothing else: "that mention Houston"."""
    bound = mention(wanted)
    return None if bound is None or bound.start else bound


def mentioned(expression: Expression, passage: Passage, find: FindDocument) -> dict[str, Passage]:
    """Of the words that are taken away, by their constraints, those that the whole document of a passage has: the first
    sentence with all of them, or else the passage itself."""
    bounds = {text: alone(text) for text, negated in signed(expression) if negated}
    document = find(passage) if any(bounds.values()) else None
    found: dict[str, Passage] = {}
    for text, bound in bounds.items():
        if document and bound and bound.fits(document.title, document.text):
            spans = (span for span in sentences(document.text) if bound.fits("", document.text[slice(*span)]))
            start, end = next(spans, (passage.start - document.offset, passage.end - document.offset))
            words, first = document.text[start:end], document.offset
            found[text] = replace(passage, text=words, start=first + start, end=first + end)
    return found


def plain(wanted: str) -> str:
    """A constraint as it is searched for: "mails Houston" of "mails that mention Houston"."""
    return _ASKED.sub(r"\g<said>", wanted)


def _told(said: str, title: str, text: str) -> list[Size]:
    quoted, whole = _QUOTED.search(said), f"{title}\n{text}"
    if quoted:
        has = " ".join(quoted[1].casefold().split()) in " ".join(whole.casefold().split())
    else:
        has = frozenset(analyzer(stop=True).analyze(said)) <= frozenset(analyzer(stop=True).analyze(whole))
    return [_ONCE] if has else []
