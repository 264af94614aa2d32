"""Questions for the pairs, held to the rules and read; two passages give one each way.

A question that the reader is as sure of from one of its two passages alone is mostly one that the other adds nothing to
(section 4.3: who validated, here).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from answerable.evaluation.metrics.answers import f1
from answerable.readers.reader import Reader
from answerable.text import normalise_answer
from answerable.types import PUBLIC as NO_PRIVATE_TEXT
from answerable.types import Chain, Hit, Passage, Skill
from answerable.workspace.models import open_reader
from answerable_bench.gather import read_passages
from answerable_bench.pairs import BRIDGE, Pair, Proposal, from_record
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.rules import RULES, Case, Occurrences, World, objection
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl

FILE, REFUSED = "proposals.jsonl", "refused.jsonl"
AGAIN = "asked before"
_MOST = 8  # questions of a pair that are held to the rules
ALONE = "read alone"
ALIKE = 0.5
"""The F1 above which two answers are the same: "28 September 2001" and "Friday, 28 September 2001"."""


def write_proposals(
    folder: Path,
    plan: Plan,
    pairs: Sequence[Pair],
    proposed: Callable[[Pair], Iterable[Proposal]],
    progress: Progress,
) -> Counts:
    """Take the questions on each pair in turn and write those that no rule objects to; what each rule took away."""
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
            for proposal in islice(proposed(pair), _MOST):
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
    counts |= {why: objections[why] for why in (ALONE, AGAIN)}
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
    entities, passages = used
    return any(entities[name] >= plan.per_entity for name in _entities(pair)) or any(
        passages[id] >= plan.per_passage for id in pair.passages
    )


class Reads:
    """Reads questions with their passages."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader or open_reader("span")[0]

    def objection(self, one: Proposal, passages: tuple[Passage, Passage]) -> tuple[str, str] | None:
        """(name, reason) why the reader would not have a question; None where it would."""
        both = self._best(one, passages) if one.kind == BRIDGE else None
        if both is None:
            return None
        alone = [self._best(one, (passage,)) for passage in passages]
        if any(score is not None and score >= both for score in alone):
            return ALONE, "the reader is as sure of the answer from one passage alone"
        return None

    def _best(self, one: Proposal, passages: tuple[Passage, ...]) -> float | None:
        """How sure the reader is of the answer, among all that it finds in these passages; None where it is not."""
        hits = tuple(Hit(passage, 1.0, NO_PRIVATE_TEXT, Skill.SINGLE) for passage in passages)
        found = self._reader.read(one.question, [Chain(hits, 1.0, NO_PRIVATE_TEXT)])
        return max((it.score for it in found if _alike(it.text, one.answer)), default=None)


def _alike(guess: str, answer: str) -> bool:
    """Whether a guess is the answer or stands for it: guesses do not overlap, so "rigging" hides the longer one."""
    one, other = f" {normalise_answer(guess)} ", f" {normalise_answer(answer)} "
    return f1(guess, (answer,)) > ALIKE or one in other or other in one
