"""`reading`: the reader alone, over the passages that the data set gives with each question."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from answerable.datasets.examples import Example
from answerable.encoders.pretrained import called
from answerable.errors import UsageError
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.data import Survey
from answerable.readers.reader import Reader
from answerable.selective.features import squash
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill
from answerable.workspace.models import model_folders, open_reader
from answerable.workspace.settings import Settings

TOGETHER = 4  # passages read as one chain; more are read one by one, since a chain shares one window
SURE = 0.5  # log-odds of 0: the answer is as likely as that there is none


class Reading:
    """`Reader.read` over the given passages: up to `TOGETHER` of them as one chain, else each as a chain of its own.

    The confidence is the reader's own: its log-odds against "not here", as a probability, not calibrated. Below
    `threshold` nothing is said; by default it is `SURE` where the data has questions without an answer, else 0.
    EM and F1 are SQuAD's; guess EM and F1 are of the best answer whatever its confidence, over questions that have one;
    guess right is its EM over all questions, and risk the share of guesses that are not right.
    """

    name = "reading"
    correct: ClassVar[str | None] = "guess right"

    def __init__(self, reader: Reader, name: str, survey: Survey, threshold: float | None = None) -> None:
        if not survey.given:
            raise UsageError(
                f"{survey.about['name']} gives no passages with its questions", hint="evaluate asking over a workspace"
            )
        unanswered = survey.questions - survey.answered
        self._reader = reader
        self._threshold = threshold if threshold is not None else SURE if unanswered else 0.0
        self.settings: Mapping[str, Any] = {"threshold": self._threshold, "together": TOGETHER}
        self.models = {"reader": name}

    def record(self, example: Example) -> Record:
        """Answer, best guess, confidence and seconds."""
        began = time.perf_counter()
        found = self._reader.read(example.question, chains_of(example.passages))
        seconds = round(time.perf_counter() - began, 6)
        text, confidence = (" ".join(found[0].text.split()), squash(found[0].score)) if found else ("", 0.0)
        said = text if found and confidence >= self._threshold else None
        return {"answer": said, "guess": text, "confidence": confidence, "seconds": seconds}

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """EM and F1 of what was said and of the best guess."""
        return scores(example, record, at)


def scores(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
    """`Reading.scores`, which need no reader."""
    said, best, gold = record["answer"] or "", record["guess"], example.answers
    found = {"answered": float(record["answer"] is not None), "EM": exact(said, gold), "F1": f1(said, gold)}
    found["guess right"] = exact(best, gold)
    if not gold:
        return {**found, "EM without answer": found["EM"]}
    return {**found, "guess EM": exact(best, gold), "guess F1": f1(best, gold)}


def chains_of(passages: Sequence[tuple[str, str]]) -> list[Chain]:
    """Given passages (title, text) as the reader takes them, in their order."""
    hits = [
        Hit(Passage(f"p{i:04}", f"d{i:04}", "given", title, text, 0, len(text)), 1.0, PUBLIC, Skill.SINGLE)
        for i, (title, text) in enumerate(passages)
    ]
    if len(hits) <= TOGETHER:
        return [Chain(tuple(hits), 1.0, PUBLIC)] if hits else []
    return [Chain((hit,), 1.0, PUBLIC) for hit in hits]


def named_reader(settings: Settings) -> tuple[Reader, str]:
    """The reader that settings name, and the name of its weights."""
    folder = model_folders(settings)["reader"]
    reader, _ = open_reader(settings.reader, settings.models.threads)
    return reader, called(folder) if folder else settings.reader
