"""How well judges tell what fits a constraint, on lessons of nouns that nothing was trained on.

    python benchmarks/judge_unseen.py --lessons FILE --judges before=DIR after=skills [--limit N] [--json FILE]

`--lessons` are what `recipes/constraint-lessons.toml` writes for a part that was not learned from. A text's answers are
ranked by each judge: average precision over texts that have both kinds, and the log loss and the share decided rightly
(from 0.5 on, as calibrated) over all. Differences are paired by text. `kinds` are the same by what a constraint says.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import common
from answerable.encoders.choose import encoder_folder
from answerable.encoders.constraints import ConstraintJudge
from answerable.encoders.shipped import open_shipped
from answerable.evaluation.metrics.ranking import average_precision
from answerable.training.sets.draw import Lesson, read_lessons

KINDS = (
    ("time", re.compile(r"\d{4}")),
    ("place", re.compile(r"\b(?:in|from|located|are) (?:the )?[A-Z]")),
    ("people or works of a country", re.compile(r"[A-Z]")),
    ("type", re.compile(r"")),
)
SMALL = 1e-4


def kind(text: str) -> str:
    """What a constraint says beside its noun."""
    return next(name for name, form in KINDS if form.search(text))


def measured(judge: ConstraintJudge, lessons: Sequence[Lesson]) -> dict[str, list[float | None]]:
    """Of each text: its average precision (None: one kind of answers alone), its log loss, and the share that is right;
    under the name of each kind of constraint the share that is right of these."""
    found: defaultdict[str, list[float | None]] = defaultdict(list)
    for one in lessons:
        words, labels = zip(*one.asked, strict=True)
        shares = judge.judge(words, [one.text])[0].astype(float)
        fits = {str(at): 1 for at, label in enumerate(labels) if label}
        ranking = sorted(map(str, range(len(words))), key=lambda at: (-shares[int(at)], at))
        right = [(share >= 0.5) == bool(label) for share, label in zip(shares, labels, strict=True)]
        likely = np.where(np.array(labels) > 0, shares, 1 - shares).clip(SMALL, 1)
        found["average precision"].append(average_precision(ranking, fits) if 0 < len(fits) < len(words) else None)
        found["log loss"].append(float(-np.log(likely).mean()))
        found["right"].append(sum(right) / len(right))
        for name, _ in KINDS:
            held = [ok for ok, text in zip(right, words, strict=True) if kind(text) == name]
            found[f"right: {name}"].append(sum(held) / len(held) if held else None)
    return dict(found)


def changes(
    before: Mapping[str, Sequence[float | None]], after: Mapping[str, Sequence[float | None]]
) -> dict[str, dict[str, float]]:
    """What changed on the same texts."""
    both = {
        name: [(a, b) for a, b in zip(values, after[name], strict=True) if a is not None and b is not None]
        for name, values in before.items()
    }
    return {name: common.change(pairs) for name, pairs in both.items() if pairs}


def main(words: list[str] | None = None) -> None:
    """Measure each judge, and each against the first."""
    parser = common.parser(__doc__, limit=600)
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--judges", nargs="+", required=True)
    given = parser.parse_args(words)
    lessons = read_lessons(given.lessons, "lessons")
    lessons = random.Random(common.SEED).sample(lessons, min(given.limit, len(lessons)))
    figures: dict[str, object] = {"texts": len(lessons)}
    first: dict[str, list[float | None]] = {}
    for said in given.judges:
        name, _, folder = said.rpartition("=")
        rows = measured(ConstraintJudge(open_shipped(encoder_folder(folder)), 1), lessons)
        first = first or rows
        told = {key: common.mean(one for one in values if one is not None) for key, values in rows.items()}
        figures[name or folder] = told | {"change": changes(first, rows)}
        print(name or folder, *(f"{key} {value:.4f}" for key, value in told.items()), sep="  ", flush=True)
    common.write(given.json, figures, len(lessons))


if __name__ == "__main__":
    main()
