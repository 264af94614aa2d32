"""Questions made of a pair by template: a clue from the first passage, a fact from the second; or a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from answerable.training.skills.titles import spans_of
from answerable.types import Passage
from answerable_bench.clean import HEADER
from answerable_bench.clues import Clue, clues
from answerable_bench.facts import MEASURED, Fact, page_facts
from answerable_bench.mail_facts import mail_facts
from answerable_bench.names import PERSON
from answerable_bench.pairs import BRIDGE, Pair
from answerable_bench.proposal import Proposal, of_pair

_MENTIONS = 4  # places of a passage where an entity is looked at
_FIRST = {
    "born": "Who was born first, {} or {}?",
    "died": "Who died first, {} or {}?",
    "founded": "Which {noun} was founded first, {} or {}?",
    "opened": "Which {noun} opened first, {} or {}?",
    "released": "Which {noun} was released first, {} or {}?",
    "published": "Which {noun} was published first, {} or {}?",
}
_MORE = {
    "population": "Which {noun} has more inhabitants, {} or {}?",
    "capacity": "Which {noun} holds more people, {} or {}?",
    "raised": "Which {noun} received more money, {} or {}?",
}
_SAME = {
    "based": "Are {} and {} based in the same place?",
    "located": "Are {} and {} located in the same place?",
    "birthplace": "Were {} and {} born in the same place?",
    "county": "Do {} and {} lie in the same county?",
    "position": "Do {} and {} hold the same position?",
}


def by_template(pair: Pair, passages: tuple[Passage, Passage], counts: Mapping[str, int]) -> Iterator[Proposal]:
    """The questions templates make of a pair, the better first; `counts` are the words of the mails."""
    if pair.kind == BRIDGE:
        yield from _bridge(pair, passages, counts)
    else:
        yield from _comparison(pair, passages, counts)


def _bridge(pair: Pair, passages: tuple[Passage, Passage], counts: Mapping[str, int]) -> Iterator[Proposal]:
    said = [clue for span in _spans(pair, passages, 0) for clue in _clues(pair, passages[0], span)]
    if not said:
        return
    facts = _facts(pair, passages, 1, counts)
    for fact in sorted(facts, key=lambda fact: fact.about.startswith("sent")):
        for clue in said:
            if clue.form == "header" and fact.about.startswith("sent"):
                continue  # a mail found by a mail of the same person tells nothing of that person
            question = fact.question.replace("{}", clue.text)
            supporting = ((clue.sentence,), (fact.sentence,))
            yield of_pair(pair, question, fact.answer, supporting, clue.text, fact.about)


def _clues(pair: Pair, passage: Passage, span: tuple[int, int]) -> list[Clue]:
    return clues(passage, pair.names[0], pair.noun, pair.sort, span)


def _facts(pair: Pair, passages: tuple[Passage, Passage], which: int, counts: Mapping[str, int]) -> list[Fact]:
    passage = passages[which]
    if passage.enclave == "public":
        return list(page_facts(passage.text, pair.sort))
    return [fact for span in _spans(pair, passages, which) for fact in mail_facts(passage, pair.sort, span, counts)]


def _spans(pair: Pair, passages: tuple[Passage, Passage], which: int) -> list[tuple[int, int]]:
    """Where the entity stands in a passage: as written in the pair first, then wherever its name stands."""
    given = pair.spans[which]
    if given == (0, 0):
        return [given]
    found = spans_of(pair.names[which], passages[which].text)
    return list(dict.fromkeys([given, *found]))[:_MENTIONS]


def _comparison(pair: Pair, passages: tuple[Passage, Passage], counts: Mapping[str, int]) -> Iterator[Proposal]:
    ones, others = ({fact.about: fact for fact in _facts(pair, passages, which, counts)} for which in (0, 1))
    one_name, other_name = pair.names
    for about in sorted(ones.keys() & others.keys(), key=lambda about: (about in _SAME, about)):
        one, other = ones[about], others[about]
        supporting = ((one.sentence,), (other.sentence,))
        if about in MEASURED and one.measure is not None and other.measure is not None:
            if one.measure == other.measure or int(one.measure) == int(other.measure):
                continue
            first = one.measure < other.measure
            asked = _FIRST.get(about) or _MORE.get(about, "")
            if asked:
                answer = one_name if first == (about in _FIRST) else other_name
                question = asked.replace("{noun}", pair.noun).format(one_name, other_name)
                yield of_pair(pair, question, answer, supporting, about=about)
        elif about in _SAME and (answer := _same(one.answer, other.answer)):
            yield of_pair(pair, _SAME[about].format(one_name, other_name), answer, supporting, about=about)
    if pair.slice == "PP" and pair.sort == PERSON:
        yield from _earlier(pair, passages)


def _same(one: str, other: str) -> str:
    """Whether two answers are the same thing; empty where that is not plain ("Austin" and "Austin, Texas")."""
    mine, yours = (set(re.findall(r"\w+", answer.lower())) for answer in (one, other))
    if mine == yours:
        return "yes"
    return "" if mine & yours else "no"


def _earlier(pair: Pair, passages: tuple[Passage, Passage]) -> Iterator[Proposal]:
    """Which of two people sent their mail first."""
    headers = [HEADER.match(passage.text) for passage in passages]
    if headers[0] is None or headers[1] is None:
        return
    dates = [_date(header["date"]) for header in headers if header]
    subjects = [header["subject"].strip() for header in headers if header]
    sent = all(
        header and header.start("sender") <= span[0] < header.end("sender")
        for header, span in zip(headers, pair.spans, strict=True)
    )
    one, other = dates
    if sent and one and other and one.date() != other.date() and all(len(s.split()) > 1 for s in subjects):
        asked = [f"{name}'s “{subject}”" for name, subject in zip(pair.names, subjects, strict=True)]
        answer = pair.names[0] if one < other else pair.names[1]
        yield of_pair(
            pair, f"Whose mail was sent first, {asked[0]} or {asked[1]}?", answer, ((0,), (0,)), about="wrote"
        )


def _date(written: str) -> datetime | None:
    try:
        return datetime.strptime(written, "%A, %d %B %Y, %H:%M")
    except ValueError:
        return None
