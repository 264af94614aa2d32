"""The sealed cases, once: how a learned test and the rules tell questions apart.

    python benchmarks/sealed.py --data DATA

`benchmarks/polarity/sealed.jsonl` holds 600 cases on real text, near misses and paraphrases, with their passages
(`polarity_passages.py`). Nobody who built the test had looked at them, nor run anything on them, before this run.
`learned`: the model that reads both questions, and the pair's passage read with the question as asked; `unread`: the
model alone, as for pairs without a passage; `rules`: words, forms and lists (`qapairs.equivalence`). Both were weighed
at the border that was chosen on development cases. Since that run what the rules find is weighed in the test too
(`same_weighing.py`), so that running this again measures another test, on cases that are no longer sealed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import common
from answerable.encoders.choose import SKILLS
from answerable.qapairs.equivalence.verify import verify
from answerable.qapairs.same import SameTest
from answerable.types import PUBLIC, Hit, Passage, QAPair, Skill
from answerable.workspace.models import open_same
from polarity import Case, by_kind
from polarity_passages import read_sealed, with_passages


def tests(same: SameTest) -> dict[str, Callable[[dict[str, Any]], bool]]:
    """Whether a case with its passage is let through, by name."""

    def hit(row: dict[str, Any]) -> Hit:
        passage = Passage("p", "d", "e", row["title"], row["passage"], 0, len(row["passage"]))
        pair = QAPair("q", row["question"], (row["answer"],), "p", "e", 1.0)
        return Hit(passage, 1.0, PUBLIC, Skill.MATCH, pair)

    def unread(row: dict[str, Any]) -> float:
        return same.odds(row["asked"], [hit(row)])[0]

    return {
        "rules": lambda row: verify(row["asked"], row["question"], row["answer"]).same,
        "unread": lambda row: unread(row) >= 0,
        "learned": lambda row: same.read(row["asked"], hit(row), unread(row)) >= 0,
    }


def _of(found: dict[int, bool], case: Case) -> bool:
    return found[id(case)]


def main(words: list[str] | None = None) -> None:
    """Print one JSON object."""
    given = common.parser(__doc__, "data").parse_args(words)
    rows = list(with_passages(read_sealed(), given.data))
    cases = [Case(row["asked"], row["question"], row["answer"], row["kind"], row["same"]) for row in rows]
    same = open_same(SKILLS)
    told = {name: [test(row) for row in rows] for name, test in tests(same).items()}
    report: dict[str, Any] = {"judge": same.judge.name, "cases": len(rows)}
    for name, verdicts in told.items():
        report[name] = by_kind(cases, partial(_of, dict(zip(map(id, cases), verdicts, strict=True))))
    for same_ in (True, False):
        pairs = [(a, b) for a, b, c in zip(told["learned"], told["rules"], cases, strict=True) if c.same is same_]
        won, lost = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
        what = "paraphrases kept" if same_ else "near misses let through"
        report[f"{what}, learned alone and rules alone"] = [won, lost]
    print(json.dumps(report, indent=1))
    common.write(given.json, report, len(rows))


if __name__ == "__main__":
    main()
