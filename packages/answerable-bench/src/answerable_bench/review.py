"""Questions before people: a table (CSV) to read, correct and judge, and the way back (section 4.3: validation).

The table shows both passages, their sentences numbered, and the hint. Whoever reviews writes a verdict (accepted,
edited or rejected) and a reason, and may change the question, the answer and the sentence numbers. Only those columns
are read back, and what is left empty in them, or is not there, stays as it was. An edited question is held to the rules
again. What was reviewed survives a new build of the same pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from answerable.errors import FormatError, UsageError
from answerable.types import Passage
from answerable_bench.grammar import numbered
from answerable_bench.pairs import Proposal, from_record
from answerable_bench.propose import FILE as PROPOSALS
from answerable_bench.propose import open_world, read_proposals
from answerable_bench.rules import Case, World, objection
from answerable_bench.stages import Counts, read_jsonl, read_table, write_jsonl, write_table

FILE = "reviews.jsonl"
ACCEPTED, EDITED, REJECTED = "accepted", "edited", "rejected"
VERDICTS = (ACCEPTED, EDITED, REJECTED)
COLUMNS = (
    "id",
    "slice",
    "kind",
    "verdict",
    "reason",
    "question",
    "answer",
    "sentences 1",
    "sentences 2",
    "hint",
    "passage 1",
    "passage 2",
)
_READ = 9
"""So many columns come back."""


def export(folder: Path, path: Path) -> int:
    """Write the table of all questions, those reviewed with their verdicts; how many there are.

    Raises `UsageError` where nothing was built yet.
    """
    proposals = _proposed(folder)
    verdicts = {row["question"]["id"]: row for row in _reviewed(folder)}
    world = open_world(folder)

    def rows() -> Iterator[list[str]]:
        for proposal in proposals:
            row = verdicts.get(proposal.id, {})
            shown = from_record(row["question"]) if row else proposal
            passages = [world.passages[id] for id in shown.passages]
            yield _cells(shown, passages, row.get("verdict", ""), row.get("reason", ""))

    write_table(path, COLUMNS, rows())
    return len(proposals)


def take_in(folder: Path, path: Path) -> Counts:
    """Read a table back and keep its verdicts; counts by verdict, and those still without one.

    A question has the same id in every build that makes it; rows on those that this one did not make are counted.
    Raises `FormatError` with the row's number where a verdict is none of the three, a rejection gives no reason, or an
    edited question breaks a rule; then nothing is kept.
    """
    proposals = {proposal.id: proposal for proposal in _proposed(folder)}
    world = cache(lambda: open_world(folder))  # of all passages: only where a question was changed
    kept = {row["question"]["id"]: row for row in _reviewed(folder)}
    strange = 0
    for number, cells in read_table(path, ("id", "verdict"), COLUMNS[:_READ]):
        proposal, verdict = proposals.get(cells["id"]), cells["verdict"].strip().lower()
        if proposal is None or not verdict:
            strange += proposal is None
            continue
        if verdict not in VERDICTS:
            raise FormatError(f"row {number} of {path} has no verdict of {', '.join(VERDICTS)}", hint="correct it")
        question = _read(proposal, cells, verdict, world, f"row {number} of {path}")
        kept[proposal.id] = {"question": asdict(question), "verdict": verdict, "reason": cells["reason"].strip()}
    write_jsonl(folder / FILE, (kept[id] for id in proposals if id in kept))
    found = Counter(row["verdict"] for id, row in kept.items() if id in proposals)
    told = {verdict: found[verdict] for verdict in VERDICTS}
    return {**told, "open": len(proposals) - found.total(), "of other builds": strange}


def judged(folder: Path) -> Iterator[tuple[Proposal, bool]]:
    """The questions that nobody rejected, as edited, and whether somebody has reviewed each."""
    verdicts = {row["question"]["id"]: row for row in _reviewed(folder)}
    for proposal in _proposed(folder):
        row = verdicts.get(proposal.id)
        if row is None or row["question"]["passages"] != list(proposal.passages):
            yield proposal, False
        elif row["verdict"] != REJECTED:
            yield from_record(row["question"]), True


def _proposed(folder: Path) -> list[Proposal]:
    if not (folder / PROPOSALS).is_file():
        raise UsageError(f"{folder} holds no proposed questions", hint="answerable-bench build --out DIR first")
    return read_proposals(folder)


def _reviewed(folder: Path) -> list[dict[str, Any]]:
    return list(read_jsonl(folder / FILE)) if (folder / FILE).is_file() else []


def _cells(proposal: Proposal, passages: Sequence[Passage], verdict: str, reason: str) -> list[str]:
    hint = " / ".join(dict.fromkeys(proposal.names))
    shown = [f"{passage.title}\n\n{numbered(passage.text)}" for passage in passages]
    numbers = [" ".join(map(str, given)) for given in proposal.sentences]
    return [
        proposal.id, proposal.slice, proposal.kind, verdict, reason, proposal.question, proposal.answer, *numbers, hint,
        *shown,
    ]  # fmt: skip


def _read(
    proposal: Proposal, cells: Mapping[str, str], verdict: str, world: Callable[[], World], where: str
) -> Proposal:
    """The question as reviewed. Raises `FormatError` where it may not stand so."""
    if verdict == REJECTED:
        if not cells["reason"].strip():
            raise FormatError(f"{where} is rejected without a reason", hint="write one")
        return proposal
    question = " ".join(cells["question"].split()) or proposal.question
    answer = cells["answer"].strip() or proposal.answer
    told = (cells["sentences 1"], cells["sentences 2"])
    one, other = (_numbers(cell, where) or own for cell, own in zip(told, proposal.sentences, strict=True))
    numbers = (one, other)
    changed = (question, answer, numbers) != (proposal.question, proposal.answer, proposal.sentences)
    if not changed:
        return proposal
    if verdict != EDITED:
        raise FormatError(f"{where} was changed and is called {verdict}", hint="call it edited")
    edited = replace(proposal, question=question, answer=answer, sentences=numbers)
    held = world()
    passages = held.passages[edited.passages[0]], held.passages[edited.passages[1]]
    if refused := objection(Case(edited, passages), held):
        raise FormatError(f"{where}: {refused[1]}", hint="change the question, or reject it")
    return edited


def _numbers(cell: str, where: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in cell.replace(",", " ").split())
    except ValueError:
        raise FormatError(f"{where} has sentence numbers that are none", hint="write whole numbers, from 0") from None
