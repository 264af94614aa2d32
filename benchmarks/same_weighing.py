"""Fit how what is said of two questions is weighed, on development cases whose passages are there.

    python benchmarks/same_weighing.py --data DATA [--out FILE] [--cache FILE]

`benchmarks/polarity/read.jsonl` holds cases on paragraphs of SQuAD's development articles: near misses and paraphrases
written by hand, none of which anything was trained on. To them come questions of the same articles as they stand: two
of one paragraph with one answer, which lie near, and two with different answers. Weights are fitted to all of them, by
paragraphs left out in turn for what is printed. The border, which is 0 of what is written, lies where `LET_THROUGH` of
the near misses written by hand are above it: of these cases with reading, and without of `held-out.jsonl` besides.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import common
from answerable.datasets.parts import squad_part
from answerable.encoders.choose import SKILLS, open_encoder
from answerable.qapairs.same import FILE, Judge, Weighing, readings, sayings, write_weighing
from answerable.readers.reader import Reader
from answerable.selective.calibrate import fit
from answerable.training.qapairs.alike import Told, Twins, natural
from answerable.training.reading import squad
from answerable.types import PUBLIC, Hit, Passage, QAPair, Skill
from answerable.workspace.models import open_reader, open_same
from polarity import HELD_OUT, READ
from polarity_passages import with_passages

LET_THROUGH = 0.02
FOLDS = 5
DIFFERENT = 400
"""Pairs of questions as they stand, with different answers, that are learned from."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two questions, the pair's passage ("": none), and what is said of them; `hand`: written by hand."""

    twins: Twins
    title: str
    passage: str
    hand: bool
    said: tuple[float, ...] = ()
    read: tuple[float, ...] = ()


def said(case: Case, judge: Judge, reader: Reader | None) -> Case:
    """With the features."""
    one = case.twins
    pair = QAPair("q", one.question, (one.answer,), "p", "e", 1.0)
    read: tuple[float, ...] = ()
    if reader is not None and case.passage:
        passage = Passage("p", "d", "e", case.title, case.passage, 0, len(case.passage))
        read = readings(reader, one.asked, Hit(passage, 0.0, PUBLIC, Skill.MATCH, pair))
    return replace(case, said=sayings(judge, one.asked, [pair])[0], read=read)


def by_hand(data: Path) -> list[Case]:
    """Those written by hand, with their passages."""
    rows = with_passages([json.loads(line) for line in READ.read_text("utf8").splitlines()], data)
    return [Case(_twins(row), row["title"], row["passage"], True) for row in rows]


def without_passages() -> list[Case]:
    """Those written by hand that have none."""
    return [Case(_twins(json.loads(line)), "", "", True) for line in HELD_OUT.read_text("utf8").splitlines()]


def as_they_stand(data: Path) -> list[Case]:
    """Questions of SQuAD's articles that are not reported on, beside each other."""
    rng, where, ones = random.Random(3), dict[str, tuple[str, str]](), list[Told]()
    for title, one in squad(data / "squad/squad1.1.json.gz", "squad"):
        if squad_part(title) != "report" and one.answers:
            where[one.question] = (title, one.passages[0][1])
            ones.append(Told(one.question, one.answers, one.passages[0][1]))
    found = [one for one in natural(ones, open_encoder(), rng) if where[one.asked] == where[one.question]]
    wrong = [one for one in found if not one.same]
    kept = [one for one in found if one.same] + rng.sample(wrong, min(DIFFERENT, len(wrong)))
    return [Case(one, *where[one.question], hand=False) for one in kept]


def _twins(row: dict[str, object]) -> Twins:
    return Twins(str(row["asked"]), str(row["question"]), str(row["answer"]), bool(row["same"]), str(row["kind"]))


def weights(cases: Sequence[Case], reading: bool) -> tuple[float, ...]:
    """Bias and weights, fitted to cases."""
    found, bias = fit([_features(one, reading) for one in cases], [one.twins.same for one in cases])
    return bias, *found


def _features(case: Case, reading: bool) -> tuple[float, ...]:
    return (*case.said, *case.read) if reading else case.said


def scores(cases: Sequence[Case], reading: bool) -> np.ndarray:
    """Of each case what weights say that were fitted without the cases of its passage."""
    places = {passage: place for place, passage in enumerate(sorted({one.passage for one in cases}))}
    out = np.zeros(len(cases))
    for fold in range(FOLDS):
        here = [n for n, one in enumerate(cases) if places[one.passage] % FOLDS == fold]
        learned = weights([one for one in cases if places[one.passage] % FOLDS != fold], reading)
        for n in here:
            out[n] = np.dot((1.0, *_features(cases[n], reading)), learned)
    return out


def border(values: Sequence[float]) -> float:
    """The least value above which at most `LET_THROUGH` of these lie."""
    return float(np.sort(values)[::-1][int(LET_THROUGH * len(values))]) + 1e-6


def shown(name: str, values: np.ndarray, cases: Sequence[Case], least: float) -> dict[str, float]:
    """Of the cases by hand, how many lie above a border, in per cent."""
    told = {"near misses let through": False, "paraphrases kept": True}
    found = {
        kind: [value >= least for value, one in zip(values, cases, strict=True) if one.hand and one.twins.same is same]
        for kind, same in told.items()
    }
    figures = {kind: round(100 * sum(ones) / len(ones), 1) for kind, ones in found.items()}
    print(name, {kind: len(ones) for kind, ones in found.items()}, figures)
    return figures


def main(words: list[str] | None = None) -> None:
    """The command of this file."""
    parser = common.parser(__doc__, "data", record=False)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args(words)
    judge, reader = open_same(SKILLS, reading=False).judge, open_reader("span")[0]
    cases = [said(one, judge, reader) for one in (*by_hand(given.data), *as_they_stand(given.data))]
    others = [said(one, judge, None) for one in without_passages()]
    wrong = [n for n, one in enumerate(cases) if one.hand and not one.twins.same]
    read, unread = scores(cases, True), scores([*cases, *others], False)
    more = [len(cases) + n for n, one in enumerate(others) if not one.twins.same]
    least = {True: border(read[wrong].tolist()), False: border(unread[[*wrong, *more]].tolist())}
    shown("read", read, cases, least[True])
    shown("unread", unread, [*cases, *others], least[False])
    shown("unread, held out", unread[len(cases) :], others, least[False])
    fitted = {reading: weights(cases if reading else [*cases, *others], reading) for reading in (True, False)}
    lowered = {reading: (bias - least[reading], *rest) for reading, (bias, *rest) in fitted.items()}
    on = f"{len(cases)} cases with passages, {len(others)} without"
    write_weighing(Weighing(lowered[False], lowered[True], judge.name, reader.name, on), given.out)


if __name__ == "__main__":
    main()
