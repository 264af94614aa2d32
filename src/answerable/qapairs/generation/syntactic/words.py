"""Words that the transformations know: persons, places, measures, forms of verbs. The lists are in `words.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LISTS: dict[str, str] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf8"))


def _held(name: str, between: str | None = None) -> frozenset[str]:
    """The words of a list; `between`: what parts them, if not blanks."""
    return frozenset(" ".join(word.split()) for word in _LISTS[name].split(between))


PERSONS, GROUPS, PLACES = _held("persons"), _held("groups"), _held("places")
NAMED = PLACES | _held("named")
WORKS, RELEASED, EVENTS = _held("works"), _held("released"), _held("events")
UNITS, SPANS = _held("units"), _held("spans")
MONTHS, DAYS = _held("months"), _held("days")
COUNTRIES, STATES = _held("countries", ","), _held("states", ",")
_PAST = dict(pair.split(":") for pair in _held("past"))


def personal(noun: str) -> bool:
    """Whether a common noun, in the singular, is for persons."""
    last = noun.rsplit("-", 1)[-1]
    return last in PERSONS or (last.endswith(("ist", "man", "woman", "ician")) and len(last) > 5)


def past(participle: str) -> str:
    """The past tense of a verb by its past participle: "written" is "wrote"."""
    return _PAST.get(participle, participle)


def third(base: str) -> str:
    """The third person singular of a verb: "own" is "owns"."""
    if base in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def singular(noun: str) -> str:
    """A noun's singular by its ending, for looking it up: "actresses" is "actress"."""
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    if noun.endswith("men"):
        return noun[:-3] + "man"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun
