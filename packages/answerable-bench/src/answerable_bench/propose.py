"""Questions for the pairs, written, joined or by a model, held to the rules and read; two passages give one each way.

One is joined of a clue from the first passage and a fact from the second, or of what two pages can be compared by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from answerable.text import words
from answerable.training.skills.titles import spans_of
from answerable.types import Passage
from answerable_bench.asked import Asker
from answerable_bench.clues import Clue, clues
from answerable_bench.facts import MEASURED, Fact, page_facts
from answerable_bench.gather import mails_of, read_passages
from answerable_bench.grammar import HEADER
from answerable_bench.mail_facts import mail_facts
from answerable_bench.names import PERSON
from answerable_bench.pairs import BRIDGE, Pair, Proposal, as_record, from_record, of_pair
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.reading import UNREAD, Reads
from answerable_bench.rules import RULES, Case, Occurrences, World, objection
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl

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
}
_SAME = {
    "based": "Are {} and {} based in the same place?",
    "located": "Are {} and {} located in the same place?",
    "birthplace": "Were {} and {} born in the same place?",
    "county": "Do {} and {} lie in the same county?",
    "position": "Do {} and {} hold the same position?",
}


Proposer = Callable[[Pair, tuple[Passage, Passage]], Iterable[Proposal]]
"""Makes questions of a pair, the better first."""


def templates() -> Proposer:
    """Joins a clue and a fact, or two facts."""
    asker = Asker()
    return lambda pair, passages: _bridge(pair, passages, asker) if pair.kind == BRIDGE else _comparison(pair, passages)


def _bridge(pair: Pair, passages: tuple[Passage, Passage], asker: Asker) -> Iterator[Proposal]:
    said = [clue for span in _spans(pair, passages, 0) for clue in _clues(pair, passages[0], span)]
    if not said:
        return
    facts = [*_facts(pair, passages, 1), *asker.facts(passages[1], pair.names[1])]
    for fact in sorted(facts, key=lambda fact: fact.about.startswith("sent")):
        for clue in said:
            if clue.form == "header" and pair.sort == PERSON and fact.about.startswith("sent"):
                continue  # a mail found by a mail of the same person tells nothing of that person
            if {pair.noun, f"{pair.noun}s"} & set(words(fact.question)):
                continue  # "which city is the city that"
            question = fact.question.replace("{}", clue.text)
            supporting = ((clue.sentence,), (fact.sentence,))
            yield of_pair(pair, question, fact.answer, supporting, clue.text, fact.about)


def _clues(pair: Pair, passage: Passage, span: tuple[int, int]) -> list[Clue]:
    return clues(passage, pair.names[0], pair.noun, pair.sort, span, pair.alone)


def _facts(pair: Pair, passages: tuple[Passage, Passage], which: int) -> list[Fact]:
    passage = passages[which]
    if passage.enclave == "public":
        return list(page_facts(passage.text, pair.sort))
    return [fact for span in _spans(pair, passages, which) for fact in mail_facts(passage, pair.sort, span)]


def _spans(pair: Pair, passages: tuple[Passage, Passage], which: int) -> list[tuple[int, int]]:
    """Where the entity stands in a passage: as written in the pair first, then wherever its name stands."""
    given = pair.spans[which]
    if given == (0, 0):
        return [given]
    found = spans_of(pair.names[which], passages[which].text)
    return list(dict.fromkeys([given, *found]))[:_MENTIONS]


def _comparison(pair: Pair, passages: tuple[Passage, Passage]) -> Iterator[Proposal]:
    ones, others = ({fact.about: fact for fact in _facts(pair, passages, which)} for which in (0, 1))
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


FILE, REFUSED = "proposals.jsonl", "refused.jsonl"
AGAIN = "asked before"
_MOST = 8  # questions of a pair that are held to the rules


def write_proposals(
    folder: Path, plan: Plan, pairs: Sequence[Pair], proposers: Sequence[Proposer], progress: Progress
) -> Counts:
    """Propose questions of the pairs in turn and write those that no rule objects to; what each rule took away.

    A proposer is asked where those before it have found nothing that stands.
    """
    world, reads = open_world(folder), Reads()
    refused: list[dict[str, object]] = []
    used: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    seen: set[str] = set()
    taken: set[tuple[str, str]] = set()
    counts = dict.fromkeys(("pairs", "pairs with a question", "questions"), 0)

    def chosen() -> Iterator[Proposal]:
        for pair in pairs:
            counts["pairs"] += 1
            if counts["pairs"] % 1000 == 0:
                progress("questions", counts["pairs"], 0)
            passages = world.passages[pair.passages[0]], world.passages[pair.passages[1]]
            if pair.passages in taken or _spent(pair, used, plan):
                continue
            asked = False
            for proposal in islice((one for propose in proposers for one in propose(pair, passages)), _MOST):
                asked = True
                counts["questions"] += 1
                why = objection(Case(proposal, passages), world) or reads.objection(proposal, passages)
                if why is None and proposal.question in seen:
                    why = AGAIN, "another pair has the same question"
                if why is None:
                    seen.add(proposal.question)
                    taken.add(pair.passages)
                    used[0].update(_entities(pair))
                    used[1].update(pair.passages)
                    yield proposal
                    break
                refused.append({"pair": pair.id, "by": proposal.by, "rule": why[0], "reason": why[1],
                                "question": proposal.question, "answer": proposal.answer})  # fmt: skip
            counts["pairs with a question"] += asked

    kept: Counter[str] = Counter()

    def counted() -> Iterator[dict[str, object]]:
        for proposal in chosen():
            kept[f"kept {proposal.slice} {proposal.kind}"] += 1
            yield as_record(proposal)

    counts["kept"] = write_jsonl(folder / FILE, counted())
    write_jsonl(folder / REFUSED, refused)
    objections = Counter(row["rule"] for row in refused)
    counts |= {f"not {rule.__name__}": objections[rule.__name__] for rule in RULES}
    counts |= {why: objections[why] for why in (*UNREAD, AGAIN)}
    return counts | {name: kept[name] for name in sorted(kept, key=lambda name: (SLICES.index(name[5:7]), name))}


def read_proposals(folder: Path) -> list[Proposal]:
    """The questions that stood, in order."""
    return [from_record(row) for row in read_jsonl(folder / FILE)]


def open_world(folder: Path) -> World:
    """All passages of a build, and where their words stand."""
    private = read_passages(folder, PRIVATE)
    passages = {**read_passages(folder, PUBLIC), **private}
    return World(passages, Occurrences(passages.values()), mails_of(private))


def _entities(pair: Pair) -> set[str]:
    return {name.lower() for name in pair.names}


def _spent(pair: Pair, used: tuple[Counter[str], Counter[str]], plan: Plan) -> bool:
    """Whether an entity or a passage of the pair has given its questions."""
    entities, passages = used
    return any(entities[name] >= plan.per_entity for name in _entities(pair)) or any(
        passages[id] >= plan.per_passage for id in pair.passages
    )
