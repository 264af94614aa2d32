"""Two things that a question compares, each read by itself in the passages that name it.

The value of each is read, and the one that comes first is said, or whether it is the one that was asked about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from answerable.corpora.citations import cite
from answerable.corpora.values import ANY_UNIT, NUMERALS, UNITS, date, number
from answerable.readers.compared import Compared, weighs
from answerable.readers.reader import Reader
from answerable.readers.two import NO, YES, alone, naming, passages, telling
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import Decision, decided
from answerable.text import words
from answerable.types import Candidate, Chain, Hit

SURE, LIKELY, UNSURE = 0.95, 0.85, 0.49
"""How sure an answer is by two values that were read surely and are no counts, by others, and at most one that was read
without them."""
READ = 2.0
"""The least log-odds at which a value is read surely: of 234 answers by two such values all were right, and of 15 by
values of 0 to 2 there were 13; of 13 answers by two counts 11. Below 0 there is none."""
_PASSAGES = 3
"""In which a value is read of each of the two, the first that were found."""
_AMOUNT = re.compile(
    rf"([$€£¥]?) ?\d[\d,. ]*(?:thousand|million|billion)?\W{{0,3}}(?:({ANY_UNIT})s?(?![\w²])|([a-z]*))", re.IGNORECASE
)
_EACH = re.compile(r"(?:\b(?:a|an|per|each|every) |/ ?)([a-z]+)$", re.IGNORECASE)
_MEASURED = {"height": "length", "length": "length", "width": "length", "depth": "length", "area": "area"}
_MEASURED |= {"weight": "weight"}


class _Range(NamedTuple):
    """From one number to another, of a unit."""

    low: float
    high: float
    unit: str = ""

    def apart(self, other: _Range) -> bool:
        """Whether one is less than the other."""
        return self.unit == other.unit and (self.high <= other.low or other.high <= self.low)


@dataclass(frozen=True, slots=True)
class _Value:
    """What is told of `name`, in the words `said`, by what was asked and read."""

    name: str
    told: _Range
    said: str
    read: tuple[tuple[str, Candidate], ...]


@dataclass(frozen=True, slots=True)
class ComparingReader:
    """Asks the reader of each of two things that a question compares."""

    reader: Reader

    def weigh(self, case: Case, settled: Decided) -> Decided:
        """The one of the two that comes first, with what tells of both. Where that was not read of both, what was
        settled is no surer than a guess; what brings its own citations stays."""
        compared = Compared.of(case.question)
        if settled.citations or not settled.decision.read or not (compared or weighs(case.question)):
            return settled
        least, told = case.least(None), self._values(compared, case.chains) if compared else None
        if compared is None or told is None:
            return replace(settled, decision=_guessed(settled.decision, least, case.rest))
        rows = sorted(
            zip(told, compared.names, strict=True), key=lambda row: row[0].told.low, reverse=not compared.least
        )
        (best, name), (other, left) = rows
        says = (YES, NO) if name == compared.names[0] else (NO, YES)
        name, left = says if compared.polar else (name, left)
        chosen = _named(name, best, other)
        cited = [one for asked, it in (*best.read, *other.read) for one in cite(asked, it.text, it, case.find)]
        if not cited or not case.allowed(chosen):
            return settled
        every = chosen, _named(left, other, best)
        counted = compared.asks[0][0].startswith("How")
        sure = SURE if min(one.score for one in every) >= READ and not counted else LIKELY
        decision = decided(chosen, sure, ((left, 1 - sure),), every, least, case.rest)
        note = f"{best.said} ({best.name}) against {other.said} ({other.name})"
        return Decided(decision, tuple(dict.fromkeys(cited)), (*settled.notes, note))

    def _values(self, compared: Compared, chains: Sequence[Chain]) -> tuple[_Value, _Value] | None:
        """What is told of each of the two, read surely and not the same."""
        hits = passages(chains)
        for asks in compared.asks:
            one, other = (self._value(compared.role, asks, name, hits) for name in compared.names)
            if one and other:
                return (one, other) if one.told.apart(other.told) else None
        return None

    def _value(self, role: str, asks: Sequence[str], name: str, hits: Mapping[Hit, Chain]) -> _Value | None:
        """What is told of one; None where passages tell it differently."""
        read, spans = list[tuple[str, Candidate]](), list[_Range]()
        if role:
            asked = f"Who is the {role} of {name}?"
            if not (found := self._read(asked, name, hits)):
                return None
            read, name = [(asked, found[0])], found[0].text
        for ask in asks:
            found = self._read(asked := ask.format(name), name, hits)
            told = [_ranged(ask, one) for one in found]
            sure = [one for one, by in zip(told, found, strict=True) if one and by.score >= READ]
            if not told or (first := told[0]) is None or any(first.apart(one) for one in sure):
                return None
            read.append((asked, found[0]))
            spans.append(first)
        first, last = spans[0], spans[-1]
        length = _Range(last.low - first.high, last.high - first.low) if spans[1:] else first
        return _Value(name, length, " to ".join(one.text for _, one in read[-len(asks) :]), tuple(read))

    def _read(self, asked: str, name: str, hits: Mapping[Hit, Chain]) -> list[Candidate]:
        """What is read surely in each passage that is called so, or else in those that name it; surest first."""
        wanted, about = telling(name), naming(name, hits)
        about = [hit for hit in about if wanted <= {*words(hit.passage.title)}] or about
        found = alone(self.reader, asked, about[:_PASSAGES], hits)
        best = {one.chain.key: one for one in reversed(found) if one.score >= 0}
        return sorted(best.values(), key=lambda one: -one.score)


def _named(name: str, own: _Value, other: _Value) -> Candidate:
    """One of the two as an answer that rests on what was read of both."""
    every = [one for _, one in (*own.read, *other.read)]
    hits = tuple(dict.fromkeys(one.chain.hits[one.hit] for one in every))
    label = frozenset[str]().union(*(one.chain.label for one in every))
    chain = Chain(hits, min(one.score for one in every), label)
    return Candidate(name, chain.score, chain, 0, every[0].start, every[0].end)


def _guessed(decision: Decision, least: float, rest: str) -> Decision:
    """A decision that was made without what is told of the two."""
    every = decision.others if decision.text is None else ((decision.text, decision.confidence), *decision.others)
    (_, sure), *others = ((text, min(sure, UNSURE)) for text, sure in every)
    return replace(decided(decision.read[0], sure, tuple(others), decision.read, least, rest), best=decision.best)


def _ranged(asked: str, found: Candidate) -> _Range | None:
    """What an answer to such a question tells, at least and at most; None where it tells no value."""
    if asked.startswith("When"):
        return day(found)
    if asked.startswith("How many"):
        return _count(found.text)
    amount = _amount(found.text)
    wanted = next((unit for noun, unit in _MEASURED.items() if f" {noun} of " in asked), None)
    return amount if amount and wanted in (None, amount.unit) else None


def day(found: Candidate) -> _Range | None:
    """From when to when a date may be, in years; None for one before the year 100, or for none."""
    passage = found.chain.hits[found.hit].passage
    if re.search(r"\bB\.?C", passage.text[found.start - passage.start : found.end - passage.start + 6]):
        return None
    day, year = date(found.text), re.search(r"\b\d{3,4}\b", found.text)
    if day is not None and day >= 1:
        return _Range(day, day + 1 / 372)
    return _Range(float(year[0]), float(year[0]) + 1) if year else None


def _amount(text: str) -> _Range | None:
    """What an amount that a text begins with is, in what its unit measures or else in that, and for what each: "$40 a
    day"."""
    found, value = _AMOUNT.match(text), number(text)
    if found is None or value is None:
        return None
    sign, known, name = found.groups()
    unit, times = UNITS[known.lower()] if known else (name.lower(), 1.0)
    unit, times = (sign, 1.0) if sign else (unit, times)
    each = _EACH.search(text.strip(" ."))
    return _Range(0.999 * value * times, 1.001 * value * times, f"{unit}/{each[1].lower()}" if each else unit)


def _count(text: str) -> _Range | None:
    """How many an answer says, in digits or in words up to fifteen, at least and at most."""
    told = list[float]()
    for part in re.split(r"[–-]|\b(?:to|or)\b", text.lower()):
        named = [one for one in words(part) if one in NUMERALS]
        if digits := re.search(r"\d.*", part):
            told += [value] if (value := number(digits[0])) is not None else []
        elif named and not re.search(r"(?:ty|hundred|thousand|million|billion)\b", part):
            told.append(float(NUMERALS.index(named[0])))
    if not told:
        return None
    return _Range(min(told), math.inf if re.match(r"(?:over|more than|at least)\b", text, re.I) else max(told) + 0.5)
