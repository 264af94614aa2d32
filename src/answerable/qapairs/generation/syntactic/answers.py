"""Where an answer stands in a parsed sentence and what is said of its kind; the words that ask for such an answer.

Which of them it calls for, what they do with the preposition before it, and how what modifies a noun is asked for: how
many of it, whose it is, which or what kind of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.subjects import Topic, kept, say
from answerable.qapairs.generation.syntactic.words import (
    COUNTRIES,
    DAYS,
    GROUPS,
    MONTHS,
    NAMED,
    PERSONS,
    PLACES,
    SPANS,
    STATES,
    UNITS,
    personal,
    singular,
)

_YEAR = re.compile(r"^(?:1\d{3}|20\d\d|\d{3,4} ?(?:BC|AD|BCE|CE))$")
_ORDINAL = re.compile(
    r"\d(?:st|nd|rd|th)|eenth|ieth|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth"
)
_DECADE = re.compile(r"^(?:the )?(?:(?:early|late|mid)[- ])?\d{2,4}0s$")


class Answer(NamedTuple):
    """Words [first, last) of a sentence, the word that heads them, and what they name ("" where that is not known).

    `preposition`: the word before them that the answer begins with, where it does ("in 1932").
    """

    first: int
    last: int
    head: int
    kind: str
    preposition: int | None = None


def located(sentence: Sentence, start: int, end: int, kind: str) -> Answer | None:
    """The smallest phrase that covers characters [start, end) of the passage; None where no noun heads it."""
    covered = sentence.covered(start, end)
    if covered is None:
        return None
    first, last = covered
    heads = [one for one in range(first, last) if not first <= sentence.words[one].head < last or _root(sentence, one)]
    heads = [one for one in heads if sentence.words[one].role not in ("punct", "det", "case")] or heads
    head = heads[0]
    if len(heads) > 1:
        head = _common(sentence, first, last, head)
    if manner := _manner(sentence, first, last, head):
        return manner
    preposition = None
    if sentence.words[head].tag in ("IN", "TO") and sentence.words[head].role in ("prep", "agent"):
        inner = sentence.child(head, "pobj")
        if inner is None or head != first:
            return None
        preposition, head = head, inner
    if sentence.words[head].tag[:2] not in ("NN", "CD", "PR", "JJ", "RB", "VB", "FW", "$", "DT"):
        return None
    return Answer(first, last, head, _kind(sentence, first, last, head, kind), preposition)


def _manner(sentence: Sentence, first: int, last: int, head: int) -> Answer | None:
    """How or why: "by examining records", "because of the war", "to keep warm"."""
    word = sentence.words[head]
    opening = sentence.words[first].lower
    by = opening == "by" and head == first and word.role in ("prep", "agent")
    if by and sentence.child(head, "pcomp") is not None:
        return Answer(first, last, head, "manner")
    if word.role in ("pcomp", "pobj") and sentence.words[word.head].lower == "by" and word.tag == "VBG":
        return Answer(first, last, word.head, "manner")
    if opening in ("because", "due") and word.role in ("prep", "advcl") and sentence.left[head] == first:
        return Answer(first, last, head, "reason")
    if word.role == "advcl" and word.tag == "VB" and sentence.child(head, "aux") is not None:
        return Answer(first, last, head, "reason")
    return None


def _root(sentence: Sentence, one: int) -> bool:
    return sentence.words[one].head == one


def _common(sentence: Sentence, first: int, last: int, head: int) -> int:
    """The lowest word that governs all of [first, last)."""
    while not (sentence.left[head] <= first and last <= sentence.last[head]):
        above = sentence.words[head].head
        if above == head:
            break
        head = above
    return head


def _kind(sentence: Sentence, first: int, last: int, head: int, kind: str) -> str:
    """What is named: as the extractor says, or else the parser's name that has the head; dates by their form."""
    text = " ".join(word.text for word in sentence.words[first:last])
    known = kind if kind.isupper() else sentence.kinds[head]
    word = sentence.words[head]
    if known in ("CARDINAL", "QUANTITY", "") and _YEAR.match(text) and word.role in ("pobj", "npadvmod"):
        return "DATE"
    if known in ("PERSON", "ORG", "GPE", "WORK_OF_ART", "PRODUCT") and word.lower in MONTHS and last - first < 4:
        return "DATE"
    if known in ("MONEY", "CARDINAL") and "$" not in text and word.lower in UNITS:
        return "QUANTITY"
    if known == "MONEY" and not re.search("[$£€¥₹]|dollar|pound|euro|cent|yen|franc", text):
        return "CARDINAL"
    if known in ("PERSON", "NORP", "WORK_OF_ART") and singular(word.lower) in NAMED and word.tag[:3] == "NNP":
        return "GROUP" if singular(word.lower) in GROUPS else "PLACE" if singular(word.lower) in PLACES else "THING"
    if known == "DATE" and word.tag in ("NN", "NNS") and word.lower not in SPANS and date_form(text) == "other":
        return "thing"
    if known == "" and word.tag in ("NN", "NNS"):
        return common_kind(sentence, head)
    return known


def common_kind(sentence: Sentence, head: int) -> str:
    """What a common noun is: a person, a place, or "thing"."""
    noun = singular(sentence.words[head].lower)
    if personal(noun):
        return "person"
    if noun in SPANS:
        return "DATE"
    return "place" if noun in PLACES else "thing"


def date_form(text: str) -> str:
    """What a date says: "year", "decade", "century", "month", "day" (and month), "weekday", "span" or "other"."""
    low = text.lower()
    parts = re.findall(r"[\w']+", low)
    if _YEAR.match(text):
        return "year"
    if _DECADE.match(low):
        return "decade"
    if "century" in parts or "centuries" in parts:
        return "century" if _ORDINAL.search(low) else "span"
    if any(part in MONTHS for part in parts):
        day = any((part.isdigit() and len(part) < 3) or re.match(r"\d+(?:st|nd|rd|th)$", part) for part in parts)
        return "day" if day else "month"
    if any(part in DAYS for part in parts):
        return "weekday"
    if any(part in SPANS for part in parts):
        return "year" if re.search(r"\b(?:1\d|20)\d\d\b", low) else "span"
    if re.search(r"\b(?:1\d{3}|20\d\d)\b", low):
        return "year"
    return "other"


DROP, FRONT, STRAND = "drop", "front", "strand"
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


def asking_modifier(sentence: Sentence, answer: Answer, modifier: int, head: int, about: Topic) -> Iterator[Wh]:
    """Ways to ask for a modifier with its noun: "how many bridges", "whose bridge", "what kind of bridge"."""
    words = sentence.words
    preposition = STRAND if words[head].role != "pobj" else FRONT
    plural = words[head].tag in ("NNS", "NNPS")
    gone = set(range(sentence.left[modifier], sentence.last[modifier])) | set(range(answer.first, answer.last))
    rest = [one for one in kept(sentence, head, True) if one not in gone]
    rest = [one for one in rest if not (words[one].tag in ("DT", "PRP$") and words[one].head == head)]
    noun = say(sentence, rest, about, False)
    if not noun or head not in rest:
        return
    role, kind = words[modifier].role, answer.kind
    if words[head].tag[:3] == "NNP" and role != "poss":
        return
    if role == "nummod" and (kind in ("CARDINAL", "", "QUANTITY", "MONEY", "PERCENT") or (plural and kind != "DATE")):
        yield Wh(f"how many {noun}", "how many", preposition, True)
        if preposition == FRONT:
            yield Wh(f"how many {noun}", "how many", STRAND, True)
        return
    if role == "poss":
        if kind in ("PERSON", "person", "ORG"):
            yield Wh(f"whose {noun}", "whose", preposition, plural)
        elif kind == "GPE":
            yield Wh(f"which country's {noun}", "which noun", preposition, plural)
        return
    tag = words[modifier].tag[:2]
    if tag in ("CD", "VB") or kind in ("NORP", "ORDINAL", "DATE", "CARDINAL", "PERSON", "WORK_OF_ART"):
        return
    if kind in ("GPE", "ORG", "LOC", "FAC", "EVENT", "GROUP", "PLACE"):
        yield Wh(f"which {noun}", "which modified", preposition, plural)
        return
    yield Wh(f"what kind of {noun}", "what kind", preposition, plural)
    yield Wh(f"what type of {noun}", "what kind", preposition, plural)
