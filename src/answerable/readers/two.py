"""Whether both of two things are something, which is asked of each by itself in the passages that name it.

Asked as one question ("Are A and B both novels?"), a reader of this size says yes where the passages of both speak of
what is asked (`benchmarks/two_things.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from answerable.corpora.citations import COMMON
from answerable.readers.reader import Reader
from answerable.selective.decide import VERDICTS
from answerable.text import words
from answerable.types import Candidate, Chain, Hit

YES, NO = "yes", "no"
LEANING = 1.25
"""By how much less likely, as a log-odds, a yes to a half is found that has the plural of the whole ("Is A novels?").
Of .25, .5 and so on to 2 among the best on 54 questions of HotpotQA's training part."""
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
    hits = passages(chains)
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
    for one in alone(reader, asked, naming(name, hits), hits):
        scores.setdefault(one.chain.hits[0], {})[one.text] = one.score
    told = [
        _Half(hit, max(said.values()), said[YES] - said[NO] + LEANING)
        for hit, said in scores.items()
        if said.keys() == VERDICTS
    ]
    return max(told, key=lambda one: one.score, default=None)


def passages(chains: Iterable[Chain]) -> dict[Hit, Chain]:
    """The passages in the order in which they were found, each with the first chain that has it."""
    found: dict[str, tuple[Hit, Chain]] = {}
    for chain in chains:
        for hit in chain.hits:
            found.setdefault(hit.passage.id, (hit, chain))
    return dict(found.values())


def naming(name: str, hits: Iterable[Hit]) -> list[Hit]:
    """The passages that have every word of a name that says something."""
    wanted = telling(name)
    return [hit for hit in hits if wanted <= {*words(f"{hit.passage.title} {hit.passage.text}")}]


def telling(name: str) -> set[str]:
    """The words of a name that say something; all of them where none does."""
    return {*words(name)} - COMMON or {*words(name)}


def alone(reader: Reader, asked: str, hits: Sequence[Hit], chains: Mapping[Hit, Chain]) -> list[Candidate]:
    """What is read in each of these passages by itself."""
    return reader.read(asked, [Chain((hit,), hit.score, chains[hit].label) for hit in hits]) if hits else []
