"""What a page says of its subject, as a question with a place for the subject: "When was {} founded?".

Patterns of an encyclopaedia's sentences, one a fact, of what two entities can be compared by. `measure` is a value that
puts them in order. What else a page may be asked about is worked out by `asked`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from answerable_bench.grammar import DATE, MONTHS, NAME, sentences
from answerable_bench.names import ORGANISATION, OTHER, PERSON, PLACE, WORK

_PLACE = rf"{NAME}(?:, {NAME})?"
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?: million)?"


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with `{}` where the entity goes, its answer at characters [start, end), and the sentence's number.

    `about` names what is told (founded, based), `measure` its value as a number where it has one.
    """

    question: str
    answer: str
    start: int
    end: int
    sentence: int
    about: str
    measure: float | None = None


@dataclass(frozen=True, slots=True)
class _Pattern:
    about: str
    question: str
    found: re.Pattern[str]
    sorts: frozenset[str]


def _pattern(about: str, question: str, found: str, *sorts: str) -> _Pattern:
    return _Pattern(about, question, re.compile(found), frozenset(sorts))


_PATTERNS = (
    _pattern("born", "When was {} born?", rf"\b(?:born|b\.)(?: on| in)? (?P<answer>{DATE})", PERSON),
    _pattern("birthplace", "Where was {} born?", rf"\bborn (?:(?:on )?{DATE},? )?in (?P<answer>{_PLACE})", PERSON),
    _pattern("died", "When did {} die?", rf"\((?:[^()]*; )?(?:born )?{DATE} ?[–-] ?(?P<answer>{DATE})\)", PERSON),
    _pattern(
        "founded",
        "When was {} founded?",
        rf"^[^,;]*\b(?:founded|established|formed|incorporated|created)(?: by [^,.;]{{3,40}})? (?:in|on) "
        rf"(?P<answer>{DATE})",
        ORGANISATION,
    ),
    _pattern("opened", "When did {} open?", rf"\b(?:opened|completed) (?:in|on) (?P<answer>{DATE})", PLACE, OTHER),
    _pattern("released", "When was {} released?", rf"\breleased (?:in|on) (?P<answer>{DATE})", WORK),
    _pattern("published", "When was {} published?", rf"\b(?:first )?published (?:in|on) (?P<answer>{DATE})", WORK),
    _pattern(
        "based",
        "Where is {} based?",
        rf"\b(?:based|headquartered|with (?:its )?headquarters) in (?P<answer>{_PLACE})",
        ORGANISATION,
    ),
    _pattern("located", "Where is {} located?", rf"\blocated (?:in|near|on) (?P<answer>{_PLACE})", PLACE, ORGANISATION),
    _pattern(
        "population",
        "What is the population of {}?",
        rf"\bpopulation (?:of|was|is)(?: about| approximately| estimated at)? (?P<answer>{_NUMBER})",
        PLACE,
    ),
    _pattern("county", "In which county does {} lie?", rf"\bin (?P<answer>{NAME} County)\b", PLACE),
    _pattern("capacity", "How many people does {} hold?", rf"\bcapacity of (?P<answer>{_NUMBER})", ORGANISATION, PLACE),
)


def page_facts(text: str, sort: str) -> Iterator[Fact]:
    """The facts a page tells of its subject, which is of this sort, at most one of each; sentences on others left out.

    A sentence is on the subject when it is the first, or has no other subject than a pronoun or a noun for it.
    """
    found = sentences(text)
    for pattern in _PATTERNS:
        if sort not in pattern.sorts:
            continue
        for sentence in found[:6]:
            if sentence.number and not _ON_SUBJECT[sort].match(sentence.text):
                continue
            match = pattern.found.search(sentence.text)
            if match and not _OTHERS.search(sentence.text[: match.start()]):
                start = match.start("answer")
                answer = match["answer"].rstrip(".,")
                yield Fact(
                    pattern.question,
                    answer,
                    sentence.start + start,
                    sentence.start + start + len(answer),
                    sentence.number,
                    pattern.about,
                    measure(answer) if pattern.about in MEASURED else None,
                )
                break


_OWN_NOUNS = {
    PERSON: "actor|actress|author|player|singer|director|politician",
    ORGANISATION: "company|firm|bank|school|university|college|team|club|band|group|newspaper|magazine|station|museum",
    PLACE: "city|town|village|county|district|island|river|mountain|park|building|bridge|community|municipality",
    WORK: "film|album|song|book|novel|series|show|single|game|play|musical|opera|magazine",
    OTHER: "station|prize|award|aircraft|ship|event|race|building|system|language|game",
}
_ON_SUBJECT = {
    sort: re.compile(rf"^(?:In \d{{4}}, )?(?:He|She|It|Its|His|Her|The (?:{nouns})) ")
    for sort, nouns in _OWN_NOUNS.items()
}
"""How a sentence opens that goes on about the subject of its page."""
_OTHERS = re.compile(r"\b(?:its|his|her|their|whose) [^,;]*$", re.IGNORECASE)
"""Before what is told: it is told of something that belongs to the subject."""
MEASURED = frozenset("born died founded opened released published population capacity".split())
"""What two entities can be compared by."""
_MONTH = {month: number for number, month in enumerate(MONTHS.split("|"))}


def measure(answer: str) -> float | None:
    """A date, a number or a sum as one number that orders as they do; None for what is none."""
    if match := re.search(r"\b(1[5-9]\d\d|20\d\d)\b", answer):
        month = next((number for name, number in _MONTH.items() if name in answer), 0)
        day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b(?!\d)", answer.replace(match[1], ""))
        return int(match[1]) + (month * 31 + (int(day[1]) if day else 0)) / 400
    if match := re.search(r"\d[\d,]*(?:\.\d+)?", answer):
        times: Callable[[str], bool] = answer.__contains__
        scale = 1e6 if times("million") else 1e9 if times("billion") else 1e3 if times("thousand") else 1.0
        return float(match[0].replace(",", "")) * scale
    return None
