"""Questions built anew by their grammar: the passive and nouns for verbs, which ask the same, and roles exchanged."""

from __future__ import annotations

import random
import re

from answerable.training.words import WORDS

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
