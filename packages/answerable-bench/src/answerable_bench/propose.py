"""Questions for the pairs, by template or by a model, held to the rules; two passages give one at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from answerable.types import Passage
from answerable_bench.gather import read_passages
from answerable_bench.occurrences import Occurrences
from answerable_bench.pairs import Pair, read_pairs
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.proposal import Proposal, as_record, from_record
from answerable_bench.rules import RULES, Case, World, mails_of, objection
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl
from answerable_bench.templates import by_template

FILE = "proposals.jsonl"
_MOST = 8  # questions of a pair that are held to the rules

Proposer = Callable[[Pair, tuple[Passage, Passage]], Iterable[Proposal]]
"""Makes questions of a pair, the better first."""


def write_proposals(folder: Path, plan: Plan, model: Proposer | None, progress: Progress) -> Counts:
    """Propose questions and write those that no rule objects to; what each rule took away.

    A model, where there is one, is asked after the templates have found nothing that stands.
    """
    world = open_world(folder)
    objections: Counter[str] = Counter()
    used: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    seen: set[str] = set()
    taken: set[frozenset[str]] = set()
    counts = dict.fromkeys(("pairs", "pairs with a question", "questions"), 0)

    def chosen() -> Iterator[Proposal]:
        for pair in read_pairs(folder):
            counts["pairs"] += 1
            if counts["pairs"] % 1000 == 0:
                progress("questions", counts["pairs"], 0)
            passages = world.passages[pair.passages[0]], world.passages[pair.passages[1]]
            if frozenset(pair.passages) in taken or _spent(pair, used, plan):
                continue
            proposals = _proposed(pair, passages, world, model)
            asked = False
            for proposal in islice(proposals, _MOST):
                asked = True
                counts["questions"] += 1
                refused = objection(Case(proposal, passages), world)
                if refused is None and proposal.question not in seen:
                    seen.add(proposal.question)
                    taken.add(frozenset(pair.passages))
                    used[0].update(_entities(pair))
                    used[1].update(pair.passages)
                    yield proposal
                    break
                objections[refused[0] if refused else "asked before"] += 1
            counts["pairs with a question"] += asked

    kept: Counter[str] = Counter()

    def counted() -> Iterator[dict[str, object]]:
        for proposal in chosen():
            kept[f"kept {proposal.slice} {proposal.kind}"] += 1
            yield as_record(proposal)

    counts["kept"] = write_jsonl(folder / FILE, counted())
    counts |= {f"not {rule.__name__}": objections[rule.__name__] for rule in RULES}
    counts["asked before"] = objections["asked before"]
    return counts | {name: kept[name] for name in sorted(kept, key=lambda name: (SLICES.index(name[5:7]), name))}


def read_proposals(folder: Path) -> list[Proposal]:
    """The questions that stood, in order."""
    return [from_record(row) for row in read_jsonl(folder / FILE)]


def open_world(folder: Path) -> World:
    """All passages of a build, and where their words stand."""
    private = read_passages(folder, PRIVATE)
    passages = {**read_passages(folder, PUBLIC), **private}
    return World(passages, Occurrences(passages.values()), mails_of(private))


def _proposed(
    pair: Pair, passages: tuple[Passage, Passage], world: World, model: Proposer | None
) -> Iterator[Proposal]:
    yield from by_template(pair, passages, world.occurrences.counts)
    if model is not None:
        yield from model(pair, passages)


def _entities(pair: Pair) -> set[str]:
    return {name.lower() for name in pair.names}


def _spent(pair: Pair, used: tuple[Counter[str], Counter[str]], plan: Plan) -> bool:
    """Whether an entity or a passage of the pair has given its questions."""
    entities, passages = used
    return any(entities[name] >= plan.per_entity for name in _entities(pair)) or any(
        passages[id] >= plan.per_passage for id in pair.passages
    )
