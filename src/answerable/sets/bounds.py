"""What a constraint bounds, times, sizes and words, read from the texts: a judge of texts knows what a dam is, and not
what is higher than 40 metres."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from answerable.sets.bound import Bound
from answerable.sets.by_fields import ANY
from answerable.sets.judge import Floats
from answerable.sets.mentions import mention
from answerable.sets.parsing.words import text as written
from answerable.sets.parsing.words import tokens
from answerable.sets.sizes import bare, bound
from answerable.sets.times import time
from answerable.sets.versions import version_bound

UNTOLD = 0.04
"""What is left of a probability that a bounded constraint fits, where the text does not say so."""
_LEADS = frozenset("that which who first were was are is it".split())
"""What leads to a bound, beside prepositions and participles: "that were first published before"."""
_RELATIVE = frozenset(("that", "which", "who"))
"""What leads to a word before a bound, after what is asked for: "people who earn more than"."""
_SELF = re.compile(
    r"\b(?:(?:from|in|of|since) )?(?P<number>\d[\d.,]*)(?P<unit> (?!or\b)[a-z]+)? or (?:(?P<more>more|over|above|up|"
    r"later|newer|after|larger|longer|higher)|(?P<older>older)|less|fewer|under|below|earlier|before|younger|smaller|"
    r"shorter|lower)\b(?! than)",
    re.IGNORECASE,
)
"""A number itself, and what is on one side of it."""
_AGE = re.compile(r"\b(?:(?P<new>newer|later)|older|earlier) than (?=(?:1\d|20)\d\d\b(?!\.))", re.IGNORECASE)
_DECADE = re.compile(r"\bthe ['’]?(?=[3-9]0s\b)", re.IGNORECASE)
_A_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MOST = 8
"""Bounds of one constraint that are read, the first."""

Texts = Sequence[tuple[str, str]]


def unbounded(wanted: str) -> str:
    """A constraint without its bounds and what leads to them: "films" of "films made before 1940", "dams" of "dams that
    are more than 40 m high"; '' where nothing else is left, and the constraint itself where it has none."""
    return apart(wanted)[0]


def within_bounds(constraints: Sequence[str], shares: Floats, texts: Texts) -> Floats:
    """(texts, constraints) float32: what is left of probabilities of the constraints `unbounded` by what texts say.
    Every text is a document."""
    left = shares.copy()
    for column, wanted in enumerate(constraints):
        bare, bounds = apart(wanted)
        if bounds or not bare:
            fits = np.array([all(one.fits(*text) for one in bounds) for text in texts], bool)
            left[:, column] = np.where(fits, left[:, column] if bare else 1.0, UNTOLD * left[:, column])
    return left


def judged_within(ask: Callable[[Sequence[str], Texts], Floats], constraints: Sequence[str], texts: Texts) -> Floats:
    """What a judge says of texts, with what is bounded read from them (`Judge.judge`); what is out of all bounds it is
    not asked of."""
    shares = np.zeros((len(texts), len(constraints)), np.float32)
    within = within_bounds(constraints, np.ones_like(shares), texts).max(axis=1, initial=0.0) > UNTOLD
    some = [text for text, one in zip(texts, within, strict=True) if one]
    if some:
        shares[within] = ask([unbounded(one) or one for one in constraints], some)
    return within_bounds(constraints, shares, texts)


def says(wanted: str, text: str) -> bool:
    """Whether a sentence tells that a constraint's bounds are kept; not where it has none."""
    bounds = apart(wanted)[1]
    return bool(bounds) and all(one.fits("", text) for one in bounds)


def plain_bounds(query: str) -> str:
    """A query with "20 or more seats" as "at least 20 seats", "from 2021 or later" as "since 2021", "older than 2018"
    as "before 2018", and "the 60s" as "the 1960s"."""

    def joined(said: re.Match[str]) -> str:
        year = _A_YEAR.fullmatch(said["number"]) and not said["unit"]
        more = said["more"] or (said["older"] and not year and "." not in said["number"])
        way = ("since" if more else "until") if year else ("at least" if more else "at most")
        return f"{way} {said['number']}{said['unit'] or ''}"

    dated = _DECADE.sub("the 19", query)
    return _SELF.sub(joined, _AGE.sub(lambda said: "after " if said["new"] else "before ", dated))


@lru_cache(maxsize=256)
def apart(wanted: str) -> tuple[str, Sequence[Bound]]:
    """What is left of a constraint without its bounds, and these."""
    bounds: list[Bound] = []
    left = wanted
    read = (bound, time, mention, version_bound, bare)
    while len(bounds) < _MOST and (found := next(filter(None, (one(left) for one in read)), None)):
        before = tokens(left[: found.start])
        while before and (before[-1].kind in ("part", "prep", "det") or before[-1].low in _LEADS):
            before.pop()
        if [one.low for one in before[-3:-1]] in (["with", "a"], ["with", "an"]):
            before = before[:-3]  # what has the size
        if before[1:] and before[-2].low in (_RELATIVE if before[2:] else _LEADS):
            before = before[:-2]  # what they do with it: "that hold"
        bounds.append(found)
        left = written([*before, *tokens(left[found.end :])])
    return "" if left.lower() in ANY else left, bounds
