"""`pairs`: questions answered by one system, kept as a run; all systems of a table share this task.

EM and F1 (SQuAD's) are of the best answer, given or not: what a system that never abstains scores, as in the paper's
tables. `given` is the share of answers that the system would give left to itself, `EM of given` the EM of these,
`verbatim` the share of questions that stand among the pairs word for word (section 5.2.5).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from answerable.datasets.examples import Example
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.qapairs.systems import PairSystem, Said
from answerable.evaluation.report import questions_per_second
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.task import Scores, Task
from answerable.text import normalise_answer

T = TypeVar("T")
TIMES = 3
"""How often a system is timed; the median counts."""


class Matching(Task):
    """A system over questions that have answers; `about` says what of: the pairs and the text, for the run's header."""

    name = "pairs"
    correct = "EM"

    def __init__(self, system: PairSystem, about: Mapping[str, Any]) -> None:
        self.system, self.at_once = system, system.at_once
        self.settings = {"system": system.name, **system.settings, **about}
        self.models = system.models

    def record(self, example: Example) -> Record:
        """As `records`, of one question."""
        return self.records([example])[0]

    def records(self, examples: Sequence[Example]) -> list[Record]:
        """What was said to each question, how sure, by which pair, and the seconds, a share of those of all."""
        began = time.perf_counter()
        said = self.system.say([example.question for example in examples])
        seconds = round((time.perf_counter() - began) / len(examples), 6)
        return [_record(one, seconds) for one in said]

    @staticmethod
    def scores(example: Example, record: Mapping[str, Any], at: Sequence[int] = ()) -> Scores:
        """See the module; nothing for a question without an answer."""
        if not example.answers:
            return {}
        said, pair = record["guess"], record["pair"]
        found = {"EM": exact(said, example.answers), "F1": f1(said, example.answers)}
        found["given"] = float(record["answer"] is not None)
        if record["answer"] is not None:
            found["EM of given"] = found["EM"]
        if pair is not None:
            found["verbatim"] = float(normalise_answer(pair["question"]) == normalise_answer(example.question))
        return found


def _record(said: Said, seconds: float) -> Record:
    pair = said.pair
    return {
        "answer": said.answer if said.gives else None,
        "guess": said.answer,
        "confidence": min(1.0, max(0.0, said.confidence)),
        "pair": None if pair is None else {"id": pair.id, "question": pair.question, "passage": pair.passage_id},
        "seconds": seconds,
    }


def rate(system: PairSystem, questions: Sequence[str]) -> float:
    """Questions a second, all of them asked in blocks of its size: the median of `TIMES`."""
    rates = []
    for _ in range(TIMES):
        began = time.perf_counter()
        for start in range(0, len(questions), system.at_once):
            system.say(questions[start : start + system.at_once])
        rates.append(questions_per_second(len(questions), time.perf_counter() - began))
    return statistics.median(rates)


def evenly(ones: list[T], most: int | None) -> list[T]:
    """At most so many of a list, at equal distances, in order."""
    if most is None or most >= len(ones):
        return ones
    return [ones[place * len(ones) // most] for place in range(most)]
