"""Questions that look alike and ask something else: how many get the answer of the wrong pair, by kind of difference.

    python benchmarks/polarity.py [--matcher skills] [--paraphrases FILE]

`benchmarks/polarity/cases.jsonl` holds questions as they are asked, each with the question and answer of a pair and
whether both ask the same. They were written by hand before the rules were. A case is for development where the CRC-32
of its pair's question (UTF-8) is even, and for the test where it is odd, so that all cases of a pair are on one side.

`verifier`: the rules alone, of each case how many are let through. `system`: the pairs of all cases in one collection,
asked with the matcher named, its reranker and its threshold, as `answerable pairs ask` does; `nearest`: the same
without the rules, answering always from the best pair. A near miss is let through where the answer given is that of its
pair; a paraphrase is kept where it is. `--paraphrases`: JSONL of `original`, `paraphrase` and `kind`, of which the
plain ones ask the same: how many the rules let through.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from answerable.chosen import open_matcher
from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.pairs.answering import PairEngine
from answerable.pairs.calibration import open_calibration
from answerable.pairs.lookup import Matched, Matcher
from answerable.pairs.pair_settings import PairSettings
from answerable.pairs.verify import Verdict, verify
from answerable.privacy.enclaves import EnclaveTable, public
from answerable.retriever import Retriever
from answerable.types import QAPair

CASES = Path(__file__).parent / "polarity" / "cases.jsonl"
HERE = "pairs"


@dataclass(frozen=True, slots=True)
class Case:
    """A question as it is asked, a pair, how the two differ, and whether they ask the same."""

    asked: str
    question: str
    answer: str
    kind: str
    same: bool

    @property
    def development(self) -> bool:
        """Whether rules may be fitted to it."""
        return zlib.crc32(self.question.encode()) % 2 == 0


class Exact:
    """The pairs of all cases, every one of them compared."""

    def __init__(self, cases: Sequence[Case], matcher: Matcher) -> None:
        told = dict.fromkeys((case.question, case.answer) for case in cases)
        self.pairs = [QAPair(f"{n:04d}", asked, (answer,), "", HERE, 0.5) for n, (asked, answer) in enumerate(told)]
        self.count, self.matcher = len(self.pairs), matcher.name
        self._rows = matcher.encode_questions([pair.question for pair in self.pairs])

    def search(self, vectors: Vectors, k: int) -> list[Matched]:
        """The k best of all."""
        best = np.argsort(-(vectors @ self._rows.T), axis=1, kind="stable")[:, :k]
        return [
            [(self.pairs[n], float(vector @ self._rows[n])) for n in order]
            for vector, order in zip(vectors, best, strict=True)
        ]


def read_cases(path: Path = CASES) -> list[Case]:
    """All of them, in order."""
    return [Case(**json.loads(line)) for line in path.read_text(encoding="utf8").splitlines()]


def by_kind(cases: Sequence[Case], given: Callable[[Case], bool]) -> dict[str, Any]:
    """Of near misses and of paraphrases, how many are given the pair's answer, in all and by kind."""
    count: Counter[tuple[bool, str, bool]] = Counter()
    for case in cases:
        told = given(case)
        for kind in ("all", case.kind):
            count[case.same, kind, told] += 1
    figures: dict[str, Any] = {}
    for same, name in ((False, "near misses let through"), (True, "paraphrases kept")):
        kinds = sorted({kind for one, kind, _ in count if one is same})
        figures[name] = {kind: f"{count[same, kind, True]} of {_sum(count, same, kind)}" for kind in kinds}
    return figures


def _sum(count: Counter[tuple[bool, str, bool]], same: bool, kind: str) -> int:
    return count[same, kind, True] + count[same, kind, False]


def systems(cases: Sequence[Case], name: str) -> dict[str, Callable[[Case], bool]]:
    """What gives the answers of pairs: the rules, the whole system, and the system without the rules."""
    matcher, reranker = open_matcher(name)
    door = Retriever(
        EnclaveTable([public(HERE)]), {}, HashedEncoder(), pairs={HERE: Exact(cases, matcher)}, matcher=matcher
    )
    calibration = open_calibration(matcher.name, reranker.name if reranker else "")
    whole = PairEngine(door, reranker, calibration=calibration)
    always = replace(whole, verify=lambda *_: Verdict(True), settings=PairSettings(threshold=0.0))

    def told(engine: PairEngine) -> Callable[[Case], bool]:
        answers = engine.answer_many([case.asked for case in cases], citing=False)
        found = {case.asked: one for case, one in zip(cases, answers, strict=True)}
        return lambda case: found[case.asked].text == case.answer

    rules = {(case.asked, case.question): verify(case.asked, case.question, case.answer).same for case in cases}
    return {
        "verifier": lambda case: rules[case.asked, case.question],
        "system": told(whole),
        "nearest": told(always),
    }


def paraphrases(path: Path) -> dict[str, Any]:
    """Of paraphrases made by translating to and fro, how many the rules let through, and why they refuse the others."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
    plain = [(row["original"], row["paraphrase"]) for row in rows if row["kind"] == "plain"]
    started = time.process_time()
    why = Counter(verify(*pair).kind or "let through" for pair in plain)
    each = 1e6 * (time.process_time() - started) / len(plain)
    return {"paraphrases": len(plain), "microseconds each": round(each), **dict(why.most_common())}


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matcher", default="minilm", help="as models.matcher")
    parser.add_argument("--paraphrases", type=Path)
    options = parser.parse_args()
    cases = read_cases()
    asked = systems(cases, options.matcher)
    report: dict[str, Any] = {"matcher": options.matcher}
    for half, own in (("development", True), ("test", False)):
        part = [case for case in cases if case.development is own]
        report[half] = {name: by_kind(part, given) for name, given in asked.items()}
    if options.paraphrases:
        report["others"] = paraphrases(options.paraphrases)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
