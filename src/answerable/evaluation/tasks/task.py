"""What a task is, and the loop that all of them share: ask each question once, then measure the run.

A task asks with the text of a question (and what the data set gives with it) and keeps a record; only then does it
look at the gold answers. `Measures` are means over questions of what `Task.scores` says of one, worked out from the run
and the data each time, so that a report can be made again, cut at other places, or sliced in another way.
"""

from __future__ import annotations

import hashlib
import json
import random
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.errors import UsageError
from answerable.evaluation.runs import Header, Record, Run, records
from answerable.evaluation.spread import Spread, add
from answerable.types import PUBLIC, Label
from answerable.work.spread import ALONE, Opener, WorkSettings, in_order, own_version, workers
from answerable.work.spread import Task as Block

Scores = dict[str, float]
"""Measures of one question by name, mostly 0 to 1; what does not apply to it is left out."""
Progress = Callable[[str, int, int], None]
ALL = "all"
"""What questions in no slice are called."""
AT = (1, 2, 5, 10, 20, 50, 100)
"""Where recall and the like are cut unless told otherwise."""


class Questions(Protocol):
    """The questions of an evaluation. `about`: name, digest and count for the header, and how they were drawn."""

    @property
    def about(self) -> dict[str, Any]:
        """See the class."""
        ...

    @property
    def questions(self) -> int:
        """How many there are."""
        ...

    def examples(self) -> Iterator[Example]:
        """All of them in order, as often as needed."""
        ...


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where else a task can be done, what opens there that asks its questions, and whose text that reads."""

    settings: WorkSettings
    opener: Opener[Sequence[Example], list[Record]]
    label: Label


class System:
    """What is asked. `settings` and `models`, by part, are all that what it says depends on, beside its questions."""

    name: str
    settings: Mapping[str, Any]
    models: Mapping[str, str]


class Task(System):
    """One kind of evaluation: asks, keeps a record of each question, and measures the records.

    `correct` is the score, 1 or 0, whose risk is drawn; None where there is no confidence. `at_once`: how many
    questions it likes to be asked together. `elsewhere`: how other processes can do it as well; None: this one alone.
    """

    correct: str | None = None
    at_once: int = 1
    elsewhere: Elsewhere | None = None

    def record(self, example: Example) -> Record:
        """Ask one question and keep what scoring needs: values that JSON can hold, texts of no passage."""
        raise NotImplementedError

    def records(self, examples: Sequence[Example]) -> list[Record]:
        """`record` of each."""
        return [self.record(one) for one in examples]

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """The measures of one question, from what was kept and the gold."""
        raise NotImplementedError

    def whole(self, pairs: Iterable[tuple[Example, Mapping[str, Any]]]) -> Scores:
        """Measures of all questions together that are no means, each with its record, in the order of the data."""
        return {}


def header(task: Task, survey: Questions) -> Header:
    """The header of a run of this task over this data."""
    versions = {"answerable": own_version(), **task.models}
    return Header(task.name, survey.about, task.settings, versions)


def fill(task: Task, survey: Questions, run: Run, progress: Progress | None = None) -> None:
    """Ask every question that the run has no record of, and keep them in the order of the data; a few blocks of them
    are in memory."""
    tell = progress or (lambda stage, done, total: None)
    tell(task.name, run.done, survey.questions)
    there, asked = task.elsewhere, deque[list[Example]]()

    def blocks() -> Iterator[Block[Sequence[Example]]]:
        first, rest = run.done, islice(survey.examples(), run.done, None)
        while block := list(islice(rest, task.at_once)):
            asked.append(block)
            yield Block(f"question {first + 1} of {task.name}", there.label if there else PUBLIC, block)
            first += len(block)

    with workers(there.settings if there else ALONE) as those:
        opener = (lambda: task.records) if there is None or those.here else there.opener
        with closing(in_order(those.map(opener, blocks()))) as answered:
            for records in answered:
                for example, said in zip(asked.popleft(), records, strict=True):
                    record = {"id": example.id, "question": example.question, **said}
                    run.append({**record, "scores": task.scores(example, record, AT)})
                tell(task.name, run.done, survey.questions)


def fill_together(ones: Sequence[tuple[Task, Run]], survey: Questions, progress: Progress | None = None) -> None:
    """`fill`, here, for several tasks, each with its run, question by question: what they share is opened once."""
    tell = progress or (lambda stage, done, total: None)
    begin = min(run.done for _, run in ones)
    tell(ones[0][0].name, begin, survey.questions)
    for number, example in enumerate(islice(survey.examples(), begin, None), start=begin):
        for task, run in ones:
            if run.done > number:
                continue
            record = {"id": example.id, "question": example.question, **task.record(example)}
            run.append({**record, "scores": task.scores(example, record, AT)})
        tell(ones[0][0].name, number + 1, survey.questions)


@dataclass(slots=True)
class Means:
    """Sums of scores over some questions, added one by one. `counts`: how many questions have each measure."""

    questions: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    _sums: dict[str, float] = field(default_factory=dict)

    def add(self, scores: Scores) -> None:
        """Count one question."""
        self.questions += 1
        for name, value in scores.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0) + 1

    def means(self) -> dict[str, float]:
        """The mean of each measure over the questions that have it."""
        return {name: total / self.counts[name] for name, total in self._sums.items()}


@dataclass(frozen=True, slots=True)
class Measures:
    """What a run measured. `overall` has means by name; `slices` the same by slice, in alphabetical order;
    `whole` has measures that are no means.

    `confidences` and `losses` (1 - correct) have a value for each question that was given a confidence; `seconds` one
    for each question that took time; `leaks` counts searches that were sent what their enclave does not admit.
    `spread` has the scores of what each enclave returned, by slice and hop, where the task keeps them.
    """

    overall: Means
    slices: Mapping[str, Means]
    whole: Mapping[str, float]
    confidences: Sequence[float]
    losses: Sequence[float]
    seconds: Sequence[float]
    leaks: int | None
    spread: Spread = field(default_factory=dict)


SliceOf = Callable[[Example], str]


def by_kind(example: Example) -> str:
    """The data set's own word for the sort of question; '' puts it in no slice."""
    return example.kind


def measure(task: Task, survey: Questions, path: Path, at: Sequence[int] = AT, slice_of: SliceOf = by_kind) -> Measures:
    """Measure a finished run. Holds a few numbers a question, and one question and its record at a time.

    Raises `UsageError` when the run is not finished, or is not of these questions.
    """
    overall, slices = Means(), dict[str, Means]()
    confidences, losses, seconds = array("d"), array("d"), array("d")
    leaks: int | None = None
    spread: Spread = {}
    for example, record in pairs(survey, path):
        scores = task.scores(example, record, at)
        overall.add(scores)
        if name := slice_of(example):
            slices.setdefault(name, Means()).add(scores)
        add(spread, name or ALL, record)
        if task.correct in scores and record.get("confidence") is not None:
            confidences.append(record["confidence"])
            losses.append(1.0 - scores[task.correct])
        if "seconds" in record:
            seconds.append(record["seconds"])
        if "leaks" in record:
            leaks = (leaks or 0) + record["leaks"]
    by_slice, whole = dict(sorted(slices.items())), task.whole(pairs(survey, path))
    return Measures(overall, by_slice, whole, confidences, losses, seconds, leaks, spread)


def pairs(survey: Questions, path: Path) -> Iterator[tuple[Example, Record]]:
    """Each question with its record. Raises `UsageError` when the run is not finished, or not of these questions."""
    kept = records(path)
    for example in survey.examples():
        record = next(kept, None)
        if record is None or record["id"] != example.id:
            raise UsageError(f"{path} is not a finished run of these questions", hint="run the same command again")
        yield example, record


def cuts(at: Iterable[int]) -> tuple[int, ...]:
    """Places to cut a ranking at, ascending, each once. Raises `UsageError` when one is below 1."""
    places = tuple(sorted(set(at)))
    if not places or places[0] < 1:
        raise UsageError("a ranking is cut at whole numbers from 1", hint="--at 1,5,20")
    return places


@dataclass(frozen=True, slots=True)
class Data:
    """A file or folder of questions. `form`: its format, None to recognise it; `limit`: questions to draw with `seed`.

    A sample keeps the order of the data.
    """

    path: Path
    form: str | None = None
    limit: int | None = None
    seed: int = 0

    def survey(self) -> Survey:
        """Count the questions and tell what they come with. Raises `UsageError` when there are none."""
        total = sum(1 for _ in load(self.path, self.form))
        chosen = self._chosen(total)
        digest, counts = hashlib.sha256(), [0, 0, 0, 0]
        for example in self._drawn(chosen):
            told = [example.id, example.question, example.answers, example.supporting, example.facts, example.passages]
            digest.update(json.dumps([*told, example.meta], sort_keys=True, default=repr).encode())
            there = (True, bool(example.answers), bool(example.supporting), bool(example.passages))
            counts = [count + one for count, one in zip(counts, there, strict=True)]
        if not counts[0]:
            raise UsageError(f"{self.path} holds no question")
        about = {"name": self.path.name, "digest": digest.hexdigest(), "questions": counts[0], "of": total}
        drawn = {} if chosen is None else {"limit": self.limit, "seed": self.seed}
        return Survey(self, chosen, {**about, **drawn}, *counts)

    def _chosen(self, total: int) -> frozenset[int] | None:
        """Numbers, from 0, of the questions drawn; None for all."""
        if self.limit is None or self.limit >= total:
            return None
        return frozenset(random.Random(self.seed).sample(range(total), self.limit))

    def _drawn(self, chosen: frozenset[int] | None) -> Iterator[Example]:
        for number, example in enumerate(load(self.path, self.form)):
            if chosen is None or number in chosen:
                yield example


@dataclass(frozen=True, slots=True)
class Survey:
    """Data that has been looked through once: `about` for the header, and how many questions have what."""

    data: Data
    chosen: frozenset[int] | None
    about: dict[str, Any]
    questions: int
    answered: int
    supported: int
    given: int

    def examples(self) -> Iterator[Example]:
        """The questions drawn, in the order of the data, read from the file one at a time."""
        return self.data._drawn(self.chosen)
