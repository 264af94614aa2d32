"""A constraint as a table is asked it: by words, by days and by sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from answerable.corpora.fields import Filter
from answerable.corpora.values import date
from answerable.indexes.terms import analyzer
from answerable.sets.bound import Bound
from answerable.sets.bounds import apart
from answerable.sets.by_fields import read
from answerable.sets.mentions import plain
from answerable.sets.parsing.features import is_modifier, many
from answerable.sets.parsing.words import CLAUSES, Word, tokens, word
from answerable.sets.plainly import plain_dates

_DECADE = re.compile(r"\b(?:in|of|from|during) the (\d\d\d)0'?s\b", re.IGNORECASE)
_LONGEST_DATE = 8
"""Words of two dates with what joins them."""
_WHO = ("that", "which", "who")
_RELATIVE = frozenset((*_WHO, *CLAUSES))
DENIALS = frozenset("no not never none nobody nothing neither nor without n't".split())
_SOME = frozenset(analyzer(stop=True).analyze("anybody anyone anything somebody someone something"))
"""What says that there is one, whichever."""

Words = frozenset[str]
Days = tuple[float, float]
"""The first and the last, as `corpora.values.date` has them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A constraint: its content `words` but for what is bounded, the `noun` of what it is said of ("" where it begins
    with a modifier) and whether it is in the `plural`, the days that it is of, with what `leads` to them ("built"
    before 1950) and how they are put (`when`), and sizes, with how the first is put (`much`). `every`: all of its
    content words. Whether it `denies` something. `before` and `after` the noun, its words but for what is bounded."""

    words: Words
    noun: str
    plural: bool
    days: Days | None
    leads: Words
    when: str
    bounds: Sequence[Bound]
    much: str
    every: Words
    denies: bool
    before: Sequence[Word]
    after: Sequence[Word]

    @property
    def verbs(self) -> Iterator[Words]:
        """What may do no more than join the noun to what is said of it: the first word or two after it, "live" in
        Oslo, or the last, in "that Maria uses"."""
        for some in (self.after, [] if self.plural else [*tokens(self.noun), *self.after]):
            relative = bool(some) and some[0].low in _WHO
            said = some[relative:]
            if len(said) < 2:
                continue
            first, then = said[:2]
            alone = first.kind == "low" and not self.noun
            joins = first.kind != "cap" and (first.kind == "part" or first.low.endswith("ing") or then.kind == "prep")
            if (relative or joins or alone) and first.kind not in ("prep", "det", "number", "mark"):
                yield frozenset(content(first.low))
                yield frozenset(content(f"{first.low} {then.low}"))
            if relative:
                yield frozenset(content(said[-1].low))


@lru_cache(maxsize=256)
def wanted(constraint: str) -> Wanted:
    """Read a constraint."""
    said = _DECADE.sub(r"between \g<1>0–\g<1>9", plain_dates(constraint)).split()
    start, end, days = _days(said)
    led = start and (word(said[start - 1]).kind == "part" or {*said[start - 2 : start - 1]} & {*_WHO})
    when, lead = " ".join(said[start:end]), said[start - 1 : start] if led else []
    asked = plain(" ".join((*said[: start - len(lead)], *said[end:])))
    rest, bounds = apart(asked)
    much = asked[bounds[0].start : bounds[0].end] if bounds else ""
    every = tokens(rest)
    end = next((at for at in range(len(every)) if _modifies(every[at:])), len(every))
    at = next((at for at in reversed(range(end)) if many(every[at])), None)
    plural = at is not None
    if not plural and end and every[end - 1].kind == "low":
        at = end - 1
    denies = any(one.low in DENIALS and not one.literal for one in every)
    noun, before, after = ("", [], every) if at is None else (every[at].low, every[:at], every[at + 1 :])
    words, leads, of_all = (frozenset(content(one)) for one in (rest, " ".join(lead), constraint))
    return Wanted(words - _SOME, noun, plural, days, leads, when, bounds, much, of_all, denies, before, after)


def _modifies(words: Sequence[Word]) -> bool:
    """Whether words begin as what follows a noun does: "paid bills" and "paid staff" do not, "paid in May" does."""
    before = words[0].kind == "part" and words[1:] and words[1].kind in ("plural", "generic", "low")
    return words[0].low in _RELATIVE or (is_modifier(words) and not before)


def content(text: str) -> list[str]:
    """The stems of a text's content words, in order."""
    return analyzer(stop=True).analyze(text)


def _days(said: Sequence[str]) -> tuple[int, int, Days | None]:
    """The first words [start, end) that say when, and the days of it; not when a story is set."""
    for start in range(len(said)):
        for end in range(min(len(said), start + _LONGEST_DATE), start + 1, -1):
            one = read(" ".join(said[start:end])) if word(said[start]).kind != "part" else None
            if one and one == Filter(after=one.after, before=one.before) and [*said[:start]][-1:] != ["set"]:
                first, after = (date(day) if day else None for day in (one.after, one.before))
                last = math.inf if after is None else math.nextafter(after, 0.0)
                return start, end, (-math.inf if first is None else first, last)
    return 0, 0, None
