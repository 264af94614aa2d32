"""Questions that look alike and ask something else: how many get the answer of the wrong pair, by kind of difference.

    python benchmarks/polarity.py [--matcher skills] [--paraphrases FILE] [--alone]

`benchmarks/polarity/cases.jsonl` holds questions as they are asked, each with the question and answer of a pair and
whether both ask the same. They were written by hand, and what tells them apart learned from all of them: they are
"development". `benchmarks/polarity/held-out.jsonl`, where it exists, is of the same form and "test": nothing was
learned from it. `benchmarks/polarity/sealed.jsonl` holds 600 cases on real text, of which the same is true; `--alone`
measures the test of two questions alone, in seconds, on these too. `source` of a case is a file below the folder of
data sets, and `place` says where in it its passage stands: article/paragraph of a SQuAD-format file, counted from 0, or
a record's `_id`, and the characters from `start` to `end`, or of a table the rows.

`verifier`: the test alone, of each case how many are let through. `system`: the pairs of both files in one collection,
asked with the matcher named, its reranker and its threshold, as `answerable pairs ask` does; `nearest`: the same
without the test, answering always from the best pair. A near miss is let through where the answer given is that of its
pair; a paraphrase is kept where it is. `--paraphrases`: JSONL of `original`, `paraphrase` and `kind`, of which the
plain ones ask the same: how many the test lets through.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import common
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.qapairs.systems import ByVectors
from answerable.privacy.enclaves import EnclaveTable, public
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import open_calibration
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.verify import Verdict, Verifier
from answerable.retriever import Retriever
from answerable.types import QAPair
from answerable.workspace.models import open_matcher, open_verifier

CASES = Path(__file__).parent / "polarity" / "cases.jsonl"
HELD_OUT = CASES.with_name("held-out.jsonl")
HERE = "pairs"


@dataclass(frozen=True, slots=True)
class Case:
    """A question as it is asked, a pair, how the two differ, and whether they ask the same."""

    asked: str
    question: str
    answer: str
    kind: str
    same: bool


def read_cases(path: Path = CASES) -> list[Case]:
    """All of them, in order."""
    rows = common.rows(path)
    return [Case(row["asked"], row["question"], row["answer"], row["kind"], row["same"]) for row in rows]


def by_kind(cases: Sequence[Case], given: Callable[[Case], bool]) -> dict[str, Any]:
    """In per cent: near misses and paraphrases that are given the pair's answer; and how many of each kind."""
    told = [(case, given(case)) for case in cases]
    figures: dict[str, Any] = {}
    for same, name in ((False, "near misses let through"), (True, "paraphrases kept")):
        own = [(case.kind, one) for case, one in told if case.same is same]
        of, hits = Counter(kind for kind, _ in own), Counter(kind for kind, one in own if one)
        figures[name] = common.percent(sum(hits.values()), len(own))
        figures[f"{name}, by kind"] = {kind: f"{hits[kind]} of {of[kind]}" for kind in sorted(of)}
    return figures


def let_through(verify: Verifier) -> Callable[[Case], bool]:
    """Whether the test takes a case's two questions for the same."""
    return lambda case: verify(case.asked, case.question).same


def systems(cases: Sequence[Case], name: str, verify: Verifier) -> dict[str, Callable[[Case], bool]]:
    """What gives the answers of pairs: the test, the whole system, and the system without the test."""
    matcher, reranker = open_matcher(name)
    told_of = dict.fromkeys((case.question, case.answer) for case in cases)
    every = [QAPair(f"{n:04d}", asked, (answer,), "", HERE, 0.5) for n, (asked, answer) in enumerate(told_of)]
    pairs = {HERE: ByVectors(every, matcher)}
    door = Retriever(EnclaveTable([public(HERE)]), {}, HashedEncoder(), pairs=pairs, matcher=matcher)
    calibration = open_calibration(matcher.name, reranker.name if reranker else "")
    whole = PairEngine(door, reranker, verify, calibration)
    always = replace(whole, verify=lambda *_: Verdict(1.0), settings=PairSettings(threshold=0.0))

    def told(engine: PairEngine) -> Callable[[Case], bool]:
        answers = engine.answer_many([case.asked for case in cases], citing=False)
        found = {case.asked: one for case, one in zip(cases, answers, strict=True)}
        return lambda case: found[case.asked].text == case.answer

    return {
        "verifier": let_through(verify),
        "system": told(whole),
        "nearest": told(always),
    }


def paraphrases(path: Path, verify: Verifier) -> dict[str, Any]:
    """Of paraphrases made by translating to and fro, how many the test lets through."""
    plain = [(row["original"], row["paraphrase"]) for row in common.rows(path) if row["kind"] == "plain"]
    started = time.process_time()
    through = sum(verify(*pair).same for pair in plain)
    each = 1e6 * (time.process_time() - started) / len(plain)
    kept = common.percent(through, len(plain))
    return {"paraphrases": len(plain), "kept": kept, "microseconds each": round(each)}


def main(words: list[str] | None = None) -> None:
    """Print one JSON object."""
    parser = common.parser(__doc__)
    parser.add_argument("--matcher", default="skills", help="as models.matcher")
    parser.add_argument("--paraphrases", type=Path)
    parser.add_argument("--alone", action="store_true", help="the test of two questions alone, without a matcher")
    given = parser.parse_args(words)
    parts = {"development": read_cases(), "test": read_cases(HELD_OUT) if HELD_OUT.exists() else []}
    verify = open_verifier(given.matcher)
    if given.alone:
        parts["sealed"] = read_cases(CASES.with_name("sealed.jsonl"))
        asked: dict[str, Callable[[Case], bool]] = {"verifier": let_through(verify)}
    else:
        asked = systems([case for part in parts.values() for case in part], given.matcher, verify)
    report: dict[str, Any] = {"matcher": given.matcher}
    for name, part in parts.items():
        if part:
            report[name] = {system: by_kind(part, given) for system, given in asked.items()}
    if given.paraphrases:
        report["others"] = paraphrases(given.paraphrases, verify)
    common.tell(given.json, report, sum(map(len, parts.values())))


if __name__ == "__main__":
    main()
