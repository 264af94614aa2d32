"""How people type, which changes nothing, and words put in the place of others, which changes what is asked."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

_ASKING = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
_POLITE = """
Can you tell me {}?|Could you tell me {}?|Do you know {}?|I'd like to know {}.|Please tell me {}.|Any idea {}?|hi, {}?
Quick question: {}?|Does anyone know {}?|I want to find out {}|I was wondering {}|tell me {}|{}, please?|{} exactly?
"""
_LEADS = tuple(one.strip() for one in re.split(r"[|\n]", _POLITE) if one.strip())
_DROPPED = frozenset("a an the is are was were do does did of to in on at by for has have had be been".split())
_SAID = {"when": ("date", "when", "year"), "where": ("location", "where", "place"), "why": ("reason", "why")}
_WORD = re.compile(r"[A-Za-z]{4,}")


def typed(question: str, rng: random.Random) -> str:
    """The question as somebody else may type it: in half of the cases as it is."""
    drawn = rng.random()
    if drawn < 0.5:
        return question
    plain = question.rstrip(" ?.")
    if drawn < 0.65:
        return plain.lower()
    if drawn < 0.72:
        return plain
    if drawn < 0.82:
        return misspelt(question, rng)
    if drawn < 0.92:
        return polite(plain, rng)
    return keywords(plain.lower(), rng)


def polite(plain: str, rng: random.Random) -> str:
    """With words before it or after it that ask nothing."""
    first, _, rest = plain.partition(" ")
    lowered = f"{first.lower()} {rest}" if first.lower() in _ASKING else plain
    return rng.choice(_LEADS).format(lowered)


def keywords(plain: str, rng: random.Random) -> str:
    """What is left of a question without its small words; what it asks for is said last, or as a noun."""
    words = [word for word in plain.split() if word not in _DROPPED]
    if words and words[0] in _ASKING and len(words) > 3 and rng.random() < 0.6:
        words = [*words[1:], rng.choice(_SAID.get(words[0], (words[0],)))]
    return " ".join(words)


def misspelt(question: str, rng: random.Random) -> str:
    """With two letters of a longer word exchanged, or one left out or doubled."""
    found = list(_WORD.finditer(question))
    if not found:
        return question
    begin, end = rng.choice(found).span()
    at = rng.randrange(begin + 1, end - 1)
    one, two = question[at], question[at + 1]
    changed = rng.choice((two + one, one, one + one + two))
    return question[:at] + changed + question[at + 2 :]


_OPPOSITES = """
first/last most/least highest/lowest largest/smallest more/fewer before/after increase/decrease increased/decreased
north/south east/west northern/southern eastern/western earliest/latest oldest/youngest older/newer began/ended
start/end won/lost win/lose above/below higher/lower longer/shorter longest/shortest best/worst major/minor
maximum/minimum public/private internal/external strong/weak male/female father/mother son/daughter brother/sister
accepted/rejected allowed/forbidden created/destroyed bought/sold common/rare positive/negative inside/outside
supported/opposed ancient/modern friend/enemy rural/urban upper/lower rise/fall rose/fell winter/summer gained/lost
born/buried open/close opened/closed join/leave joined/left founded/owned wrote/directed invented/sold arrive/depart
husband/brother wife/sister president/secretary king/queen teacher/student before/during city/county month/year
biggest/oldest tallest/oldest fastest/heaviest first/second second/third third/fourth last/previous died/retired
""".split()
_OTHER: dict[str, list[str]] = {}
for _pair in _OPPOSITES:
    _a, _b = _pair.split("/")
    _OTHER.setdefault(_a, []).append(_b)
    _OTHER.setdefault(_b, []).append(_a)
_TURNED = re.compile(rf"\b(?:{'|'.join(_OTHER)})\b")
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
_YEAR = re.compile(r"[12]\d{3}")
NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w'’-]+(?: (?:of |the |de |von )?[A-Z][\w'’-]+)*")
_NOT = re.compile(r"\b(is|are|was|were|did|does|do|can|could|has|have|will|should)\b(?! not)")


def opposite(question: str, rng: random.Random) -> str | None:
    """With one word in place of its opposite, or of what is confused with it; None where no word has one."""
    found = list(_TURNED.finditer(question))
    if not found:
        return None
    match = rng.choice(found)
    return _put(question, match, rng.choice(_OTHER[match.group()]))


def number(question: str, rng: random.Random) -> str | None:
    """With another number or month."""
    found = [*_NUMBER.finditer(question), *_MONTH.finditer(question)]
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    if old in _MONTHS:
        return _put(question, match, rng.choice([one for one in _MONTHS if one != old]))
    if _YEAR.fullmatch(old):
        return _put(question, match, str(int(old) + rng.choice((-20, -10, -2, -1, 1, 2, 10, 11))))
    at = rng.choice([n for n, letter in enumerate(old) if letter.isdigit()])
    digit = rng.choice([one for one in "123456789" if one != old[at]])
    return _put(question, match, old[:at] + digit + old[at + 1 :])


def named(question: str, names: Sequence[str], rng: random.Random) -> str | None:
    """With another name of as many words in the place of one, or one of its words changed."""
    found = list(NAME.finditer(question))
    if not found:
        return None
    match = rng.choice(found)
    old = match.group().split()
    if len(old) > 1 and rng.random() < 0.5:
        place = rng.randrange(len(old))
        other = rng.choice(names).split()[0]
        new = " ".join([*old[:place], other, *old[place + 1 :]])
    else:
        new = rng.choice(names)
    return None if new == match.group() else _put(question, match, new)


def negated(question: str, rng: random.Random) -> str | None:
    """With a "not" after its first auxiliary and what it is asked of."""
    match = _NOT.search(question)
    if match is None or rng.random() < 0.2:
        return None
    rest = question[match.end() :].split(" ")
    first = question.split(" ")[0].lower()
    if first in ("who", "what", "which") and match.start() <= len(question.split(" ")[0]) + 1:
        return f"{question[: match.end()]} not{question[match.end() :]}"
    if len(rest) < 4:
        return None
    at = next((n for n, word in enumerate(rest) if n > 1 and word.islower() and word not in _DROPPED), None)
    return None if at is None else question[: match.end()] + " ".join([*rest[:at], "not", *rest[at:]])


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


VERBS: Mapping[str, tuple[str, str]] = {
    past: (base, done)
    for line in """
    wrote write written|beat beat beaten|built build built|made make made|found find found|led lead led|taught teach
    taught|sang sing sung|drew draw drawn|sold sell sold|bought buy bought|took take taken|held hold held|shot shoot
    shot|chose choose chosen|won win won|gave give given|saw see seen|sent send sent|met meet met|fought fight fought
    |spoke speak spoken|stole steal stolen|bore bear born|caught catch caught|hid hide hidden|knew know known|paid pay
    paid|ran run run|wore wear worn|broke break broken|drove drive driven|flew fly flown|threw throw thrown
    """.replace("\n", " ").split("|")
    for past, base, done in [line.split()]
}
"""Verbs whose past is irregular: the past, the base and the participle."""
