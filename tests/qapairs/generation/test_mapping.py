"""Mapping: the same results wherever the work is done, errors as they were, and nobody left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing import active_children

import pytest

from answerable.errors import AnswerableError, MissingExtraError, UsageError, WorkspaceError
from answerable.qapairs.generation import mapping
from answerable.qapairs.generation.mapping import Opener, workers


def mapped(opener: Opener[int, int], tasks: Iterable[int], processes: int = 1) -> Iterator[tuple[int, int]]:
    with workers(processes) as those:
        yield from those.map(opener, tasks)


def squares(add: int = 0) -> Callable[[int], tuple[int, int]]:
    """Opened once in each process; says which one it was."""
    own = os.getpid()
    return lambda number: (number * number + add, own)


def secretive() -> Callable[[int], int]:
    def work(number: int) -> int:
        if number == 2:
            raise KeyError("the text of a passage")
        return number

    return work


def refusing(what: str) -> Callable[[int], int]:
    def work(number: int) -> int:
        if what == "extra":
            raise MissingExtraError("this", "pairs")
        raise UsageError("not like this", hint="like that")

    return work


def leaving() -> Callable[[int], int]:
    def work(number: int) -> int:
        os._exit(3)

    return work


def resting() -> Callable[[int], int]:
    def work(number: int) -> int:
        time.sleep(60 if number else 0)
        return number

    return work


def test_one_process_is_this_one_and_opens_nothing_for_nothing() -> None:
    assert [*mapped(partial(squares, 1), range(3))] == [
        (0, (1, os.getpid())),
        (1, (2, os.getpid())),
        (2, (5, os.getpid())),
    ]

    def unwanted() -> Callable[[int], int]:
        raise AssertionError("nothing was to be opened")

    assert [*mapped(unwanted, [])] == []
    assert [*mapped(unwanted, [], processes=2)] == []


def test_several_processes_give_the_same() -> None:
    found = dict(mapped(partial(squares, 1), iter(range(20)), processes=2))
    assert {number: value for number, (value, _) in found.items()} == {n: n * n + 1 for n in range(20)}
    there = {process for _, process in found.values()}
    assert os.getpid() not in there and 1 <= len(there) <= 2
    assert not active_children()


def test_workers_do_one_job_after_another() -> None:
    with workers(2) as those:
        first = dict(those.map(partial(squares, 1), range(4)))
        second = dict(those.map(partial(squares, 2), range(3)))
    assert [first[n][0] for n in range(4)] == [1, 2, 5, 10] and [second[n][0] for n in range(3)] == [2, 3, 6]
    assert {own for _, own in second.values()} <= {own for _, own in first.values()}


def test_errors_come_as_they_were_and_never_with_a_text() -> None:
    for processes in (1, 2):
        with pytest.raises(UsageError, match="not like this") as caught:
            list(mapped(partial(refusing, "usage"), range(1), processes))
        assert caught.value.hint == "like that"
        with pytest.raises(MissingExtraError) as missing:
            list(mapped(partial(refusing, "extra"), range(1), processes))
        assert missing.value.hint == "pip install 'answerable[pairs]'"
    with pytest.raises(AnswerableError, match="KeyError") as internal:
        list(mapped(secretive, [2], 2))
    assert "passage" not in str(internal.value) and internal.value.__cause__ is None
    assert not active_children()


def test_a_process_that_breaks_off_is_told_in_a_sentence() -> None:
    with pytest.raises(WorkspaceError, match="broke off"):
        list(mapped(leaving, range(1), 2))
    assert not active_children()


def test_who_leaves_early_leaves_nobody_behind() -> None:
    began = time.monotonic()
    results = mapped(resting, range(4), 2)
    assert next(results) == (0, 0)
    results.close()
    assert not active_children() and time.monotonic() - began < 20


def test_an_interruption_ends_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = mapping.wait

    def interrupted(connections: object) -> object:
        for child in active_children():
            os.kill(child.pid, signal.SIGINT)  # as a terminal does, to all of them
        if len(connections) == 2 and not wait(connections, timeout=0.05):
            raise KeyboardInterrupt
        return wait(connections)

    monkeypatch.setattr(mapping, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(mapped(resting, range(1, 4), 2))
    assert not active_children()
