"""Answers, how right they are and how sure.

`reading`: the reader alone, over the passages that the data set gives with each question.
`asking`: questions over a workspace, start to end; what was found, what was said, how sure, how long, who heard.
`calibration`: whether the confidences of a run of `asking` or `reading`, that is there already, mean what they say.
A task over a workspace may be done by other processes, each of which opens the same workspace (`over`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.encoders.pretrained import called
from answerable.errors import UsageError
from answerable.evaluation.metrics import answers, hotpot
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.runs import Record, header_of
from answerable.evaluation.spread import by_hop
from answerable.evaluation.tasks import passages
from answerable.evaluation.tasks.task import Elsewhere, Scores, Survey, Task
from answerable.readers.reader import Reader
from answerable.selective.features import squash
from answerable.serialize import barred_record
from answerable.types import PUBLIC, Answer, Chain, Hit, Passage, Skill
from answerable.work.spread import ALONE
from answerable.workspace.models import model_folders, open_reader
from answerable.workspace.settings import Settings
from answerable.workspace.spreading import label_of_all
from answerable.workspace.stores import open_store
from answerable.workspace.workspace import Workspace

TOGETHER = 4  # passages read as one chain; more are read one by one, since a chain shares one window
SURE = 0.5  # log-odds of 0: the answer is as likely as that there is none


class Reading(Task):
    """`Reader.read` over the given passages: up to `TOGETHER` of them as one chain, else each as a chain of its own.

    The confidence is the reader's own: its log-odds against "not here", as a probability, not calibrated. Below
    `threshold` nothing is said; by default it is `SURE` where the data has questions without an answer, else 0.
    EM and F1 are SQuAD's; guess EM and F1 are of the best answer whatever its confidence, over questions that have one;
    guess right is its EM over all questions, and risk the share of guesses that are not right.
    """

    name = "reading"
    correct = "guess right"

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

    @staticmethod
    def scores(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """EM and F1 of what was said and of the best guess."""
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


class Asking(Task):
    """`Workspace.ask` for each question.

    EM and F1 are of what was said: nothing, where the engine abstained, which is right where there is no answer. Guess
    EM and F1 are of the best answer found, given or not, over questions that have one: what a system that never
    abstains would score. Guess right is its EM over all questions, where one without an answer has no right guess;
    risk is the share of guesses that are not right. F1 is HotpotQA's: yes and no share words with nothing else.
    """

    name = "asking"
    correct = "guess right"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._enclaves = workspace, workspace.enclaves()
        self.settings, self.models = settings_of(workspace), models_of(workspace)
        self.elsewhere = over(workspace, Asking)

    @staticmethod
    def require(survey: Survey) -> None:
        """Raise `UsageError` when the data has no answers."""
        if not survey.answered:
            raise UsageError(f"{survey.about['name']} holds no answers", hint="evaluate retrieval instead")

    def record(self, example: Example) -> Record:
        """Answer, best guess, confidence by each method, what may be barred, what was found, searches with their
        scores, leaks, seconds.

        A question that cannot be asked (too long, say) is kept as one without an answer.
        """
        try:
            answer = self._workspace.ask(example.question)
        except UsageError as error:
            nothing: Record = {"answer": None, "guess": "", "confidence": 0.0, "reason": error.args[0]}
            return nothing | {"chains": [], "ranking": []}
        hops = answer.evidence.hops
        refused = sum(hop.refused is not None for hop in hops)
        return {
            "answer": answer.text,
            "guess": guess(answer),
            "confidence": answer.confidence,
            "confidences": dict(answer.confidences),
            "barred": None if answer.barred is None else barred_record(answer.barred),
            "reason": answer.reason,
            **passages.found(example, answer.evidence.chains),
            "searches": len(hops) - refused,
            "refused": refused,
            "scores_by_hop": by_hop(hops),
            "leaks": passages.leaks(hops, self._enclaves),
            "seconds": round(answer.seconds, 6),
        }

    @staticmethod
    def scores(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """See the class; then measures of the passages found (`tasks.passages`)."""
        said, best = record["answer"] or "", record["guess"]
        found = {"answered": float(record["answer"] is not None), **answer_scores(said, example.answers)}
        found["guess right"] = answer_scores(best, example.answers)["EM"]
        if example.answers:
            found |= {f"guess {name}": value for name, value in answer_scores(best, example.answers).items()}
        return {**found, **passages.path_scores(example, record, at), **passages.answer_scores(record, at)}


def answer_scores(said: str, gold: Sequence[str]) -> dict[str, float]:
    """EM and F1 as HotpotQA has them; without a gold answer nothing is right but nothing, as SQuAD 2.0 has it."""
    if not gold:
        return {"EM": answers.exact(said, gold), "F1": answers.f1(said, gold)}
    found = hotpot.answer_scores(said, gold)
    return {"EM": found.em, "F1": found.f1}


def guess(answer: Answer) -> str:
    """The best answer found, whether it was given or kept back; '' when there was none."""
    if answer.text is not None:
        return answer.text
    return " ".join(answer.others[0][0].split()) if answer.others else ""


def settings_of(workspace: Workspace) -> dict[str, Any]:
    """The settings that answers depend on, and for each enclave its kind and a fingerprint of its passages."""
    given = workspace.settings
    with open_store(workspace.folder, given.store) as store:
        held = {name: store.holdings(name) for name in given.enclaves}
    return {
        "privacy": given.ask.privacy.value,
        **asdict(given.beam),
        **asdict(given.search),
        "read": given.ask.read,
        "threshold": given.ask.threshold,
        **({} if given.ask.risk is None else {"risk": given.ask.risk}),
        **({} if given.pairs.answer else {"pairs": False}),
        "enclaves": {
            name: {
                "kind": one.kind.value,
                "admits": None if one.admits is None else sorted(one.admits),
                **({"mode": one.mode} if one.mode else {}),
                "passages": held[name].passages,
                "fingerprint": held[name].fingerprint,
            }
            for name, one in given.enclaves.items()
        },
    }


def models_of(workspace: Workspace) -> dict[str, str]:
    """The names of the models in use; a name identifies the weights."""
    names = {"encoder": workspace.settings.models.encoder, "reader": workspace.settings.models.reader}
    folders, own = model_folders(workspace.settings), workspace.settings.own
    named = {part: called(folder) if (folder := folders[part]) else name for part, name in names.items()}
    return {part: own.name(part) or name for part, name in named.items()}


def over(workspace: Workspace, make: Callable[[Workspace], Task]) -> Elsewhere | None:
    """How else a task is done that `make`, which is picklable, makes of a workspace; None where parts were handed in.

    Whoever does it must be able to read the folder, or its database, and be cleared for all that lies there.
    """
    given, folder = workspace.settings, workspace.folder.absolute()
    if given.own:
        return None
    there = replace(given, models=replace(given.models, threads=1), work=ALONE, folder=given.folder and folder)
    return Elsewhere(given.work, partial(_opened, make, folder, there), label_of_all(given))


def _opened(
    make: Callable[[Workspace], Task], folder: Path, settings: Settings
) -> Callable[[Sequence[Example]], list[Record]]:
    return make(Workspace(folder, settings)).records


_TASKS: Mapping[str, type[Asking] | type[Reading]] = {"asking": Asking, "reading": Reading}


class Calibration(Task):
    """Scores the best guesses of a run, as its own task does, and nothing else. `header`: that of the run."""

    correct = "guess right"

    def __init__(self, path: Path, survey: Survey) -> None:
        """Raises `UsageError` when the file is no run of questions with confidences, or one of other data."""
        header = header_of(path)
        if header.task not in _TASKS:
            raise UsageError(f"{path} is a run of {header.task}", hint=f"give one of {' or '.join(_TASKS)}")
        if header.data.get("digest") != survey.about["digest"]:
            raise UsageError(
                f"{path} is a run over other questions than these", hint="give the same --data, --limit and --seed"
            )
        self.header, self._task = replace(header, task="calibration"), _TASKS[header.task]

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """What was answered and how right the best guess was."""
        found = self._task.scores(example, record, at)
        return {name: found[name] for name in ("answered", "guess right", "guess EM", "guess F1") if name in found}
