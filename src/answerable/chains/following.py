"""Questions that follow on from others: which those are, and what they are asked with.

"And who founded it?" names nothing of its own. It is asked with the questions that it follows and their answers, after
its own words: they add names to the search, and tell the reader what "it" is. No sentence is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from answerable.encoders.expansion import named_spans
from answerable.privacy.flow import readable
from answerable.retriever import Retriever
from answerable.text import is_polar
from answerable.types import PUBLIC, Label, Query

MOST = 3
"""Turns that one is asked with, at most: of as many as follow on one from another, the nearest."""
ROOM = 400
"""Characters that are added to a question, at most."""
_OPENING = re.compile(r"\A\s*(?:and|but|or|so|also)\b[\s,]*", re.IGNORECASE)
_ABOUT = re.compile(r"(?:what|how) about\b", re.IGNORECASE)
_BARE = re.compile(r"(?:who|what|which|when|where|why|how)(?:\s+\w+)?\W*$", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:it|its|he|him|his|she|hers?|they|them|theirs?|this|these|those|ones?)\b|\b(?:that|there|then)\W*$"
    r"|(?:^|\b(?:of|in|on|at|by|for|to|from|with|about|is|was|are|were|do|does|did|has|have|had|can|will|would) )"
    r"that \w",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a conversation, and the label of what shaped them, which a question that is asked with them takes.
    `asks`: whether they are a question."""

    text: str
    label: Label = PUBLIC
    asks: bool = False


def follows(question: str) -> bool:
    """Whether a question is none without those before it: it opens with "and" or "what about", it is a question word
    with one more at most, or it points at something before it names anything itself. By English words."""
    line = question.strip()
    if _OPENING.match(line) or _ABOUT.match(line) or _BARE.match(line):
        return True
    first, _, rest = line.partition(" ")
    named = min((start for start, _ in named_spans(rest)), default=len(rest)) + len(first) + 1
    pointing = _POINTING.search(line)
    return pointing is not None and pointing.start() < named


def context(question: str, turns: Sequence[tuple[Said, Said | None]]) -> tuple[Said, ...]:
    """What was said before that a question is to be asked with, the nearest turn first; nothing for one that stands
    alone. `turns`: questions with their answers, None where there was none, oldest first."""
    found: list[Said] = []
    for asked, answer in reversed(turns[-MOST:] if follows(question) else ()):
        found += [asked] if answer is None else [asked, answer]
        if not follows(asked.text):
            break
    return tuple(found)


def whole(question: str, said: Sequence[Said]) -> str:
    """The question, and after it what was said before, as much as there is room for."""
    if not said:
        return question
    added = " ".join(" ".join(one.text for one in said).split())
    return f"{_OPENING.sub('', question, count=1)} {added[:ROOM]}".strip()


def again(question: str, said: Sequence[Said]) -> tuple[str, str] | None:
    """What a question that follows on names, and what it asks again of that: "And Kim?" after "Where does Bo live?",
    with what was asked since ("Who is his boss?"). None for one that asks something of its own. `question`: with what
    was said before, as `whole` has it."""
    asked = [one.text for one in said if one.asks]
    own, found, _ = question.partition(" ".join(asked[0].split())) if asked else ("", "", "")
    named = _ABOUT.sub("", own).strip(" ?.!,")
    if not found or not named or _ASKING.search(named) or is_polar(named):
        return None
    *nearer, first = asked
    return named, " ".join([*(one for one in nearer if _ASKING.search(one)), first])


def following(query: Query, said: Sequence[Said], door: Retriever) -> list[Query]:
    """The question with what was said before, under the labels of both.

    Where an enclave that the asker may read does not admit that, before it the question with as much as adds nothing to
    its label: it is gathered for to the end first, as if there were nothing else.
    """
    known = replace(query, text=whole(query.text, [one for one in said if one.label <= query.label]))
    labels = query.label.union(*(one.label for one in said))
    full = replace(query, text=whole(query.text, said), label=labels)
    near = [one for one in door.enclaves.values() if readable(query.asker, one).allowed]
    both = full != known and not all(door.decision(full, one).allowed for one in near)
    return [known, full] if both else [full]
