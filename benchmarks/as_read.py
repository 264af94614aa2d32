"""What `answerable read` answers as it ships, which asks a document alone, and where it walks (`read.walk`).

    python benchmarks/as_read.py --data DATA --workspace DIR [--limit 100] [--json FILE]

Every question goes through `documents.answering.answer` in both ways, as on the command line, with its scenario and the
turns before it. Of the everyday set those that one document answers are put to it, and those that nothing answers to
two documents of their workspace, drawn with a seed; they are read where `everyday.py prepare` put them, in `everyday`
of the workspace. The other sets are questions of the report.

right, wrong: of 100 questions that the document answers, those that got an accepted answer (SQuAD's F1 of one half or
more) and those that got another; given: of those that it does not, the ones that got any. F1: of the answer, 0 without
one; a "yes, if" counts as yes. Of ConditionalQA and ShARC besides: of questions for yes or no the shares that are right
and wrong; and the decision (Easy) is right, where to ask is `More`, to say that nothing is said is `Irrelevant`, and
anything else that is no yes or no is neither. Differences are tested by paired bootstrap. Rows are kept in the
workspace under the commit.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import common
from answerable.documents.answering import Known, answer
from answerable.engine import OWNER
from answerable.evaluation.long.asked import LongQuestion
from answerable.evaluation.metrics.answers import f1
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.tasks import conversing, navigating
from answerable.evaluation.tasks.long import survey
from answerable.types import Document, Reading
from answerable.workspace.documents import DocumentReader
from answerable.workspace.settings import load
from everyday import NAMES
from everyday_corpora import half_of, questions
from everyday_scores import right

PLAIN = ("hotpotqa", "musique", "2wikimultihopqa", "squad", "nq", "covidqa")
RULES = ("conditionalqa", "sharc")
HALVES = ("develop", "report")
WAYS = ("asked", "walked")
ELSEWHERE = 2
"""Documents that a question is put to which nothing answers."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question to a document, and what an answer to it is worth."""

    set: str
    id: str
    document: Document
    text: str
    scores: Callable[[Reading], dict[str, float]]
    known: Known = Known()


def scores_of(asked: LongQuestion) -> Callable[[Reading], dict[str, float]]:
    """What one answer to a question of a data set is worth; see the module."""

    def scores(reading: Reading) -> dict[str, float]:
        said = (reading.text or "").partition(",")[0] if reading.conditions else reading.text or ""
        if conversing.wanted(asked):
            nothing = "Irrelevant" if "says nothing" in (reading.reason or "") else ""
            decision = "More" if reading.ask else said.capitalize() if said in ("yes", "no") else nothing
            return {"Easy": float(decision == asked.kind)}
        found = dict[str, float]()
        if asked.answers:
            found["F1"] = f1(said, asked.answers)
            found |= {"right": float(found["F1"] >= 0.5), "wrong": float(bool(said) and found["F1"] < 0.5)}
        if asked.kind in ("yes", "no"):
            fits, decided = said == asked.kind, said in ("yes", "no")
            found |= {"yes or no right": float(fits), "yes or no wrong": float(decided and not fits)}
        return found

    return scores


def everyday_scores(row: dict[str, Any]) -> Callable[[Reading], dict[str, float]]:
    """What one answer to an everyday question is worth."""

    def scores(reading: Reading) -> dict[str, float]:
        if not row["answers"]:
            return {"given": float(reading.text is not None)}
        fits = right(row, reading.text)
        return {"right": float(fits), "wrong": float(reading.text is not None and not fits)}

    return scores


def drawn(data: Path, limit: int) -> Iterator[Item]:
    """Questions of the data sets, document by document."""
    for name in (*RULES, *PLAIN):
        wanted = conversing.wanted if name == "sharc" else navigating.wanted
        for document, some in survey(data, name, "report", wanted, limit, 25).documents:
            for one in some:
                known = Known(one.scenario, one.history)
                yield Item(name, one.id, document.document, one.text, scores_of(one), known)


def everyday(place: Path, desk: DocumentReader) -> Iterator[Item]:
    """Questions of the everyday set that one document answers, or none; by workspace."""
    rows = questions()
    for workspace in sorted({row["workspace"] for row in rows}):
        folder = place / workspace
        if not (folder / "files").is_dir() or workspace.startswith("tables"):
            continue
        names = {tuple(key): name for name, key in json.loads((folder / NAMES).read_text("utf-8")).items()}
        own = [row for row in rows if row["workspace"] == workspace and not row.get("before")]
        files: dict[str, list[dict[str, Any]]] = {}
        for row in own:
            one = {names.get((gold["source"], gold["id"])) for gold in row["gold"]}
            if len(one) == 1 and (name := one.pop()) and (folder / "files" / name).is_file():
                files.setdefault(name, []).append(row)
        draw = random.Random(workspace)
        for row in own:
            for name in () if row["answers"] else draw.sample(sorted(files), min(ELSEWHERE, len(files))):
                files[name].append(row)
        for name, some in files.items():
            document = desk.converse(folder / "files" / name, OWNER).document
            for row in some:
                yield Item(
                    f"everyday, {half_of(workspace)}", f"{row['id']} {name}", document, row["question"],
                    everyday_scores(row),
                )  # fmt: skip


def run(data: Path, workspace: Path, limit: int, path: Path) -> None:
    """Ask all of it in both ways, a line of JSON a question."""
    settings = load(None, os.environ)
    read = {way: replace(settings.read, walk=way == "walked") for way in WAYS}
    desks = {way: DocumentReader(replace(settings, read=one)) for way, one in read.items()}
    done = {(row["set"], row["id"]) for row in common.kept(path)}
    items = (*everyday(workspace / "everyday", desks["asked"]), *drawn(data, limit))
    with path.open("a", encoding="utf-8") as kept:
        for item in items:
            if (item.set, item.id) in done:
                continue
            row: dict[str, Any] = {"set": item.set, "id": item.id}
            for way, desk in desks.items():
                shelf, started = desk.open(item.document), time.process_time()
                reading = answer(desk.guide(), shelf, item.text, item.known)
                row[way] = {**item.scores(reading), "seconds": time.process_time() - started}
            print(json.dumps(row), file=kept, flush=True)


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of each set in both ways, and of all plain ones; the difference that asking makes, and its p."""
    table: dict[str, Any] = {}
    groups = {**{name: {name} for name in dict.fromkeys(row["set"] for row in rows)}, "plain": {*PLAIN}}
    for name, held in groups.items():
        own = [row for row in rows if row["set"] in held]
        table[name] = {"questions": len(own)}
        for measure in dict.fromkeys(measure for row in own for measure in row["asked"]):
            pairs = [(row["walked"][measure], row["asked"][measure]) for row in own if measure in row["asked"]]
            times = 1.0 if measure == "seconds" else 100.0
            before, now = ([pair[way] for pair in pairs] for way in (0, 1))
            apart = paired_bootstrap(before, now)
            told = {way: common.mean(some, times) for way, some in zip(WAYS, (now, before), strict=True)}
            table[name][measure] = {"n": len(pairs), **told, "by": times * apart.mean, "p": apart.p}
    return table


def main(words: list[str] | None = None) -> None:
    """Ask, and print the means."""
    given = common.parser(__doc__, "data", "workspace", limit=100).parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    path = given.workspace / f"as-read-{common.commit()}.jsonl"
    run(given.data, given.workspace, given.limit, path)
    common.tell(given.json, figures(common.kept(path)))


if __name__ == "__main__":
    main()
