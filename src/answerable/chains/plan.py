"""What an ask would send where: all that can be known of it before anything is sent.

The queries of the first hop are known word for word, of later ones the label, and with it which enclaves they could be
sent to, and why or why not. And parts of a question that could travel on their own where the whole may not (Arora et
al. 2023, footnote 13), proposed by rule from its words alone; which of them may be told, only the user can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from answerable.chains.beam import BeamSettings
from answerable.encoders.expansion import named_spans, search_text
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import outgrown, readable
from answerable.privacy.trace import may_see
from answerable.retriever import Retriever
from answerable.types import Asker, Enclave, Hit, Label, Passage, Privacy, Query, Skill

_Fetched = set[tuple[str, Label]]
"""Enclaves, each with the label of queries that fetch passages of it ahead."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A search at a hop (from 1) with a query of a label: one that would be made, could be, or would be refused.

    `text`: what would be sent, beside a vector of it unless words alone are searched; None where it depends on what is
    found. `refused` and `reason` as in a `Hop`. `ahead`: passages that it would be sent for, to hold
    them here. `held`: whether a query that is refused would be searched among such passages.
    """

    hop: int
    skill: Skill
    enclave: str
    label: Label
    text: str | None
    refused: str | None
    reason: str
    ahead: int = 0
    held: bool = False


def plan(query: Query, door: Retriever, settings: BeamSettings, parts: Sequence[Query] = ()) -> tuple[Planned, ...]:
    """The searches of the first hop, then for each later hop one for every label and enclave. Sends nothing.

    `parts` of the question are searched with where they add nothing to its label, as `gather` does. A label is one
    that a chain can have by then: each of its passages read in an enclave that could be asked, or of which passages
    could be held.
    """
    table = door.enclaves.values()
    named = door.mentions(query) if settings.link else ()
    first = [(query, Skill.SINGLE), *((one, Skill.MENTION) for one in named)]
    fetched: _Fetched = set()
    planned = [_planned(1, one, skill, enclave, door, settings, fetched) for one, skill in first for enclave in table]
    near = [enclave for enclave in table if door.privacy is Privacy.NONE or enclave.label <= query.label]
    planned += [_planned(1, part, Skill.SINGLE, enclave, door, settings, fetched) for part in parts for enclave in near]
    fetched |= _fetching(planned)
    reached = {label: hits for one in (query, *parts) for label, hits in _grown(one, (), door, fetched)}
    for hop in range(2, settings.hops + 1):
        later = []
        for label in sorted(reached, key=lambda label: (len(label), sorted(label))):
            asked = query.follow(reached[label])
            for skill in (Skill.EXPANDED, Skill.MENTION) if settings.link else (Skill.EXPANDED,):
                later += [_planned(hop, asked, skill, enclave, door, settings, fetched) for enclave in table]
        planned += later
        fetched |= _fetching(later)
        reached = {label: hits for hits in reached.values() for label, hits in _grown(query, hits, door, fetched)}
    return tuple(planned)


def handed(query: Query, host: Enclave, door: Retriever, hop: int) -> tuple[Planned, ...]:
    """What a language model would be handed when all is found: the question with passages, for each label of them."""
    read = (one.label for one in door.enclaves.values() if readable(query.asker, one).allowed)
    labels = sorted({query.label, *(query.label | label for label in read)}, key=lambda one: (len(one), sorted(one)))
    rulings = [(label, door.handing(query, label, host)) for label in labels]
    return tuple(
        Planned(hop, Skill.READ, host.name, label, None, None if one.allowed else one.reason, one.reason)
        for label, one in rulings
    )


def records(planned: Iterable[Planned], viewer: Asker, enclaves: EnclaveTable) -> list[dict[str, Any]]:
    """The searches as JSON objects with the fields of `Planned`, redacted for the viewer as hops are."""
    seen = (one for one in planned if may_see(one.enclave, one.label, viewer, viewer, enclaves))
    return [asdict(one) | {"skill": one.skill.value, "label": sorted(one.label)} for one in seen]


def _planned(
    hop: int, query: Query, skill: Skill, enclave: Enclave, door: Retriever, settings: BeamSettings, fetched: _Fetched
) -> Planned:
    decision = door.decision(query, enclave)
    refused = None if decision.allowed else decision.reason
    if decision.allowed and enclave.name not in door.indexes:
        refused = door.lacking(enclave.name)
    text = None if query.because else search_text(query, skill)
    found = skill is not Skill.MENTION
    again = found and not refused and outgrown(query, enclave, door.privacy, door.enclaves)
    ahead = settings.held if again else 0
    held = found and _held(query, enclave, door, fetched)
    return Planned(hop, skill, enclave.name, query.label, text, refused, decision.reason, ahead, held)


def _fetching(planned: Iterable[Planned]) -> _Fetched:
    return {(one.enclave, one.label) for one in planned if one.ahead}


def _held(query: Query, enclave: Enclave, door: Retriever, fetched: _Fetched) -> bool:
    """Whether a query that may not be sent to an enclave can be searched among passages of it."""
    if door.decision(query, enclave).allowed:
        return False
    return any(name == enclave.name and label <= query.label for name, label in fetched)


def _grown(
    query: Query, hits: tuple[Hit, ...], door: Retriever, fetched: _Fetched
) -> Iterator[tuple[Label, tuple[Hit, ...]]]:
    """The labels of chains one hop longer, each with passages without text that stand for those of such a chain."""
    asked = query.follow(hits)
    for enclave in door.enclaves.values():
        sent = door.decision(asked, enclave).allowed and enclave.name in door.indexes
        if sent or _held(asked, enclave, door, fetched):
            nothing = Passage("", "", enclave.name, "", "", 0, 0)
            longer = (*hits, Hit(nothing, 0.0, enclave.label, Skill.SINGLE))
            yield query.follow(longer).label, longer


_RELATIVE = r"(?:(?:of|in|on|at|by|for|to|from|with|after|beside|near) )?(?:who|whom|whose|which|where|that(?! of\b))\b"
_ASKING = r"(?:who|whose|what|when|where|which|how|why)\b"
_JOINTS = re.compile(rf"(?:,? +)(?={_RELATIVE})|[;,] *(?:and|or|but) +|,? +and +(?={_ASKING})", re.IGNORECASE)
_OPENING = re.compile(rf"^(?:{_RELATIVE}|{_ASKING}) +", re.IGNORECASE)
_ASKED = frozenset("what how whose why whom did do does is are was were has have had can could will would".split())


def parts(question: str) -> tuple[str, ...]:
    """Clauses of a question, then the names in it, each once and none of them the whole; often there are none."""
    clauses = [_OPENING.sub("", clause).strip(" ,;?.!") for clause in _JOINTS.split(question)]
    spans = [(start, end) for start, end in named_spans(question) if start > 0 or " " in question[start:end]]
    names = [question[start:end] for start, end in spans]
    found = dict.fromkeys(clause for clause in clauses if " " in clause)
    found |= dict.fromkeys(name for name in names if name.lower() not in _ASKED)
    whole = {question, question.strip(" ?"), _OPENING.sub("", question).strip(" ,;?.!")}
    return tuple(part for part in found if part not in whole)
