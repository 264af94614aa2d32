"""Questions for the pairs, by people or by a model, held to the rules and read; two passages give one each way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from answerable.types import Passage
from answerable_bench.gather import read_passages
from answerable_bench.pairs import Pair, Proposal, from_record
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.reading import UNREAD, Reads
from answerable_bench.rules import RULES, Case, Occurrences, World, objection
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl

Proposer = Callable[[Pair, tuple[Passage, Passage]], Iterable[Proposal]]
"""Makes questions of a pair, the better first."""


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
            yield asdict(proposal)

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
    passages = {**read_passages(folder, PUBLIC), **read_passages(folder, PRIVATE)}
    return World(passages, Occurrences(passages.values()))


def _entities(pair: Pair) -> set[str]:
    return {name.lower() for name in pair.names}


def _spent(pair: Pair, used: tuple[Counter[str], Counter[str]], plan: Plan) -> bool:
    """Whether an entity or a passage of the pair has given its questions."""
    entities, passages = used
    return any(entities[name] >= plan.per_entity for name in _entities(pair)) or any(
        passages[id] >= plan.per_passage for id in pair.passages
    )
