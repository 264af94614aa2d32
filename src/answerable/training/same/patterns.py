"""Questions built anew by their grammar: the passive and nouns for verbs, which ask the same, and roles exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from answerable.training.same.changes import VERBS

Rewrite = Callable[[re.Match[str], random.Random], tuple[list[str], list[str]]]
"""What asks the same as a question that a pattern fits, and what does not."""


def rebuilt(question: str, rng: random.Random) -> tuple[list[str], list[str]]:
    """Ways to ask the same, and near misses that a rebuilt question is taken for; both empty where no pattern fits."""
    for pattern, made in _PATTERNS:
        if match := pattern.fullmatch(question.strip().rstrip("?. ")):
            return made(match, rng)
    return [], []


def _who_did(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """Who VERBED x: the passive asks the same, the other role does not."""
    past, what = match["past"].lower(), match["what"]
    forms = VERBS.get(past) or ((_base(past), past) if past.endswith("ed") else None)
    if forms is None:
        return [], []
    base, done = forms
    same = [f"By whom was {what} {done}?", f"Who was {what} {done} by?", f"{_upper(what)} was {done} by whom?"]
    same += [f"Who was it that {past} {what}?", f"which person {past} {what}", f"name of the person who {past} {what}"]
    other = [f"Who was {done} by {what}?", f"Whom did {what} {base}?", f"Who did {what} {base}?"]
    other += [f"When was {what} {done}?", f"Why was {what} {done}?", f"Who did not {base} {what}?"]
    return same, other


def _base(past: str) -> str:
    stem = past[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    return (
        past[:-1]
        if re.search(r"(?:[^aeiou][aeiou]?[cgsvzu]|at|[^aeio]r|in|is|os|ut|it|ov|iv|ur|id|ir)$", stem)
        else stem
    )


def _when(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """When did x happen: the year and the date of it; not where or why."""
    rest = match["rest"]
    same = [f"In what year {rest}?", f"What year {rest}?", f"On what date {rest}?", f"At what time {rest}?"]
    same += [f"In which year {rest}?", f"What is the date when {_told(rest)}?"]
    other = [
        f"Where {rest}?",
        f"Why {rest}?",
        f"How {rest}?",
        f"Who knew when {_told(rest)}?",
        f"How long ago was it announced that {_told(rest)}?",
    ]
    return same, other


def _told(rest: str) -> str:
    """`was the bridge built` as `the bridge was built`, where the name is plain; else without its auxiliary."""
    words = rest.split()
    if words[0] in ("was", "were", "is", "are", "has", "have") and len(words) > 2:
        return " ".join([*words[1:-1], words[0], words[-1]])
    return " ".join(words[1:])


def _where(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    rest = match["rest"]
    same = [f"In what place {rest}?", f"At which location {rest}?", f"In which place {rest}?"]
    if born := re.fullmatch(r"was (.+) born", rest):
        same += [f"What is the birthplace of {born[1]}?", f"{born[1]}'s place of birth", f"{born[1]} was born where?"]
    return same, [f"When {rest}?", f"Why {rest}?", f"With whom {rest}?"]


def _what_of(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """What is the height of x: x's height."""
    be, what, of = match["be"].lower(), match["what"], match["of"]
    asks = match["asks"].lower()
    same = [f"{of}'s {what} {be} {asks}?", f"{_upper(asks)} {be} {of}'s {what}?", f"{what} of {of}", f"{of} {what}"]
    same += [f"Name the {what} of {of}.", f"Tell me the {what} of {of}"]
    other = [f"{_upper(asks)} {be} the {of} of {what}?", f"What is the purpose of the {what} of {of}?"]
    other += [f"When {be} the {what} of {of} decided?", f"{_upper(asks)} {be} the former {what} of {of}?"]
    return same, other


def _many(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    what, rest = match["what"], match["rest"]
    same = [
        f"What is the number of {what} that {rest}?",
        f"what number of {what} {rest}",
        f"number of {what} that {rest}",
    ]
    other = [f"Which {what} {rest}?", f"What share of {what} {rest}?", f"Why {rest} so many {what}?"]
    other += [f"How many more {what} {rest}?", f"How often {rest} {what}?"]
    return same, other


_MEASURES = {
    "tall": "height", "high": "height", "long": "length", "old": "age", "wide": "width", "deep": "depth",
    "heavy": "weight", "large": "size", "big": "size", "fast": "speed", "far": "distance", "hot": "temperature",
}  # fmt: skip


def _measure(match: re.Match[str], rng: random.Random) -> tuple[list[str], list[str]]:
    how, be, of = match["how"].lower(), match["be"].lower(), match["of"]
    noun = _MEASURES[how]
    others = [one for one in _MEASURES if _MEASURES[one] != noun]
    same = [f"What {be} the {noun} of {of}?", f"{of}'s {noun}", f"{noun} of {of}", f"what {be} {of}'s {noun}"]
    return same, [f"How {one} {be} {of}?" for one in rng.sample(others, 2)] + [
        f"What is the {_MEASURES[others[0]]} of {of}?"
    ]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


_PATTERNS: tuple[tuple[re.Pattern[str], Rewrite], ...] = (
    (re.compile(r"[Ww]ho (?P<past>\w+) (?P<what>[^,]{3,60})"), _who_did),
    (re.compile(r"[Ww]hen (?P<rest>(?:did|was|were|is|does) [^,]{8,80})"), _when),
    (re.compile(r"[Ww]here (?P<rest>(?:did|was|were|is|does) [^,]{6,80})"), _where),
    (
        re.compile(r"(?P<asks>[Ww]hat|[Ww]ho) (?P<be>is|was) the (?P<what>[a-z]+(?: [a-z]+)?) of (?P<of>[^,]{3,40})"),
        _what_of,
    ),
    (re.compile(rf"[Hh]ow (?P<how>{'|'.join(_MEASURES)}) (?P<be>is|was) (?P<of>[^,]{{3,50}})"), _measure),
    (re.compile(r"[Hh]ow many (?P<what>[a-z]+) (?P<rest>(?:are|were|have|had|live|can|play) [^,]{4,60})"), _many),
)
