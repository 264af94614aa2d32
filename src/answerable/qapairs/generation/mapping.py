"""A function mapped over blocks of work: in this process, or in several of this machine.

What does the work is opened once in each worker, when its first task comes. Tasks and results travel; files and the
store stay with whoever maps. As every part of the work is pure, the results are the same wherever they are made.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar, cast

import answerable.errors
from answerable.encoders.session import cores
from answerable.errors import AnswerableError, WorkspaceError

Task = TypeVar("Task")
Result = TypeVar("Result")
Opener = Callable[[], Callable[[Task], Result]]
"""Opens what does the work. It must be picklable: a function of a module, or a `partial` of one."""
Mapped = Generator[tuple[int, Result], None, None]
_Answer = tuple[Any, ...]
"""Of a worker: (True, result), or (False, class of the error, what it says, its hint)."""

_LEAVE = 5.0
"""Seconds that a worker has to leave before it is made to."""


class Workers(Protocol):
    """Who does the work of one job after another."""

    def map(self, opener: Opener[Task, Result], tasks: Iterable[Task]) -> Mapped[Result]:
        """(number, result) of each task, in the order in which they are done; numbers count the tasks from 0.

        Tasks are drawn as workers are free. Errors of this package are raised as they were raised there. Raises
        `WorkspaceError` for a worker that broke off.
        """
        ...


@contextmanager
def workers(processes: int = 1) -> Iterator[Workers]:
    """Workers for the length of the block: this process alone where `processes` is 1; 0 stands for one a processor.

    Afterwards none is left, whether the block ended, failed or was interrupted.
    """
    if (processes or cores()) == 1:
        yield _Here()
        return
    pool = _Processes(processes or cores())
    try:
        yield pool
    finally:
        pool.close()


class _Here:
    """This process."""

    def map(self, opener: Opener[Task, Result], tasks: Iterable[Task]) -> Mapped[Result]:
        work: Callable[[Task], Result] | None = None
        for number, task in enumerate(tasks):
            work = work or opener()
            yield number, work(task)


class _Worker:
    """Does tasks one by one. What goes wrong is returned, since an exception may quote a text on its way."""

    def __init__(self) -> None:
        self._job = -1
        self._work: Callable[[Any], Any] | None = None

    def run(self, job: int, opener: Opener[Any, Any], task: Any) -> _Answer:
        """One task of a job; what did those of the job before is closed."""
        try:
            if self._work is None or job != self._job:
                self._work, self._job = None, job
                self._work = opener()
            return True, self._work(task)
        except AnswerableError as error:
            return False, type(error).__name__, str(error.args[0]), error.hint
        except Exception as error:
            return False, "", type(error).__name__, None


def _result(answer: _Answer) -> Any:
    """A worker's result, or what went wrong there raised here."""
    if answer[0]:
        return answer[1]
    _, name, message, hint = answer
    if not name:
        raise AnswerableError(
            f"a worker met an internal error ({message})", hint="run it with --processes 1 and --debug"
        )
    kind: type[AnswerableError] = getattr(answerable.errors, name, AnswerableError)
    error = kind.__new__(kind)  # some are made from other things than they say
    AnswerableError.__init__(error, message, hint)
    raise error


class _Processes:
    """Processes of this machine, spawned: a fork would copy threads of onnxruntime in mid-step."""

    def __init__(self, most: int) -> None:
        self._context = get_context("spawn")
        self._most, self._jobs = most, 0
        self._processes: dict[Connection, Any] = {}

    def map(self, opener: Opener[Task, Result], tasks: Iterable[Task]) -> Mapped[Result]:
        self._jobs += 1
        idle, running = [*self._processes], dict[Connection, int]()
        try:
            for number, task in enumerate(tasks):
                if not idle and len(self._processes) < self._most:
                    idle.append(self._started())
                elif not idle:
                    free = _ready(running)
                    yield running.pop(free), _received(free)
                    idle.append(free)
                free = idle.pop()
                running[free] = number
                with suppress(BrokenPipeError, ConnectionResetError):  # it is gone: whoever awaits its answer says so
                    free.send((self._jobs, opener, task))
            while running:
                free = _ready(running)
                yield running.pop(free), _received(free)
        finally:
            for free in running:
                self._processes[free].terminate()
                self._leave(free)

    def close(self) -> None:
        """End all of them."""
        for connection in [*self._processes]:
            connection.close()
        for connection in [*self._processes]:
            self._leave(connection)

    def _started(self) -> Connection:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there,), daemon=True)
        with _undisturbed():
            process.start()
        there.close()
        self._processes[here] = process
        return here

    def _leave(self, connection: Connection) -> None:
        process = self._processes.pop(connection)
        connection.close()
        process.join(_LEAVE)
        if process.exitcode is None:
            process.kill()
            process.join()


def _serve(connection: Connection) -> None:
    """A process's whole life: tasks until nobody is there to send any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells all of them; whoever maps decides
    worker = _Worker()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send(worker.run(*connection.recv()))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Start what is started here deaf to the terminal's interruption, which else would end it with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ready(running: Iterable[Connection]) -> Connection:
    """One of these that has something to say, or is closed."""
    return cast(Connection, wait(list(running))[0])


def _received(connection: Connection) -> Any:
    try:
        answer = connection.recv()
    except (EOFError, ConnectionResetError):
        raise WorkspaceError(
            "a process that made pairs broke off before its block was done",
            hint="try fewer with --processes, which takes less memory; what was finished is kept",
        ) from None
    return _result(answer)
