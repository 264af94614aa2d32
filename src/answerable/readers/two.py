"""Two things that a question asks about, each read by itself in the passages that name it.

Whether both are something ("Are A and B both novels?") is asked of each. Of two that are compared by a date, an age or
a length ("Who is older, A or B?", "Is A taller than B?", "Which film has the director who died first, A or B?") the
value of each is read, and the one that comes first is said, or whether it is the one that was asked about.

Asked as one question, a reader of this size says yes where the passages of both speak of what is asked, and whether one
is more than the other, or which of two it is, as by a coin (`benchmarks/two_things.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from answerable.corpora.citations import COMMON, cite
from answerable.corpora.values import NUMERALS, date, number
from answerable.readers.reader import Reader
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import VERDICTS, Decision, decided
from answerable.text import choice, is_polar, words
from answerable.types import Candidate, Chain, Hit

YES, NO = "yes", "no"
LEANING = 1.25
"""By how much less likely, as a log-odds, a yes to a half is found that has the plural of the whole ("Is A novels?").
Of .25, .5 and so on to 2 among the best on 54 questions of HotpotQA's training part."""
SURE, LIKELY, UNSURE = 0.95, 0.85, 0.49
"""How sure an answer is by two values that were read surely and are no counts, by others, and at most one that was read
without them."""
READ = 2.0
"""The least log-odds at which a value is read surely: of 234 answers by two such values all were right, and of 15 by
values of 0 to 2 there were 13; of 13 answers by two counts 11. Below 0 there is none."""
_PASSAGES = 3
"""In which a value is read of each of the two, the first that were found."""
_ASKS = "(are|were|do|did|have|is|was|does|has)"
_NAME = r"(?-i:(?:[Tt]he )?[A-Z\d]\S*?(?: (?:(?:of|the|de|for|in|a|von|van) )*[A-Z\d]\S*?)*)"
_BOTH = (
    re.compile(rf"{_ASKS} (?P<one>.+?),? and (?P<other>.+?),? both (?P<rest>.+)", re.IGNORECASE),
    re.compile(
        rf"{_ASKS} both (?:(?-i:[a-z-]+) )*?(?P<one>{_NAME}),? and (?P<other>{_NAME}) (?P<rest>(?-i:[a-z\d]).+)",
        re.IGNORECASE,
    ),
)
_ALONE = {"are": "Is", "were": "Was", "do": "Does", "have": "Has"}
_OF_TWO = re.compile(r"\b(?:same|different|each other|together|similar)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:(?:the )?(?:(?P<old>older|oldest)|(?P<young>(?:young|new)(?:er|est))|(?P<long>tall|high|long|deep|short)er)"
    r"|(?P<lived>lived? longer)|(?P<early>(?:the )?earliest|earlier|(?<!the )first)"
    r"|(?:the )?latest|later|(?<!the )last(?! year)|(?:more|most) recently|(?P<count>more|fewer)(?= [a-z]))\b",
    re.I,
)
_NAMES_FIRST = re.compile(r"(.+? or [^:,]+)[:,] *((?:which|who|what)\b.+)", re.I)
_OPENS = re.compile(r"(?:which|who|what|whose)\b(?! (?:is|was|are|were) the )", re.I)
_AUX = r"\b(?:was|were|is|are|has|had|have|did|do|does)\b"
_OPENED = re.compile(rf"({_AUX}) (.+)", re.I)
_VERB = re.compile(r"\b\w+(?: (?:out|place|away|up))?$")
_ROLE = re.compile(r"\b(?:ha(?:s|ve|d) (?:the|a)|whose) (\w+)(?: (?:who|that))?(?= \w)", re.I)
_LENGTH = re.compile(r"[\d,.]+\W{0,3}(f(?:ee|oo)?t|[ck]?m|(?:centi|kilo)?met(?:er|re)s?|mi(?:les?)?)\b", re.I)
_METRES = {"f": 0.3048, "c": 0.01, "k": 1000.0, "mi": 1609.34, "m": 1.0}
"""By how a unit begins."""
_LENGTHS = {"tall": "height", "high": "height", "long": "length", "short": "length", "deep": "depth"}
_THAN = re.compile(
    r"(\w+ .+)(?<! a)(?<! an)(?<! the)(?<! live)(?<! lived) ((?:an? |the |lived? )?"
    r"(?:(?!other|rather)\w+er|more|less|fewer|worse)\b.*?) than "
    r"(?!\W*\d|(?:one|two|three|four|five|once|twice|half)\b)(.+)",
    re.IGNORECASE,
)
_AGE = (("When was {} born?",), ("When was {} made?",), ("When did {} begin?",))


def than(question: str) -> tuple[str, str, str] | None:
    """What a question for yes or no compares with something that is no number, by what and with what: "Is Oslo a bigger
    city than B?" is "Is A", "a bigger city" and "B". None for any other."""
    found = _THAN.fullmatch(question.strip().rstrip("? .")) if is_polar(question) else None
    return (found[1], found[2], found[3]) if found else None


def weighs(question: str) -> bool:
    """Whether a question asks which of two things is more of something, or whether one is."""
    return than(question) is not None or (choice(question) is not None and _OPENS.match(question.strip()) is not None)


def halves(question: str) -> tuple[tuple[str, str], ...]:
    """For each of two things its name and the question for it alone; nothing where a question is not of both, or of
    what they are to each other."""
    asked = question.strip().rstrip("?").strip()
    found = next(filter(None, (one.fullmatch(asked) for one in _BOTH)), None)
    if found is None or _OF_TWO.search(asked):
        return ()
    opens = _ALONE.get(found[1].lower(), found[1])
    return tuple((found[name], f"{opens} {found[name]} {found['rest']}?") for name in ("one", "other"))


@dataclass(frozen=True, slots=True)
class _Half:
    """Where a half is told: the passage, how surely it tells, and by how much a yes is likelier there than a no."""

    hit: Hit
    score: float
    leaning: float


def of_both(reader: Reader, question: str, chains: Sequence[Chain]) -> list[Candidate]:
    """Yes and no to a question of both, the likelier first, each half read in the passages that name its thing; nothing
    where it is no such question, or no passage tells of one of them."""
    hits = _passages(chains)
    told = [half for name, asked in halves(question) if (half := _half(reader, asked, name, hits))]
    if len(told) < 2:
        return []
    least = min(told, key=lambda half: half.leaning)
    surely, leaning = min(half.score for half in told), least.leaning
    both, passage = tuple(dict.fromkeys(half.hit for half in told)), least.hit.passage
    own = [hits[hit] for hit in both]
    chain = Chain(both, min(one.score for one in own), own[0].label | own[-1].label)
    verdict = Candidate(YES, surely + min(0.0, leaning), chain, both.index(least.hit), passage.start, passage.end)
    return sorted((verdict, replace(verdict, text=NO, score=surely - max(0.0, leaning))), key=lambda one: -one.score)


def _half(reader: Reader, asked: str, name: str, hits: Mapping[Hit, Chain]) -> _Half | None:
    """The half where it is told the surest."""
    scores: dict[Hit, dict[str, float]] = {}
    for one in _alone(reader, asked, _naming(name, hits), hits):
        scores.setdefault(one.chain.hits[0], {})[one.text] = one.score
    told = [
        _Half(hit, max(said.values()), said[YES] - said[NO] + LEANING)
        for hit, said in scores.items()
        if said.keys() == VERDICTS
    ]
    return max(told, key=lambda one: one.score, default=None)


@dataclass(frozen=True, slots=True)
class Compared:
    """The `names` of two things; what is asked of each, with {} for it: the first of `asks` that is answered for both,
    by one question or by how much its second says more than its first. `least`: the less of the two is looked for.
    `role`: what of them is asked for instead of themselves, as "director". `polar`: whether the first comes first."""

    names: tuple[str, str]
    asks: tuple[tuple[str, ...], ...]
    least: bool
    role: str = ""
    polar: bool = False

    @staticmethod
    def of(question: str) -> Compared | None:
        """What a question compares; None for one that does not compare two things, or by something else."""
        said = question.strip().rstrip("? .")
        if of_them := than(question):
            first, more, second = of_them
            found = Compared.of(f"{first} or {second} {more}")
            return replace(found, polar=True) if found else None
        if (turned := _NAMES_FIRST.fullmatch(said)) and not _OPENS.match(said):
            said = f"{turned[2]}, {turned[1]}"
        order, halves = _ORDER.search(said), re.split(r",? or ", said)
        if not order or len(halves) != 2:
            return None
        (first, second), frame, more = halves, said[: order.start()].strip(), ""
        if order.end() < len(first) and _OPENS.match(frame):
            *before, first = re.split(r"[,:]", first[order.end() :], maxsplit=1)
            more = "".join(before).strip()
        elif (opened := _OPENED.match(first)) and len(first) < order.start() <= order.end() == len(said):
            second = said[len(first) : order.start()].strip(" ,")[3:]
            verb = None if order["old"] or order["young"] or order["long"] or order["lived"] else _VERB.search(second)
            second = second[: verb.start()] if verb else second
            first, frame = opened[2], f"{opened[1]} {verb[0] if verb else ''}".strip()
        else:
            return None
        one, other = (re.sub(r"\s*\([^)]*\)$", "", name.strip(' ,:-"“”')).strip('"“” ') for name in (first, second))
        role = _ROLE.search(frame)
        asks = _asks(frame[role.end() :].strip() if role else frame, more, order, bool(role))
        told = all({*words(name)} - COMMON for name in (one, other))
        least = bool(order["old"] or order["early"] or order[0].lower() in ("the shorter", "shorter", "fewer"))
        return Compared((one, other), asks, least, role[1] if role else "") if asks and told else None


def _asks(frame: str, more: str, order: re.Match[str], within: bool) -> tuple[tuple[str, ...], ...]:
    """What to ask of each, by what is said before the comparison and `more` after it; `within`: of their role."""
    ends = re.search(rf"(?:{_AUX}|\bc[oa]mes?)$", frame, re.I)
    if order["lived"]:
        return (("When was {} born?", "When did {} die?"),)
    if order["long"]:
        return ((f"What is the {_LENGTHS[order['long'].lower()]} of {{}}?",),) if ends else ()
    if order["old"] or order["young"] or (ends and not more):
        return _AGE if ends else ()
    if order["count"]:
        aux = re.search(rf"({_AUX})(.*)$", frame, re.I)
        does = f"{aux[1]} {{}} {aux[2].strip()}" if aux and aux[2] else "does {} have" if aux else ""
        does = does or f"did {{}} {frame.rpartition(' ')[2]}"
        return ((f"How many {more} {does}?",),) if more else ()
    frame = f"{frame} {more}".strip()
    if aux := re.search(rf"({_AUX})(.+)$", frame, re.I):
        return ((f"When {aux[1].lower()} {{}} {aux[2].strip()}?",),)
    verb = re.match(r"who (.+)", frame, re.I) or (_VERB.search(frame) if within or " " in frame else None)
    return ((f"When {'was' if verb[0] == 'born' else 'did'} {{}} {verb[verb.lastindex or 0]}?",),) if verb else ()


@dataclass(frozen=True, slots=True)
class _Value:
    """What is told of `name`: from `low` to `high`, in the words `said`, by what was asked and read."""

    name: str
    low: float
    high: float
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
        rows = sorted(zip(told, compared.names, strict=True), key=lambda row: row[0].low, reverse=not compared.least)
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
        hits = _passages(chains)
        for asks in compared.asks:
            one, other = (self._value(compared.role, asks, name, hits) for name in compared.names)
            if one and other:
                return (one, other) if _apart((one.low, one.high), (other.low, other.high)) else None
        return None

    def _value(self, role: str, asks: Sequence[str], name: str, hits: Mapping[Hit, Chain]) -> _Value | None:
        """What is told of one; None where passages tell it differently."""
        read, spans = list[tuple[str, Candidate]](), list[tuple[float, float]]()
        if role:
            asked = f"Who is the {role} of {name}?"
            if not (found := self._read(asked, name, hits)):
                return None
            read, name = [(asked, found[0])], found[0].text
        for ask in asks:
            found = self._read(asked := ask.format(name), name, hits)
            told = [_VALUES[ask.split()[0]](one) for one in found]
            sure = [one for one, by in zip(told, found, strict=True) if one and by.score >= READ]
            if not told or (first := told[0]) is None or any(_apart(first, one) for one in sure):
                return None
            read.append((asked, found[0]))
            spans.append(first)
        (low, high), (last, end) = spans[0], spans[-1]
        low, high = (last - high, end - low) if spans[1:] else (low, high)
        return _Value(name, low, high, " to ".join(one.text for _, one in read[-len(asks) :]), tuple(read))

    def _read(self, asked: str, name: str, hits: Mapping[Hit, Chain]) -> list[Candidate]:
        """What is read surely in each passage that is called so, or else in those that name it; surest first."""
        wanted, about = _telling(name), _naming(name, hits)
        about = [hit for hit in about if wanted <= {*words(hit.passage.title)}] or about
        found = _alone(self.reader, asked, about[:_PASSAGES], hits)
        best = {one.chain.key: one for one in reversed(found) if one.score >= 0}
        return sorted(best.values(), key=lambda one: -one.score)


def _apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]


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


def _day(found: Candidate) -> tuple[float, float] | None:
    """From when to when a date may be, in years; None for one before the year 100, or for none."""
    passage = found.chain.hits[found.hit].passage
    if re.search(r"\bB\.?C", passage.text[found.start - passage.start : found.end - passage.start + 6]):
        return None
    day, year = date(found.text), re.search(r"\b\d{3,4}\b", found.text)
    if day is not None and day >= 1:
        return day, day + 1 / 372
    return (float(year[0]), float(year[0]) + 1) if year else None


def _length(found: Candidate) -> tuple[float, float] | None:
    """How many metres an answer begins with."""
    unit, count = _LENGTH.match(found.text), number(found.text)
    if unit is None or count is None:
        return None
    metres = count * next(one for begins, one in _METRES.items() if unit[1].lower().startswith(begins))
    return 0.999 * metres, 1.001 * metres


def _count(found: Candidate) -> tuple[float, float] | None:
    """How many an answer says, in digits or in words up to fifteen, at least and at most."""
    told = list[float]()
    for part in re.split(r"[–-]|\b(?:to|or)\b", found.text.lower()):
        named = [one for one in words(part) if one in NUMERALS]
        if digits := re.search(r"\d.*", part):
            told += [value] if (value := number(digits[0])) is not None else []
        elif named and not re.search(r"(?:ty|hundred|thousand|million|billion)\b", part):
            told.append(float(NUMERALS.index(named[0])))
    if not told:
        return None
    return min(told), math.inf if re.match(r"(?:over|more than|at least)\b", found.text, re.I) else max(told) + 0.5


_VALUES = {"When": _day, "What": _length, "How": _count}
"""How to read a value, by how what is asked begins."""


def _passages(chains: Iterable[Chain]) -> dict[Hit, Chain]:
    """The passages in the order in which they were found, each with the first chain that has it."""
    found: dict[str, tuple[Hit, Chain]] = {}
    for chain in chains:
        for hit in chain.hits:
            found.setdefault(hit.passage.id, (hit, chain))
    return dict(found.values())


def _naming(name: str, hits: Iterable[Hit]) -> list[Hit]:
    """The passages that have every word of a name that says something."""
    wanted = _telling(name)
    return [hit for hit in hits if wanted <= {*words(f"{hit.passage.title} {hit.passage.text}")}]


def _telling(name: str) -> set[str]:
    """The words of a name that say something; all of them where none does."""
    return {*words(name)} - COMMON or {*words(name)}


def _alone(reader: Reader, asked: str, hits: Sequence[Hit], chains: Mapping[Hit, Chain]) -> list[Candidate]:
    """What is read in each of these passages by itself."""
    return reader.read(asked, [Chain((hit,), hit.score, chains[hit].label) for hit in hits]) if hits else []
