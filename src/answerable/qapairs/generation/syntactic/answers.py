"""Where an answer stands in a parsed sentence: its words, the phrase they head, and what is said of its kind."""

from __future__ import annotations

import re
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.words import (
    DAYS,
    GROUPS,
    MONTHS,
    NAMED,
    PLACES,
    SPANS,
    UNITS,
    personal,
    singular,
)

_YEAR = re.compile(r"^(?:1\d{3}|20\d\d|\d{3,4} ?(?:BC|AD|BCE|CE))$")
_DECADE = re.compile(r"^(?:the )?(?:(?:early|late|mid)[- ])?\d{2,4}0s$")
_NUMBER = re.compile(r"^[\d.,]+$")


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
    if (
        word.role in ("prep", "agent")
        and head == first
        and opening == "by"
        and sentence.child(head, "pcomp") is not None
    ):
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
    if (
        known == "MONEY"
        and not any(c in text for c in "$£€¥₹")
        and not re.search("dollar|pound|euro|cent|yen|franc", text)
    ):
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
        return (
            "century"
            if re.search(
                r"\d(?:st|nd|rd|th)|eenth|ieth|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth",
                low,
            )
            else "span"
        )
    if any(part in MONTHS for part in parts):
        return (
            "day"
            if any((part.isdigit() and len(part) < 3) or re.match(r"\d+(?:st|nd|rd|th)$", part) for part in parts)
            else "month"
        )
    if any(part in DAYS for part in parts):
        return "weekday"
    if any(part in SPANS for part in parts):
        return "year" if re.search(r"\b(?:1\d|20)\d\d\b", low) else "span"
    if re.search(r"\b(?:1\d{3}|20\d\d)\b", low):
        return "year"
    return "other"
