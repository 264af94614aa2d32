"""A function mapped over blocks of work: in this process, in several of this machine, or over a Ray cluster.

What does the work is opened once in each worker; blocks and results travel. As every part of the work is pure, the
results are the same wherever they are made, and a block whose worker broke off is done by another. A block has the
label of its text and goes to none but a worker that is cleared for it. What fails is named by its block, never by a
text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Generic, Protocol, TypeVar

import answerable.errors
from answerable.errors import AnswerableError, SettingsError, WorkspaceError
from answerable.records import setting
from answerable.types import EVERYTHING, Label

Given = TypeVar("Given")
Result = TypeVar("Result")
Opener = Callable[[], Callable[[Given], Result]]
"""Opens what does the work. Elsewhere than in this process it must be picklable: a function of a module, or a
`partial` of one."""
Mapped = Generator[tuple[int, Result], None, None]
Answer = tuple[Any, ...]
"""Of a worker: (True, result), or (False, class of the error, what it says, its hint)."""

TRIES = 5
"""Workers that may break off at one block."""
AHEAD = 4
"""Blocks for each worker that may be begun after one that is not done: their results wait where order counts."""


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """Where the work of index, pairs build, evaluate and find is done.

    Raises `SettingsError` for the address of Ray's client, through whose server all blocks would go.
    """

    cluster: str | None = setting(
        None, "HOST:6379 of a Ray cluster that this machine is in, or auto to find it; empty: this machine"
    )
    processes: int = setting(0, "processes that work, here or of the cluster; 0: as many as help", 0, 4096)

    def __post_init__(self) -> None:
        if (self.cluster or "").startswith("ray://"):
            hint = "run this on a machine of the cluster with its HOST:6379 or auto, or by ray job submit"
            raise SettingsError("work.cluster is the address of Ray's client, which sends all by way of the head", hint)


ALONE = WorkSettings(processes=1)


@dataclass(frozen=True, slots=True)
class Task(Generic[Given]):
    """A block of work. `name`: without a word of text, for messages; `label`: of all that is in it."""

    name: str
    label: Label
    given: Given


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def own_version() -> str:
    """The version of this package: what a run says that it was made with, and what all workers must have."""
    try:
        return version("answerable")
    except PackageNotFoundError:
        return "unknown"


class Here:
    """This process. `here`: all of the work is done in this process, where nothing need be picklable."""

    here = True

    def map(self, opener: Opener[Given, Result], tasks: Iterable[Task[Given]]) -> Mapped[Result]:
        """(number, result) of each task, in the order in which they are done; numbers count the tasks from 0.

        Tasks are drawn as workers are free. Errors of this package are raised as they were raised there. Raises
        `WorkspaceError` for a block that ends its workers, and for one that no worker is cleared for.
        """
        work: Callable[[Given], Result] | None = None
        for number, task in enumerate(tasks):
            work = work or opener()
            yield number, work(task.given)


HERE = Here()


class Crew(Protocol):
    """Workers of one kind. `most`: at once."""

    most: int

    def start(self, label: Label) -> Hand | None:
        """A new one that is cleared for this; None where there is no room. Raises `WorkspaceError` if none can be."""
        ...

    def send(self, hand: Hand, job: int, opener: Opener[Any, Any], given: Any) -> None:
        """Give it a block of a job to do."""
        ...

    def first(self, busy: Collection[Hand]) -> tuple[Hand, Answer | None]:
        """One of these that is done, with what it says; None where it broke off."""
        ...

    def end(self, hand: Hand) -> None:
        """End it, whatever it is at."""
        ...


@dataclass(eq=False, slots=True)
class Hand:
    """One worker. `own`: what its crew knows it by."""

    own: Any
    cleared: Label = EVERYTHING

    def may_see(self, label: Label) -> bool:
        """Whether blocks of a label may be given to it."""
        return self.cleared == EVERYTHING or label <= self.cleared


@dataclass(slots=True)
class _Try(Generic[Given]):
    number: int
    task: Task[Given]
    left: int = TRIES


@dataclass(slots=True)
class Spread:
    """Workers of a crew, who are started when there is work for them."""

    crew: Crew
    here: bool = False
    _hands: list[Hand] = field(default_factory=list)
    _jobs: int = 0

    def map(self, opener: Opener[Given, Result], tasks: Iterable[Task[Given]]) -> Mapped[Result]:
        """See `Here.map`."""
        self._jobs += 1
        drawn = (_Try(number, task) for number, task in enumerate(tasks))
        waiting: list[_Try[Given]] = []
        busy: dict[Hand, _Try[Given]] = {}
        reached = -1
        try:
            while True:
                while True:
                    oldest = min((one.number for one in busy.values()), default=reached + 1)
                    near = reached - oldest < AHEAD * max(1, len(self._hands))
                    if not waiting and near and (new := next(drawn, None)):
                        waiting.append(new)
                        reached = new.number
                    hand = self._free(waiting[0].task.label, busy) if waiting else None
                    if hand is None:
                        break
                    busy[hand] = waiting.pop(0)
                    self._give(hand, opener, busy[hand].task)
                if not busy:
                    if waiting:
                        raise WorkspaceError(f"there is no room for a worker that may see {waiting[0].task.name}")
                    return
                hand, answer = self.crew.first(busy)
                done = busy.pop(hand)
                if answer is not None:
                    yield done.number, _result(answer, done.task.name)
                    continue
                self._leave(hand)
                done.left -= 1
                if not done.left:
                    raise WorkspaceError(
                        f"{done.task.name} ended {TRIES} processes, one after another",
                        hint="try fewer with --processes, which takes less memory; what was finished is kept",
                    )
                waiting.insert(0, done)
        finally:
            for hand in busy:
                self._leave(hand)

    def close(self) -> None:
        """End all of them."""
        for hand in [*self._hands]:
            self._leave(hand)

    def _give(self, hand: Hand, opener: Opener[Given, Result], task: Task[Given]) -> None:
        """The one place where a block leaves this process."""
        if not hand.may_see(task.label):
            raise AnswerableError(f"{task.name} was to be given to a worker that is not cleared for it")
        self.crew.send(hand, self._jobs, opener, task.given)

    def _free(self, label: Label, busy: Collection[Hand]) -> Hand | None:
        """One that is cleared for a label and has nothing to do: there already, or new, if need be in place of one that
        may not see it."""
        idle = [hand for hand in self._hands if hand not in busy]
        for hand in idle:
            if hand.may_see(label):
                return hand
        if idle and len(self._hands) == self.crew.most:
            self._leave(idle.pop())
        if len(self._hands) < self.crew.most and (new := self.crew.start(label)):
            self._hands.append(new)
            return new
        return None

    def _leave(self, hand: Hand) -> None:
        self._hands.remove(hand)
        self.crew.end(hand)


Workers = Here | Spread
"""Who does the work of one job after another."""


@contextmanager
def workers(settings: WorkSettings, usual: int = 1) -> Iterator[Workers]:
    """Workers for the length of the block; of this machine as many as set, or else `usual`, and one is this process.

    Nobody is started before there is work. Afterwards none is left, whether the block ended, failed or was
    interrupted. Raises `MissingExtraError` without ray.
    """
    crew: Any
    if settings.cluster:
        from answerable.work.cluster import Cluster

        crew = Cluster(settings.cluster, settings.processes)
    elif (count := settings.processes or usual) > 1:
        from answerable.work.processes import Processes

        crew = Processes(count)
    else:
        yield HERE
        return
    spread = Spread(crew)
    try:
        yield spread
    finally:
        spread.close()
        crew.close()


def in_order(results: Mapped[Result]) -> Generator[Result, None, None]:
    """What `Workers.map` gives, in the order of the tasks."""
    early: dict[int, Result] = {}
    due = 0
    with closing(results):
        for number, result in results:
            early[number] = result
            while due in early:
                yield early.pop(due)
                due += 1


class Worker:
    """Does blocks one by one, in whichever process. What goes wrong is returned: an exception may quote a text."""

    def __init__(self) -> None:
        self._job = -1
        self._work: Callable[[Any], Any] | None = None

    def run(self, job: int, opener: Opener[Any, Any], given: Any) -> Answer:
        """One block of a job; what did those of the job before is closed."""
        try:
            if self._work is None or job != self._job:
                self._work, self._job = None, job
                self._work = opener()
            return True, self._work(given)
        except AnswerableError as error:
            return False, type(error).__name__, str(error.args[0]), error.hint
        except Exception as error:
            return False, "", type(error).__name__, None


def _result(answer: Answer, task: str) -> Any:
    """A worker's result, or what went wrong there raised here."""
    if answer[0]:
        return answer[1]
    _, name, message, hint = answer
    if not name:
        what = f"a worker met an internal error ({message}) at {task}"
        raise AnswerableError(what, hint="run it on this machine with --processes 1 and --debug")
    kind: type[AnswerableError] = getattr(answerable.errors, name, AnswerableError)
    error = kind.__new__(kind)  # some are made from other things than they say
    AnswerableError.__init__(error, message, hint)
    raise error
