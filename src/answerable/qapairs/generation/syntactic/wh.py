"""The words that ask: which of them an answer calls for, and what they do with the preposition before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.answers import Answer, date_form
from answerable.qapairs.generation.syntactic.words import COUNTRIES, GROUPS, NAMED, PERSONS, PLACES, STATES, singular

DROP, FRONT, STRAND = "drop", "front", "strand"
_TEMPORAL = frozenset("in on at during by since from until till after before around about circa between of for".split())
_LOCATIVE = frozenset("in at on near".split())
TALL = frozenset("tall high long wide deep old away thick heavy big large fast far".split())
"""Adjectives that a measure goes before."""


class Wh(NamedTuple):
    """Words that ask; `sort` for what ranks them. `preposition`: what becomes of the one before the answer."""

    text: str
    sort: str
    preposition: str = STRAND
    plural: bool = False


def asking(sentence: Sentence, answer: Answer, preposition: str, text: str, role: str) -> Iterator[Wh]:
    """Ways to ask for an answer that is a whole phrase. `preposition`: the one that governs it, "" for none."""
    kind = answer.kind
    plural = sentence.words[answer.head].tag in ("NNS", "NNPS") or sentence.child(answer.head, "conj") is not None
    if kind == "DATE":
        yield from _dates(text, preposition)
        return
    if kind == "TIME":
        if date_form(text) == "span":
            yield Wh("how long", "how long", DROP)
        else:
            yield Wh("what time", "what time", DROP)
            yield Wh("when", "when", DROP)
        return
    if kind in ("GPE", "LOC", "FAC", "PLACE", "place"):
        yield from _places(sentence, answer, preposition, text, plural)
        return
    noun = which(sentence, answer, text)
    if kind in ("PERSON", "person"):
        yield Wh("who", "who", STRAND, plural)
        if preposition:
            yield Wh("whom", "whom", FRONT, plural)
        if noun:
            yield from _which(noun, preposition, plural)
        return
    if kind in ("MONEY",):
        yield Wh("how much", "how much", STRAND)
        if not preposition:
            yield Wh("how much money", "how much", STRAND)
        return
    if kind == "PERCENT":
        yield Wh("what percentage", "what percentage", STRAND)
        yield Wh("how much", "how much", STRAND)
        return
    if kind == "QUANTITY":
        after = sentence.words[answer.last].lower if answer.last < len(sentence.words) else ""
        if role == "attr" and after in TALL:
            yield Wh(f"how {after}", "how tall", STRAND)
        else:
            yield Wh("what" if role == "attr" else "how much", "how much", STRAND)
        return
    if kind == "CARDINAL":
        if role == "attr":
            yield Wh("what", "what", STRAND)
        elif preposition != "of":
            yield Wh("how many", "how many", STRAND, True)
        return
    if noun:
        yield from _which(noun, preposition, plural)
    yield Wh("what", "what", STRAND, plural)
    if preposition:
        yield Wh("what", "what", FRONT, plural)
    if preposition == "at" and kind in ("ORG", "GROUP", "THING", ""):
        yield Wh("where", "where", DROP)
    if kind in ("ORG", "GROUP") and preposition in ("", "by"):
        yield Wh("who", "who", STRAND, plural)


def _which(noun: str, preposition: str, plural: bool) -> Iterator[Wh]:
    for word in ("which", "what"):
        yield Wh(f"{word} {noun}", f"{word} noun", FRONT if preposition else STRAND, plural)
    if preposition:
        yield Wh(f"what {noun}", "what noun", STRAND, plural)


def _dates(text: str, preposition: str) -> Iterator[Wh]:
    form = date_form(text)
    if text.lower().startswith(("every ", "each ")):
        yield Wh("how often", "how often", DROP)
        return
    if form == "span":
        if preposition in ("", "for"):
            yield Wh("how long", "how long", DROP)
        elif preposition in ("over", "within"):
            yield Wh("how long", "how long", FRONT)
        return
    if form == "other":
        if preposition in ("in", "on", "at", "during"):
            yield Wh("when", "when", DROP)
        else:
            yield Wh("what", "what", STRAND)
        return
    if preposition == "by" and form in _FORMS:
        yield Wh(f"what {_FORMS[form]}", "since when", FRONT)
        return
    if preposition in ("since", "until"):
        yield Wh("when", "since when", FRONT)
        return
    if preposition and preposition not in ("in", "on", "at", "during", "around", "about", "circa"):
        return
    yield Wh("when", "when", DROP)
    named = _FORMS.get(form)
    if named:
        yield Wh(f"what {named}", f"what {named}", FRONT if preposition else DROP)
        yield Wh(f"what {named}", f"what {named} bare", DROP)


_FORMS = {"year": "year", "decade": "decade", "century": "century", "day": "date", "weekday": "day"}


def _places(sentence: Sentence, answer: Answer, preposition: str, text: str, plural: bool) -> Iterator[Wh]:
    noun = which(sentence, answer, text)
    if preposition in _LOCATIVE:
        yield Wh("where", "where", DROP)
    elif not preposition and noun:
        pass
    elif preposition in ("from", "to", "into", "through"):
        yield Wh("where", "where", STRAND if preposition == "from" else DROP)
    if noun:
        yield from _which(noun, preposition, plural)
    if preposition not in _LOCATIVE:
        yield Wh("what", "what", STRAND, plural)


def which(sentence: Sentence, answer: Answer, text: str) -> str:
    """The noun that says what sort of thing is named: "actor" before it, "river" at its end, "country"; "" for none."""
    words = sentence.words
    before = answer.first - 1
    if before >= 0 and words[before].head == answer.head and words[before].role in ("compound", "nmod"):
        noun = words[before].lower
        if words[before].tag == "NN" and (noun in PERSONS or noun in NAMED or noun in GROUPS):
            return noun
    if words[answer.head].tag[:3] == "NNP" or answer.kind in ("GROUP", "PLACE", "THING", "FAC", "LOC", "ORG", "EVENT"):
        last = singular(words[answer.last - 1].lower)
        if words[answer.last - 1].tag[:2] == "NN" and last in NAMED and answer.last - answer.first > 1:
            return words[answer.last - 1].lower if words[answer.last - 1].tag[-1] == "S" else last
        first = singular(words[answer.first].lower)
        if first in ("university", "battle", "treaty", "lake", "mount", "church", "museum", "college", "king", "queen"):
            return {"mount": "mountain"}.get(first, first)
    apposed = sentence.child(answer.head, "appos")
    if apposed is not None and words[apposed].tag == "NN":
        noun = words[apposed].lower
        if noun in PERSONS or noun in NAMED or noun in PLACES:
            return noun
    low = text.lower()
    if answer.kind == "GPE":
        return "country" if low in COUNTRIES else "state" if low in STATES else ""
    return {"LANGUAGE": "language"}.get(answer.kind, "")
