"""Whether two things both are something, read as two questions: "Are A and B both novels?".

Asked as one, a reader of this size says yes where the passages of both speak of what is asked; each thing by itself it
tells far better (`benchmarks/halves.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from answerable.corpora.citations import COMMON
from answerable.readers.reader import Reader
from answerable.text import words
from answerable.types import Candidate, Chain, Hit

YES, NO = "yes", "no"
LEANING = 1.25
"""By how much less likely, as a log-odds, a yes to a half is found that has the plural of the whole ("Is A novels?").
Of .25, .5 and so on to 2 among the best on 54 questions of HotpotQA's training part."""
_OPENS = "(are|were|do|did|have|is|was|does|has)"
_NAME = r"(?-i:(?:[Tt]he )?[A-Z\d]\S*?(?: (?:(?:of|the|de|for|in|a|von|van) )*[A-Z\d]\S*?)*)"
_BOTH = (
    re.compile(rf"{_OPENS} (?P<one>.+?),? and (?P<other>.+?),? both (?P<rest>.+)", re.IGNORECASE),
    re.compile(
        rf"{_OPENS} both (?:(?-i:[a-z-]+) )*?(?P<one>{_NAME}),? and (?P<other>{_NAME}) (?P<rest>(?-i:[a-z\d]).+)",
        re.IGNORECASE,
    ),
)
_ALONE = {"are": "Is", "were": "Was", "do": "Does", "have": "Has"}
_OF_TWO = re.compile(r"\b(?:same|different|each other|together|similar)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Half:
    """Where a half is told: the passage, how surely it tells, and by how much a yes is likelier there than a no."""

    hit: Hit
    chain: Chain
    score: float
    leaning: float


def halves(question: str) -> tuple[tuple[str, str], ...]:
    """For each of two things its name and the question for it alone; nothing where a question is not of both, or of
    what they are to each other."""
    asked = question.strip().rstrip("?").strip()
    found = next(filter(None, (one.fullmatch(asked) for one in _BOTH)), None)
    if found is None or _OF_TWO.search(asked):
        return ()
    opens = _ALONE.get(found[1].lower(), found[1])
    return tuple((found[name], f"{opens} {found[name]} {found['rest']}?") for name in ("one", "other"))


def of_both(reader: Reader, question: str, chains: Sequence[Chain]) -> list[Candidate]:
    """Yes and no to a question of both, the likelier first, each half read in the passages that name its thing; nothing
    where it is no such question, or no passage tells of one of them."""
    found = [_told(reader, asked, name, chains) for name, asked in halves(question)]
    told = [half for half in found if half is not None]
    if len(told) < 2:
        return []
    least = min(told, key=lambda half: half.leaning)
    surely, leaning = min(half.score for half in told), least.leaning
    hits = tuple(dict.fromkeys(half.hit for half in told))
    label = told[0].chain.label | told[1].chain.label
    chain = Chain(hits, min(half.chain.score for half in told), label)
    passage = least.hit.passage
    verdict = Candidate(YES, surely, chain, hits.index(least.hit), passage.start, passage.end)
    both = [
        replace(verdict, score=surely + min(0.0, leaning)),
        replace(verdict, text=NO, score=surely - max(0.0, leaning)),
    ]
    return sorted(both, key=lambda one: -one.score)


def _told(reader: Reader, asked: str, name: str, chains: Sequence[Chain]) -> _Half | None:
    """The half where it is told the surest."""
    named = {hit: chain for chain in reversed(chains) for hit in naming(name, chain.hits)}
    alone = [Chain((hit,), hit.score, chain.label) for hit, chain in named.items()]
    scores: dict[Hit, dict[str, float]] = {}
    for one in reader.read(asked, alone) if alone else ():
        scores.setdefault(one.chain.hits[0], {})[one.text] = one.score
    told = [(max(said.values()), hit) for hit, said in scores.items() if said.keys() == {YES, NO}]
    if not told:
        return None
    score, hit = max(told, key=lambda one: one[0])
    return _Half(hit, named[hit], score, scores[hit][YES] - scores[hit][NO] + LEANING)


def naming(name: str, hits: Iterable[Hit]) -> list[Hit]:
    """The passages that have every word of a name that says something, in their order."""
    wanted = telling_words(name)
    return [hit for hit in hits if wanted <= {*words(f"{hit.passage.title} {hit.passage.text}")}]


def telling_words(name: str) -> set[str]:
    """The words of a name that say something; all of them where none does."""
    return {*words(name)} - COMMON or {*words(name)}
