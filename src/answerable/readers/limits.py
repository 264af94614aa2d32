"""Whether something holds for a number, where the text says for which it does: "up to 64 sensors", "3.10 or later".

A reader of this size says yes to 80 sensors as to 40. Within a limit one may, unless the text says that one may not;
of anything else the reader is asked for the limit itself ("Do expenses of less than 50 euro need approval?"). For a
number beyond it holds the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from answerable.corpora.tables import labelled, statements
from answerable.readers.reader import Reader
from answerable.selective.decide import VERDICTS
from answerable.text import EMPTY, content, is_polar
from answerable.types import Candidate, Chain, Hit, Passage

SURE, RULED = 1.0, 4.0
"""The least log-odds at which a reader's word on a limit is taken, and those of what needs no reader."""
_PASSAGES = 6
"""In which limits are looked for, the first that were found."""
_SPELT = dict(zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True))
_NUMBER = rf"\d+(?:[.,]\d+)*|(?:{'|'.join(_SPELT)})(?!\w)"
_THAN = {
    "least": r"at least|minimum\b(?: \w+){0,2}(?: of| is|:)?|>=|≥"
    r"|(?:no|not|never) (?:less|fewer|under|below)(?: than)?",
    "most": r"up to|at most|maximum\b(?: \w+){0,2}(?: of| is|:)?|limited to|<=|≤"
    r"|(?:no|not|never) (?:more|longer|older|higher|greater|larger|later|over|above|beyond)(?: than)?",
    "more": r"(?:more|greater|larger|bigger|longer|older|higher|newer|later|heavier|warmer) than|over|above|beyond|>",
    "less": r"(?:less|fewer|smaller|shorter|younger|lower|lighter|colder|earlier) than|under|below|<",
}
_OR = {
    "or_more": r"(?:or|and) (?:later|more|above|older|newer|higher|over|up|upwards|longer|larger)|\+",
    "or_less": r"(?:or|and) (?:less|fewer|below|under|earlier|younger|lower|shorter|smaller)",
}
_RATE = r"(?: (?:a|an|per|each|every) (?P<per>[^\W\d]+))?"
_LIMIT = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _THAN.items())}) ?(?P<number>{_NUMBER})"
    rf"(?:[ -]?(?P<unit>[^\W\d]+|%))?{_RATE}|(?<![\w.,])(?P<first>{_NUMBER})(?:[ -]?(?P<of>[^\W\d]+))?? ?"
    rf"(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _OR.items())})(?!\w)",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"(?<![\w.,])(?P<number>{_NUMBER})(?:[ -]?(?P<unit>[^\W\d]+|%))?{_RATE}", re.IGNORECASE)
_BEFORE = re.compile(r"([^\W\d_][\w-]*)[ :=\"^~]*$")
_SAID = {"least": "{}", "most": "{}", "more": "more than {}", "less": "less than {}"}
"""How a question is asked of a limit: where that lies within itself, of its number."""
_SECONDS = {"minut": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 2629800, "year": 31557600}
_MAY = re.compile(
    r"^(?:can|could|may|might)\b|\b(?:supported|enough|sufficient|allowed|permitted|possible|compatible|accepted|ok(?:ay)?"
    r"|fine|work|run|suffice|do)\b(?: (?:for|on|with|in|to) .*)?\W*$",
    re.IGNORECASE,
)
"""What asks whether one may or can."""
_BARS = re.compile(
    r"\b(?:forbidden|prohibited|banned|refused|rejected|(?:not|n[o']t) (?:allowed|permitted)|must not|may not)\b", re.I
)
_DENIES = re.compile(r"\b(?:no|not|never|nor|without|cannot)\b|n't\b|\bun\w+ed\b", re.IGNORECASE)
_LIGHT = content("take have get go make use give need want come put")
_OTHER = {"yes": "no", "no": "yes"}
_SUPPOSED = re.compile(r"\b(?:if|when|where|once|unless|whenever)\b", re.IGNORECASE)
"""What makes a limit a condition of something else: "if the pressure falls below 1 bar"."""
_CLAUSE = re.compile(r"[;,]\s|\bbut\b|$")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as it is `said`, with its unit as it is `written`; the stems of the unit, of the time "a week" for which
    it counts, and of the word before it."""

    said: str
    written: str
    unit: str
    per: str
    name: str

    @staticmethod
    def of(text: str, found: re.Match[str], said: str, unit: str | None) -> _Number:
        """One that was found in a text."""
        name = _BEFORE.search(text[: found.start()][-40:])
        written = f"{said} {unit}" if unit else said
        return _Number(said, written, _stem(unit), _stem(found["per"]), _stem(name[1] if name else None))

    def worth(self, version: bool) -> tuple[float, ...]:
        """How much it is; of a version part by part."""
        if said := _SPELT.get(self.said.lower()):
            return (float(said),)
        return tuple(map(float, self.said.split("."))) if version else (float(self.said.replace(",", "")),)


@dataclass(frozen=True, slots=True)
class _Limit:
    """A bound that characters [start, end) of a document say, with these words: "least", "most", "more" or "less" than
    a number, and what its clause says besides."""

    start: int
    end: int
    kind: str
    number: _Number
    words: frozenset[str]
    rest: str

    def holds(self, asked: _Number) -> bool | None:
        """Whether a number lies within; None where it is of something else."""
        own = self.number
        named = bool(asked.name) and (asked.name == own.name or (not own.name and asked.name in self.words))
        version = named and not own.unit
        scales = [_SECONDS.get(one.unit, 0) for one in (asked, own)]
        other = not own.unit or (own.unit != asked.unit and not all(scales))
        if (not version and other) or (own.per and asked.per and own.per != asked.per):
            return None
        try:
            first, second = asked.worth(version), own.worth(version)
        except ValueError:
            return None
        if len(first) != len(second) and first[: len(second)] == second[: len(first)]:
            return None
        if all(scales):
            first, second = (first[0] * scales[0],), (second[0] * scales[1],)
        return {"least": first >= second, "most": first <= second, "more": first > second, "less": first < second}[
            self.kind
        ]

    def speaks(self, wanted: frozenset[str], passage: Passage) -> bool:
        """Whether it is of a third of these words; what a line of a list of values is of, its passage says."""
        place = self.start - passage.start, self.end - passage.start
        whole = f"{passage.title} {passage.section} {passage.text}"
        told = wanted & (content(whole) if place in labelled(passage.text) else self.words)
        return bool(told) and len(told) * 3 >= len(wanted)

    def put(self, question: str, asked: _Number) -> str:
        """The question with the limit in the place of its number."""
        told = self.number
        other = asked.unit != told.unit and bool(told.unit)
        old, new = (asked.written, told.written) if other else (asked.said, told.said)
        return re.sub(rf"(?<![\w.,]){re.escape(old)}", _SAID[self.kind].format(new), question, count=1)


def of_limits(reader: Reader, question: str, chains: Sequence[Chain]) -> list[Candidate]:
    """Yes and no, the likelier first, to a question of a number that a passage bounds, by the sentence that says most
    of the question's words; nothing for any other question, or where it is not sure what holds within the bound."""
    asked = [] if _LIMIT.search(question) or not is_polar(question) else [*_numbers(question)]
    hits = dict[Hit, Chain]()
    for chain in chains if asked else ():
        hits |= {hit: chain for hit in chain.hits if hit not in hits}
    found = [(hit, limit, one) for hit in [*hits][:_PASSAGES] for limit in _limits(hit.passage) for one in asked]
    for hit, limit, number in sorted(found, key=lambda one: -len(content(question) & one[1].words)):
        wanted = content(question) - _LIGHT - {number.said, number.unit}
        if limit.holds(number) is None or not limit.speaks(wanted, hit.passage):
            continue
        alone = Chain((hit,), hit.score, hits[hit].label)
        told = _ruled(question, wanted, alone, limit) or reader.read(limit.put(question, number), [alone])
        if told and told[0].text in VERDICTS and told[0].score >= SURE:
            beside = [
                one for _, one, other in found if other == number and (one.start, one.rest) == (limit.start, limit.rest)
            ]
            within = all(one.holds(number) is not False for one in beside)
            return [
                replace(one, text=one.text if within else _OTHER[one.text], start=limit.start, end=limit.end)
                for one in told
            ]
    return []


def _ruled(question: str, wanted: frozenset[str], chain: Chain, limit: _Limit) -> list[Candidate]:
    """Whether one may, or what the sentence says with all words that are `wanted`, within a limit: it is there to say
    so, unless it says that one may not."""
    barred = _BARS.search(limit.rest)
    if not (_MAY.search(question) or wanted <= limit.words) or (not barred and _DENIES.search(limit.rest)):
        return []
    passage = chain.hits[0].passage
    told = (("no", RULED), ("yes", -RULED)) if barred else (("yes", RULED), ("no", -RULED))
    return [Candidate(text, score, chain, 0, passage.start, passage.end) for text, score in told]


def _numbers(question: str) -> Iterator[_Number]:
    for found in _ASKED.finditer(question):
        yield _Number.of(question, found, found["number"], found["unit"])


def _limits(passage: Passage) -> Iterator[_Limit]:
    text = passage.text
    for start, end in statements(text):
        said, begin = text[start:end], 0
        for clause in _CLAUSE.finditer(said):
            for found in _LIMIT.finditer(said, begin, clause.end()):
                if _SUPPOSED.search(said, begin, found.start()):
                    continue
                kind = next((name for name in _THAN if found[name]), "least" if found["or_more"] else "most")
                own = _Number.of(said, found, found["number"] or found["first"], found["unit"] or found["of"])
                place = passage.start + start, passage.start + end
                yield _Limit(*place, kind, own, content(said), _LIMIT.sub(" ", said[begin : clause.end()]))
            begin = clause.end()


def _stem(word: str | None) -> str:
    return "" if not word or word.lower() in EMPTY else next(iter(content(word)), "")
