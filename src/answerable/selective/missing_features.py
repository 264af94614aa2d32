"""What an ask shows of whether it lacks a step that was refused: the features of `selective.missing`.

Hits are of two kinds, by their labels alone: those *held*, found in a private enclave of which text was kept from
others, and those *free*. Where what the question names is found among the held and not among the free, a chain would
begin there, and its next step may be one of those refused. No name of an enclave counts, and nothing but this ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from answerable.encoders.expansion import named_spans
from answerable.text import words
from answerable.types import Candidate, Hit, Hop, Label

NAMES = (
    "compared",
    "related",
    "of",
    "long",
    "named held",
    "named free",
    "titled held",
    "titled free",
    "started",
    "covered held",
    "covered free",
    "ahead",
)
"""The signs, in order, each from 0 to 1:
compared: 1 where the question weighs two things, which can each be found from it.
related: 1 where it says something in a relative clause.
of: how often it goes from a thing to what is of it, up to 3 times.
long: its words, up to 30.
named held, named free: share of the names in it that are the title of a passage found there.
titled held, titled free: 1 where the title of a passage found there stands in it.
started: share of the answers read from chains that begin with a held passage.
covered held, covered free: share of its words in the best such passage found by the question itself.
ahead: the best score of a held passage found by the question, as a share of it and of the best free one."""

READ = 20
"""Answers that `started` looks at, the best first."""
FOREMOST = 5
"""Passages of each kind that `covered` looks at."""
_COMPARED = re.compile(r"\b(?:or|both|same)\b")
_RELATED = re.compile(r"\b(?:who|whose|that|which|where)\b")
_OF = re.compile(r"\bof\b|['\u2019]s\b")
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


def signs(question: str, hops: Iterable[Hop], candidates: Sequence[Candidate], sources: Label) -> tuple[float, ...]:
    """One number, 0 to 1, for each of `NAMES`. `candidates` are the reader's, best first.

    `sources`: the private enclaves of which text was kept from others.
    """
    taken = list(hops)
    first = _once(hit for hop in taken if not hop.query.because for hit in hop.hits)
    found = [hit for hop in taken for hit in hop.hits]
    kinds = [[hit for hit in first if bool(hit.label & sources) is held] for held in (True, False)]
    titles = [{_title(hit) for hit in found if bool(hit.label & sources) is held} - {""} for held in (True, False)]
    asked, lowered = words(question), question.lower()
    names = {" ".join(words(question[start:end])) for start, end in named_spans(question)}
    names = {name for name in names if len(name) > 2}
    best = [max((hit.score for hit in kind), default=0.0) for kind in kinds]
    begun = [bool(one.chain.hits[0].label & sources) for one in candidates[:READ] if one.chain.hits]
    return (
        float(bool(_COMPARED.search(lowered))),
        float(bool(_RELATED.search(lowered, 4))),  # not the word it asks with
        min(len(_OF.findall(lowered)), 3) / 3,
        min(len(asked), 30) / 30,
        *(_share(name in known for name in names) for known in titles),
        *(float(any(f" {title} " in f" {' '.join(asked)} " for title in known)) for known in titles),
        _share(begun),
        *(_covered(set(asked), kind[:FOREMOST]) for kind in kinds),
        max(0.0, best[0]) / whole if (whole := sum(max(0.0, score) for score in best)) else 0.5,
    )


def _once(hits: Iterable[Hit]) -> list[Hit]:
    """Each passage once, with its best score, best first; ties by enclave, passage id and label."""
    found: dict[tuple[str, str], Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.passage.enclave, hit.passage.id, sorted(hit.label))):
        found.setdefault((hit.passage.enclave, hit.passage.id), hit)
    return list(found.values())


def _title(hit: Hit) -> str:
    """The words of a title, without what stands in brackets at its end."""
    return " ".join(words(_IN_BRACKETS.sub("", hit.passage.title)))


def _share(marks: Iterable[bool]) -> float:
    counted = list(marks)
    return sum(counted) / len(counted) if counted else 0.0


def _covered(asked: set[str], hits: Iterable[Hit]) -> float:
    """The greatest share of the question's words in one passage and its title."""
    read = [set(words(f"{hit.passage.title} {hit.passage.text}")) for hit in hits]
    return max((len(asked & one) / len(asked) for one in read), default=0.0) if asked else 0.0
