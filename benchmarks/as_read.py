"""What `answerable read` answers to ConditionalQA's questions and ShARC's turns, and against what it answered before.

    python benchmarks/as_read.py --data DATA --workspace DIR [--limit 150] [--against ROWS] [--json FILE]

Every question goes through `documents.answering.answer`, as on the command line, with its scenario and the turns
before it. ConditionalQA: F1 and EM of the answer (a "yes, if" counts as yes), and of the questions for yes or no the
shares that are right, wrong and not decided. ShARC's Easy: the decision is right, where to ask is `More`, to say that
nothing is said is `Irrelevant`, and anything else that is no yes or no is neither. Rows are kept in the workspace
under the commit; `--against` compares with the rows of another, by paired bootstrap over the questions that both were
asked (`of`).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import common
from answerable.documents.answering import Known, answer
from answerable.encoders.choose import SKILLS
from answerable.evaluation.long.asked import LongQuestion
from answerable.evaluation.long.open import open_guide
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.tasks import conversing, navigating
from answerable.evaluation.tasks.long import Shelves, survey
from answerable.types import Reading
from answerable.workspace.models import open_reader

SETS = (("conditionalqa", navigating.wanted), ("sharc", conversing.wanted))


def scores(asked: LongQuestion, reading: Reading) -> dict[str, float]:
    """What one answer is worth; see the module."""
    said = (reading.text or "").partition(",")[0] if reading.conditions else reading.text or ""
    if conversing.wanted(asked):
        nothing = "Irrelevant" if "says nothing" in (reading.reason or "") else ""
        decision = "More" if reading.ask else said.capitalize() if said in ("yes", "no") else nothing
        return {"Easy": float(decision == asked.kind)}
    found = {"F1": f1(said, asked.answers), "EM": exact(said, asked.answers)} if asked.answers else {}
    if asked.kind in ("yes", "no"):
        decided = said in ("yes", "no")
        right = float(said == asked.kind)
        found |= {"yes or no right": right, "wrong": float(decided) - right, "not decided": float(not decided)}
    return found


def run(given: argparse.Namespace, path: Path) -> None:
    """Ask all of it, a line of JSON a question."""
    ranker: Any = open_reader(SKILLS, 1)[0]
    guide = replace(open_guide(SKILLS, "span", 1)[0], ranker=ranker)
    shelves = Shelves(guide.navigator)
    with path.open("w", encoding="utf-8") as kept:
        for name, wanted in SETS:
            for document, some in survey(given.data, name, "report", wanted, given.limit, 25).documents:
                for asked in some:
                    shelf, _ = shelves.open(document)
                    reading = answer(guide, shelf, asked.text, Known(asked.scenario, asked.history))
                    row = {"set": name, "id": asked.id, "scores": scores(asked, reading)}
                    print(json.dumps(row), file=kept, flush=True)


def rows(path: Path) -> dict[tuple[str, str], dict[str, float]]:
    """The scores of a run by set and question."""
    return {(one["set"], one["id"]): one["scores"] for one in common.rows(path)}


def figures(
    ours: dict[tuple[str, str], dict[str, float]], theirs: dict[tuple[str, str], dict[str, float]] | None
) -> Any:
    """Means of each set, and with another run the differences from it."""
    table: dict[str, Any] = {}
    for name, _ in SETS:
        mine = {key: one for key, one in ours.items() if key[0] == name}
        table[name] = {"questions": len(mine)}
        for measure in dict.fromkeys(measure for one in mine.values() for measure in one):
            now = {key: one[measure] for key, one in mine.items() if measure in one}
            told: dict[str, Any] = {"n": len(now), "now": common.mean(now.values(), 100)}
            if theirs is not None:
                both = [key for key in now if measure in theirs.get(key, {})]
                before = [theirs[key][measure] for key in both]
                apart = paired_bootstrap(before, [now[key] for key in both])
                told |= {"before": common.mean(before, 100), "by": 100 * apart.mean, "p": apart.p, "of": len(both)}
            table[name][measure] = told
    return table


def main(words: list[str] | None = None) -> None:
    """Ask, and print the means."""
    parser = common.parser(__doc__, "data", "workspace", limit=150)
    parser.add_argument("--against", type=Path, metavar="ROWS", help="the rows of another commit")
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    path = given.workspace / f"as-read-{common.commit()}.jsonl"
    if not path.exists():
        run(given, path)
    table = figures(rows(path), rows(given.against) if given.against else None)
    common.tell(given.json, table)


if __name__ == "__main__":
    main()
