"""Processes of this machine, spawned: a fork would copy threads of onnxruntime in mid-step."""

from __future__ import annotations

import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from answerable.types import Label
from answerable.work.spread import Answer, Hand, Opener, Worker

_LEAVE = 5.0
"""Seconds that a process has to leave before it is made to."""


class Processes:
    """A crew (`spread.Crew`) on this machine, which may see everything."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._context = get_context("spawn")

    def start(self, label: Label) -> Hand:
        """A new process."""
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there,), daemon=True)
        with _undisturbed():
            process.start()
        there.close()
        return Hand((here, process))

    def send(self, hand: Hand, job: int, opener: Opener[Any, Any], given: Any) -> None:
        """See `Crew`."""
        with suppress(BrokenPipeError, ConnectionResetError):  # it is gone: whoever awaits its answer is told
            hand.own[0].send((job, opener, given))

    def first(self, busy: Collection[Hand]) -> tuple[Hand, Answer | None]:
        """See `Crew`."""
        ready = wait([hand.own[0] for hand in busy])[0]
        hand = next(hand for hand in busy if hand.own[0] is ready)
        try:
            return hand, hand.own[0].recv()
        except (EOFError, ConnectionResetError):
            return hand, None

    def end(self, hand: Hand) -> None:
        """See `Crew`."""
        connection, process = hand.own
        connection.close()
        process.terminate()
        process.join(_LEAVE)
        if process.exitcode is None:
            process.kill()
            process.join()

    def close(self) -> None:
        """Nothing is left."""


def _serve(connection: Connection) -> None:
    """A process's whole life: blocks until nobody is there to send any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells all of them; whoever maps decides
    worker = Worker()
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
