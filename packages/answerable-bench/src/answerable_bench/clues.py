"""What a passage says of an entity, as a phrase that does not name it: "the company that bought Idealab".

These stand where people wrote the first half of a question. Each comes of one sentence, which becomes a supporting
sentence, and says nothing that only its writer could place (I, this, today).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from answerable.types import Passage
from answerable_bench.grammar import (
    BE,
    CAPITAL,
    HEADER,
    MODAL,
    MONTHS,
    NAME,
    Sentence,
    clause,
    is_past,
    last_clause,
    sentence_at,
    sentences,
    vague,
)
from answerable_bench.names import PERSON, key, kind_of

_MOST, _LEAST = 20, 4  # words of a clause
_DESCRIBED = 14  # words of a description, which is a page's own and so is not to be copied whole
_ROLE = (
    "president director manager chairman analyst counsel professor partner head chief secretary spokesman spokeswoman "
    "officer executive trader attorney lawyer consultant founder economist commissioner senator governor engineer "
    "coordinator associate administrator representative leader member editor reporter ceo cfo coo specialist advisor"
)
ROLE = rf"(?:{'|'.join(_ROLE.split())})"
"""Words of which a position has one."""
_AT_ROLE = re.compile(rf"\b{ROLE}s?\b", re.IGNORECASE)
_PREPOSITION = r"(?:for|with|from|by|to|at|against|in|on|into|of)"
_OPENER = re.compile(r"^(?:In (?:\d{4}|[A-Z][a-z]+ \d{4}), |However, |Also, |Later, |The )?")
_AT_CLAUSE = re.compile(_OPENER.pattern + r"(?:.*(?:[,;:] | that | and | but | while | because | since ))?(?:[Tt]he )?")
"""What may stand before the subject of a clause."""
_PRONOUN = re.compile(r"^(?:He|She|It|The (?:film|album|song|company|band|book|novel|series|show|team|club|single)) ")
_MADE = re.compile(
    rf"(?P<made>(?:The )?{NAME}) (?:is|was) (?:an?|the) [^,;]*\b(?P<how>[a-z]+ed|written|made|built|led|sung|drawn)$"
)
"""Where a page says what made its subject: "X is a film directed"."""
_SPOKEN = frozenset("said says told added noted stated reported announced wrote asked".split())
"""Verbs whose clause is what somebody said, which is no clue to who they are."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A phrase for an entity, the sentence it comes of, and the form it has: subject, object, page, place, header."""

    text: str
    sentence: int
    form: str


def clues(passage: Passage, name: str, noun: str, sort: str, span: tuple[int, int], alone: bool = False) -> list[Clue]:
    """The clues a passage gives to the entity that stands at `span`, or that it is the page of, best first.

    Those that name the entity are left out. `alone`: the mail names no other of its noun.
    """
    found = sentences(passage.text)
    given = _of_page(passage, found) if span == (0, 0) else _of_mention(passage, found, noun, sort, span, alone)
    return [clue for clue in given if not shares_name(clue.text, name)]


def shares_name(text: str, name: str) -> bool:
    """Whether a text has a telling word of a name (of four letters or more) as a name, or all of them.

    A word with a capital is written as a name; "the university" or "a bank" in small letters says what a thing is.
    """
    telling = [word for word in re.findall(r"\w+", name.lower()) if len(word) > 3] or key(name).split(" ")
    own = re.findall(r"\w+", text)
    held, named = {word.lower() for word in own}, {word.lower() for word in own if not word.islower()}
    return any({word, word.removesuffix("s")} & named for word in telling) or all(
        {word, word.removesuffix("s")} & held for word in telling
    )


def _of_page(passage: Passage, found: list[Sentence]) -> Iterator[Clue]:
    """The page's own words for its subject: "the electric company based in Houston, Texas"."""
    kind = kind_of(passage.title, passage.text)
    if kind is None or not found:
        return
    text = clause(kind.description, _DESCRIBED)
    if len(text.split()) >= _LEAST and not vague(text):
        yield Clue(text if text.startswith("one of") else f"the {text}", 0, "page")
    for sentence in found[1:5]:
        match = _PRONOUN.match(sentence.text)
        if match and (said := _predicate(sentence.text[match.end() :])):
            who = "who" if kind.sort == PERSON else "that"
            yield Clue(f"the {kind.noun} {who} {said}", sentence.number, "subject")


def _of_mention(
    passage: Passage, found: list[Sentence], noun: str, sort: str, span: tuple[int, int], alone: bool
) -> Iterator[Clue]:
    header = HEADER.match(passage.text)
    if header and span[0] < header.end():
        yield from _of_header(header, noun, sort, span)
        return
    sentence = sentence_at(found, span[0])
    if sentence is None or span[1] > sentence.end:
        return
    yield from _in_sentence(passage, sentence, noun, sort, span)
    if header and alone:
        yield from _alone(header, noun, sentence.number)


def _in_sentence(passage: Passage, sentence: Sentence, noun: str, sort: str, span: tuple[int, int]) -> Iterator[Clue]:
    """What the sentence says of what stands at `span`."""
    before = passage.text[sentence.start : span[0]]
    after = passage.text[span[1] : sentence.end]
    who = "who" if sort == PERSON else "that"
    if _AT_CLAUSE.fullmatch(before):
        if apposition := re.match(r", (?:an?|the) ([^,]{8,90}), ", after):
            after = " " + after[apposition.end() :]
            text = apposition[1]
            if len(text.split()) >= _LEAST and not vague(text):
                yield Clue(f"the {text}", sentence.number, "page")
        if after.startswith(" ") and (said := _predicate(after[1:])):
            yield Clue(f"the {noun} {who} {said}", sentence.number, "subject")
    elif subject := _subject(before, passage.title if passage.enclave == "public" else ""):
        yield from _as_object(subject, after, noun, sort, sentence.number)


def _predicate(text: str) -> str:
    """A clause that opens with a verb and says something definite; empty for any other."""
    first = text.split(" ", 1)[0]
    if not (is_past(first) or first in BE or first in MODAL) or first in _SPOKEN:
        return ""
    said = clause(text, _MOST)
    return said if len(said.split()) >= _LEAST and not vague(said) and re.search(r"\d|[A-Z]", said) else ""


def _subject(before: str, title: str) -> str:
    """What stands before an object, its subject named; empty if it is not one clause with a subject and a verb.

    On a page, "He" and "The film" are the page's subject.
    """
    text = last_clause(re.sub(r"\s*\([^()]*\)", "", before)).strip()
    text = re.sub(r"^In (?:\d{4}|[A-Z][a-z]+ \d{4}), ", "", text)
    if title and (match := _PRONOUN.match(text + " ")):
        text = f"{re.sub(r' *[(][^()]*[)]$', '', title)} {text[match.end() :]}"
    match = re.match(rf"(?:The )?{NAME} (?P<verb>\w+)", text)
    if not match or len(text.split()) > _MOST or vague(text) or re.search(r"[,;:\"“”]", text):
        return ""
    return text if is_past(match["verb"]) or match["verb"] in BE | MODAL else ""


def _as_object(subject: str, after: str, noun: str, sort: str, number: int) -> Iterator[Clue]:
    """Clauses that name the entity after a verb or a preposition: "the club for which Bruce Longbottom played"."""
    subject = re.sub(r" the$", "", subject)
    said, _, last = subject.rpartition(" ")
    rest = re.match(r" (?:in|on|for|from|at|during|since|until|as|between) [^,;:.]{2,60}|(?=[,.;)]|$)", after)
    if rest is None or re.match(r"['’]s|-|/", after):
        return
    tail = rest.group() if not vague(rest.group()) else ""
    if is_past(last):
        yield Clue(f"the {noun} that {subject}{tail}", number, "object")
    elif re.fullmatch(_PREPOSITION, last) and len(said.split()) >= 2:
        verb = said.rpartition(" ")[2]
        if made := _MADE.match(said):
            said = f"{made['made']} was {made['how']}"
        close = last in ("in", "by", "on", "of") and not (is_past(verb) or verb in ("born", "written", "part"))
        twice = re.search(rf"\b{last}\b", said)
        if twice or (close and not (last == "of" and _AT_ROLE.search(verb))):
            return
        yield Clue(f"the {noun} {last} {'whom' if sort == PERSON else 'which'} {said}{tail}", number, "object")


def _alone(header: re.Match[str], noun: str, number: int) -> Iterator[Clue]:
    """The one thing of its noun that a mail speaks of, by the mail's sender, subject and day."""
    sender = re.match(rf"({NAME}) <", header["sender"])
    day = re.search(rf"\d{{1,2}} (?:{MONTHS}) \d{{4}}", header["date"])
    if sender and day and (subject := _subject_of(header)):
        yield Clue(f"the {noun} that {sender[1]}'s mail “{subject}” of {day[0]} speaks of", number, "header")


def _subject_of(header: re.Match[str]) -> str:
    """The subject of a mail without what answers put before it; empty where it tells nothing."""
    plain = re.sub(r"^(?:(?:re|fw|fwd): *)+", "", header["subject"], flags=re.IGNORECASE).strip()
    return plain if re.search(rf"{CAPITAL}|\w{{4}}", plain) else ""


def _of_header(header: re.Match[str], noun: str, sort: str, span: tuple[int, int]) -> Iterator[Clue]:
    """Who sent a mail, and what its subject names."""
    date, plain = header["date"], _subject_of(header)
    if not date or not plain:
        return
    if header.start("sender") <= span[0] < header.end("sender") and sort == PERSON and len(plain.split()) >= 2:
        yield Clue(f"the person who sent the mail “{plain}” on {date}", 0, "header")
    sender = re.match(rf"({NAME}) <", header["sender"])
    if sender and header.start("subject") <= span[0] < header.end("subject"):
        yield Clue(f"the {noun} that the subject of {sender[1]}'s mail of {date} names", 0, "header")
