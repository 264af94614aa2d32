"""How people type, which changes nothing; words put in the place of others, which changes what is asked; and questions
built anew by their grammar: the passive and nouns for verbs, which ask the same, and roles exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from answerable.training.words import WORDS

_ASKING = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
_TYPED = WORDS["typed"]
_DROPPED = frozenset(_TYPED["dropped"])
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
    return str(rng.choice(_TYPED["leads"])).format(lowered)


def keywords(plain: str, rng: random.Random) -> str:
    """What is left of a question without its small words; what it asks for is said last, or as a noun."""
    words = [word for word in plain.split() if word not in _DROPPED]
    if words and words[0] in _ASKING and len(words) > 3 and rng.random() < 0.6:
        words = [*words[1:], rng.choice(_TYPED["said"].get(words[0], words[:1]))]
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


_OTHER: dict[str, list[str]] = {}
for _one, _other in (*_TYPED["opposites"], *_TYPED["confused"]):
    _OTHER.setdefault(_one, []).append(_other)
    _OTHER.setdefault(_other, []).append(_one)
_TURNED = re.compile(rf"\b(?:{'|'.join(_OTHER)})\b")
_MONTHS = _TYPED["months"]
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
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
    found = [*NUMBER.finditer(question), *_MONTH.finditer(question)]
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


_FORMS = [(re.compile(form["asks"]), form["same"], form["other"]) for form in WORDS["rebuilt"]]
_MEASURES: dict[str, str] = WORDS["measures"]


def rebuilt(question: str, rng: random.Random) -> tuple[list[str], list[str]]:
    """Ways to ask the same, and near misses that a rebuilt question is taken for; both empty where no form fits."""
    for form, same, other in _FORMS:
        if match := form.fullmatch(question.strip().rstrip("?. ")):
            said = _said(match.groupdict(), rng)
            return [one.format(**said) for one in same if said], [one.format(**said) for one in other if said]
    return [], []


def _said(said: dict[str, str], rng: random.Random) -> dict[str, str]:
    """What a form holds with what is made of it; empty where its verb has no other forms that are known."""
    said |= {name: said[name].lower() for name in ("past", "be", "asks", "how") if name in said}
    said |= {name.capitalize(): _upper(said[name]) for name in ("what", "asks") if name in said}
    if "rest" in said:
        said["told"] = _told(said["rest"])
    if past := said.get("past"):
        forms = WORDS["verbs"].get(past) or ((_base(past), past) if past.endswith("ed") else None)
        if forms is None:
            return {}
        said["base"], said["done"] = forms
    if how := said.get("how"):
        said["noun"] = _MEASURES[how]
        others = [one for one in _MEASURES if _MEASURES[one] != said["noun"]]
        said["how1"], said["how2"] = rng.sample(others, 2)
        said["noun1"] = _MEASURES[others[0]]
    return said


def _base(past: str) -> str:
    stem = past[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    mute = re.search(r"(?:[^aeiou][aeiou]?[cgsvzu]|at|[^aeio]r|in|is|os|ut|it|ov|iv|ur|id|ir)$", stem)
    return past[:-1] if mute else stem


def _told(rest: str) -> str:
    """`was the bridge built` as `the bridge was built`, where the name is plain; else without its auxiliary."""
    words = rest.split()
    if words[0] in ("was", "were", "is", "are", "has", "have") and len(words) > 2:
        return " ".join([*words[1:-1], words[0], words[-1]])
    return " ".join(words[1:])


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
