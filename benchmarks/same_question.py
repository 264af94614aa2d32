"""Whether two questions ask the same: how many paraphrases the learned test keeps, and how many near misses, by kind.

    python benchmarks/same_question.py [--cases FILE] [--model FOLDER]

FILE is JSONL: `a`, the question asked; `b`, a pair's question; `same`; `kind`, a word for how they differ or are alike;
`answer` and `passage`, the pair's, need not be there. Without it: the groups of `benchmarks/same` that are kept for
development, on which the threshold was chosen, and the cases of `benchmarks/polarity/held-out.jsonl` and of
`benchmarks/same/unseen.jsonl` and `harder.jsonl`, which nothing was learned from. In per cent, with what holds 95 %
(Wilson 1927), and how many there were.

`words`: the stand-in, which needs no weights.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.errors import FormatError
from answerable.qapairs.verify import Verifier, by_words
from answerable.training.same.lessons import held_out
from answerable.workspace.models import open_verifier

HERE = Path(__file__).parent
GROUPS = HERE / "same" / "groups.jsonl.gz"
OTHERS = HERE / "polarity" / "held-out.jsonl"
UNSEEN = HERE / "same" / "unseen.jsonl"
HARDER = HERE / "same" / "harder.jsonl"
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Case:
    """Two questions, and whether they ask the same."""

    a: str
    b: str
    same: bool
    kind: str


def read_cases(path: Path) -> list[Case]:
    """Cases in the form of this program, or in that of `benchmarks/polarity`. Raises `FormatError`."""
    made = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            a, b = (row["a"], row["b"]) if "a" in row else (row["asked"], row["question"])
            made.append(Case(a, b, bool(row["same"]), str(row.get("kind", ""))))
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"line {number} of {path.name} is no case: {type(error).__name__}") from error
    return made


def share(kept: Sequence[bool]) -> dict[str, Any]:
    """How many of these are kept, in per cent, with Wilson's interval; nothing of none."""
    n = len(kept)
    if not n:
        return {"n": 0}
    p, z = sum(kept) / n, _Z * _Z / n
    middle, half = (p + z / 2) / (1 + z), _Z * math.sqrt(p * (1 - p) / n + z / (4 * n)) / (1 + z)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return {"share": common.Mean(100 * p, 100 * low, 100 * high), "n": n}


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


def development() -> list[Case]:
    """Those of the groups that were not learned from."""
    return [Case(one.one, one.other, one.same, one.kind) for one in held_out([str(GROUPS)])]


def main(words: list[str] | None = None) -> None:
    """Print the figures, one a line, and write the record."""
    parser = common.parser(__doc__)
    parser.add_argument("--cases", type=Path, metavar="FILE", help="JSONL of a, b, same and kind")
    parser.add_argument("--model", default="skills", help="the folder of a model with a test, or skills, which ships")
    given = parser.parse_args(words)
    parts = {given.cases.stem: read_cases(given.cases)} if given.cases else {
        "development": development(), "others": read_cases(OTHERS), "unseen": read_cases(UNSEEN),
        "harder": read_cases(HARDER)}  # fmt: skip
    systems = {"learned": open_verifier(given.model, 1), "words": by_words}
    report = {part: {name: figures(cases, verify) for name, verify in systems.items()} for part, cases in parts.items()}
    common.tell(given.json, report, sum(map(len, parts.values())))


if __name__ == "__main__":
    main()
