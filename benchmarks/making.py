"""All that was made of a set of passages, with what each filter says of it: tables 1 and 4 are parts of one such run.

Questions are made once, and each filter is asked about each of them. A variant then keeps so many questions an answer,
and what one filter let through, as if it had been made alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from answerable.evaluation.runs import Header, Record, records, writing
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.filtering import chance
from answerable.qapairs.generation.parts import Extractor, Generated, Generator, Selector
from answerable.text import normalise_answer
from answerable.types import Passage, QAPair
from answerable.work.spread import own_version

BLOCK = 16
"""Passages that are made into pairs, and written down, together."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Variant:
    """Which of the questions made are kept: the first `each` of an answer, and those that the `filter` found consistent
    ("": all of them); not `surely`: however unsure it was."""

    each: int = 1
    filter: str = ""
    surely: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """Table 1 of one variant. `questions` are those that differ, before the filter; `kept` after it."""

    answers: int
    questions: int
    kept: int

    @property
    def ratio(self) -> float | None:
        """Of the questions, the share that the filter kept; None where there were none."""
        return self.kept / self.questions if self.questions else None


class Scoring(Protocol):
    """A filter that says with which score the answer was read."""

    name: str

    def scores(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float | None]]:
        """For each question of each passage; None where another answer was found."""
        ...


@dataclass(frozen=True, slots=True)
class Makers:
    """What pairs are made by. `selector`: None takes every passage to be equally likely. `fit`: from which score on the
    filters keep a question; None: from any."""

    extractor: Extractor
    generator: Generator
    filters: Sequence[Scoring] = ()
    selector: Selector | None = None
    fit: PairCalibration | None = None


def make(passages: Sequence[Passage], by: Makers, path: Path, progress: Progress) -> None:
    """Write all that is made of the passages into the run `path`, a line a passage; a run that is there goes on.

    Raises `UsageError` when the run was made of other passages or by other parts.
    """
    digest = hashlib.sha256()
    for one in passages:
        digest.update(f"{one.id}\n{one.text}\n".encode())
    fit = [*by.fit.weights, by.fit.bias, by.fit.threshold] if by.fit else []
    parts = {"extractor": by.extractor.name, "filters": [one.name for one in by.filters], "fit": fit}
    about = {"name": path.stem, "digest": digest.hexdigest(), "questions": len(passages)}
    versions = {"answerable": own_version(), "generator": by.generator.name}
    versions |= {"selector": by.selector.name} if by.selector else {}
    with writing(path, Header("making", about, parts, versions)) as run:
        rest = iter(passages[run.done :])
        while block := list(islice(rest, BLOCK)):
            for record in _block(block, by):
                run.append(record)
            progress("making", run.done, len(passages))


def _block(passages: Sequence[Passage], by: Makers) -> Iterator[Record]:
    likely = by.selector.score(passages) if by.selector else [1.0] * len(passages)
    answers = by.extractor.extract(passages)
    made = by.generator.generate(passages, answers)
    scored = {one.name: one.scores(passages, made) for one in by.filters}
    for place, passage in enumerate(passages):
        ranks: dict[tuple[int, int], int] = {}
        questions = []
        for number, one in enumerate(made[place]):
            span = (one.answer.start, one.answer.end)
            ranks[span] = ranks.get(span, -1) + 1
            read = {name: scores[place][number] for name, scores in scored.items()}
            questions.append(
                {
                    "question": one.question,
                    "answer": one.answer.text,
                    "span": list(span),
                    "rank": ranks[span],
                    "score": round(likely[place] * one.score, 6),
                    "kept": {name: chance(score, by.fit) for name, score in read.items()},
                    "read": read,
                }
            )
        extracted = [[one.start, one.end] for one in answers[place]]
        yield {"id": passage.id, "question": passage.enclave, "answers": extracted, "made": questions, "scores": {}}


def counts(path: Path, variant: Variant) -> Counts:
    """How much there is of a variant in a run of `make`."""
    answers = 0
    asked: set[str] = set()
    kept: set[tuple[str, str]] = set()
    for record in records(path):
        answers += len(record["answers"])
        for one in record["made"]:
            if one["rank"] < variant.each:
                asked.add(one["question"])
                if _through(one, variant):
                    kept.add((one["question"], normalise_answer(one["answer"])))
    return Counts(answers, len(asked), len({question for question, _ in kept}))


def pairs(path: Path, variant: Variant, passages: Iterable[str] | None = None) -> list[QAPair]:
    """The pairs of a variant, the same question with the same answer once; of these `passages` alone, if given."""
    wanted = None if passages is None else frozenset(passages)
    seen: set[tuple[str, str]] = set()
    found = []
    for record in records(path):
        if wanted is not None and record["id"] not in wanted:
            continue
        for number, one in enumerate(record["made"]):
            key = (one["question"], normalise_answer(one["answer"]))
            if one["rank"] < variant.each and _through(one, variant) and key not in seen:
                seen.add(key)
                found.append(_pair(record, number, one, _through(one, variant)))
    return found


def _through(one: Mapping[str, Any], variant: Variant) -> float:
    """What a filter says of a question; 0 where it is not kept."""
    if not variant.filter:
        return 1.0
    return float(one["kept"][variant.filter] if variant.surely else one["read"][variant.filter] is not None)


def _pair(record: Record, number: int, one: Mapping[str, Any], right: float) -> QAPair:
    (start, end), score = one["span"], one["score"] * right
    name = f"{record['id']}?{number:04d}"
    return QAPair(name, one["question"], (one["answer"],), record["id"], record["question"], score, start, end)
