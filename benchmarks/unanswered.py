"""How often a plain question that nothing answers is answered all the same, over mail, notes, papers and tables.

    python benchmarks/unanswered.py --workspace DIR [--json FILE]

The questions of `benchmarks/everyday/unanswered-report.jsonl`, written before any was asked and about things that no
text of these speaks of, each in every larger workspace of the everyday set's reported half (`everyday.py prepare` makes
them in a folder `everyday` of --workspace). Whatever is answered is wrong. `yes or no`: questions that ask for it.
"""

from __future__ import annotations

from typing import Any

import answerable
import common
from answerable.text import is_polar
from everyday import SPACE
from everyday_corpora import HERE, REPORT

QUESTIONS = HERE / "unanswered-report.jsonl"
LATER = frozenset({"manuals-b", "help-b"})
"""Workspaces that came after the questions: nobody has looked whether they answer one."""


def main(words: list[str] | None = None) -> None:
    """Ask each question in each workspace that is there."""
    given = common.parser(__doc__, "workspace").parse_args(words)
    asked = [row["question"] for row in common.rows(QUESTIONS)]
    answered: dict[bool, list[float]] = {True: [], False: []}
    for name in sorted(REPORT - LATER):
        with answerable.open(given.workspace / "everyday" / name / SPACE) as opened:
            for question in asked:
                answer = opened.ask(question)
                answered[is_polar(question)].append(float(answer.text is not None))
                if answer.text is not None:
                    print(f"{name}: {question} {answer.text} {answer.confidence:.2f}", flush=True)
    figures: dict[str, Any] = {
        kind: {"questions": len(held), "answered %": common.mean(held, 100)}
        for kind, held in (("yes or no", answered[True]), ("others", answered[False]))
    }
    common.tell(given.json, figures, [one["questions"] for one in figures.values()])


if __name__ == "__main__":
    main()
