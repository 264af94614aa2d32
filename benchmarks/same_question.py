"""Whether two questions ask the same: how many paraphrases the learned test keeps, and how many near misses, by kind.

    python benchmarks/same_question.py [--model FOLDER]

Of the groups of `benchmarks/same` that are kept for development, on the first of which the threshold was chosen, and
the cases of `benchmarks/polarity/held-out.jsonl` and `sealed.jsonl` (real text), and of `benchmarks/same/unseen.jsonl`
and `harder.jsonl`, which nothing was learned from. Cases are JSONL: `a`, the question asked; `b`, a pair's question;
`same`; `kind`, a word for how they differ or are alike. In per cent, with what holds 95 % (Wilson 1927), and how many
there were.

`words`: the stand-in, which needs no weights.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.qapairs.verify import Verifier, by_words
from answerable.training.same.lessons import held_out
from answerable.workspace.models import open_verifier

HERE = Path(__file__).parent
GROUPS, MADE_TO_FOOL = (HERE / "same" / name for name in ("groups.jsonl.gz", "harder-groups.jsonl.gz"))
CASES = {
    "others": HERE / "polarity" / "held-out.jsonl",
    "unseen": HERE / "same" / "unseen.jsonl",
    "harder": HERE / "same" / "harder.jsonl",
    "real text": HERE / "polarity" / "sealed.jsonl",
}


@dataclass(frozen=True, slots=True)
class Case:
    """Two questions, and whether they ask the same."""

    a: str
    b: str
    same: bool
    kind: str


def read_cases(path: Path) -> list[Case]:
    """Cases in the form of this program, or in that of `benchmarks/polarity`."""
    rows = (row if "a" in row else {**row, "a": row["asked"], "b": row["question"]} for row in common.rows(path))
    return [Case(row["a"], row["b"], row["same"], row.get("kind", "")) for row in rows]


def share(kept: Sequence[bool]) -> dict[str, Any]:
    """How many of these are kept, in per cent, with Wilson's interval; nothing of none."""
    if not kept:
        return {"n": 0}
    share, (low, high) = sum(kept) / len(kept), common.wilson(sum(kept), len(kept))
    return {"share": common.Mean(100 * share, 100 * low, 100 * high), "n": len(kept)}


def figures(cases: Sequence[Case], verify: Verifier) -> dict[str, Any]:
    """What a verifier keeps of paraphrases and of near misses, and of each kind."""
    started = time.process_time()
    told = [(case, verify(case.a, case.b).same) for case in cases]
    each = 1000 * (time.process_time() - started) / max(1, len(cases))
    found: dict[str, Any] = {"milliseconds": each}
    for same, name in ((True, "paraphrases kept"), (False, "near misses kept")):
        own = [(case.kind, kept) for case, kept in told if case.same is same]
        found[name] = share([kept for _, kept in own])
        kinds = sorted({kind for kind, _ in own})
        found[f"{name}, by kind"] = {kind: share([kept for one, kept in own if one == kind]) for kind in kinds}
    return found


def development(path: Path = GROUPS) -> list[Case]:
    """Those of the groups of a file that were not learned from."""
    return [Case(one.one, one.other, one.same, one.kind) for one in held_out([str(path)])]


def main(words: list[str] | None = None) -> None:
    """Print the figures, one a line, and write the record."""
    parser = common.parser(__doc__)
    parser.add_argument("--model", default="skills", help="the folder of a model with a test, or skills, which ships")
    given = parser.parse_args(words)
    parts = {"development": development(), "made to fool": development(MADE_TO_FOOL)}
    parts |= {name: read_cases(path) for name, path in CASES.items()}
    systems = {"learned": open_verifier(given.model, 1), "words": by_words}
    report = {part: {name: figures(cases, verify) for name, verify in systems.items()} for part, cases in parts.items()}
    common.tell(given.json, report, sum(map(len, parts.values())))


if __name__ == "__main__":
    main()
