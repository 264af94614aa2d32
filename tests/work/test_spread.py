"""Spreading: the same results wherever the work is done, nothing lost with a worker, and nobody left behind."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import AnswerableError, MissingExtraError, SettingsError, UsageError, WorkspaceError
from answerable.types import PUBLIC, Label
from answerable.work import processes as module
from answerable.work.spread import AHEAD, TRIES, Answer, Hand, Opener, Spread, Task, WorkSettings, in_order, workers
from tests.work.openers import leaving, mortal, refusing, resting, secretive, squares


def tasks(numbers: Iterable[int]) -> Iterator[Task[int]]:
    return (Task(f"number {number}", PUBLIC, number) for number in numbers)


def mapped(opener: Opener[int, int], numbers: Iterable[int], processes: int = 1) -> Iterator[tuple[int, int]]:
    with workers(WorkSettings(processes=processes)) as those:
        yield from those.map(opener, tasks(numbers))


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


def test_workers_do_one_job_after_another() -> None:
    with workers(WorkSettings(), usual=2) as those:
        first = dict(those.map(partial(squares, 1), tasks(range(12))))
        second = [*in_order(those.map(partial(squares, 2), tasks(range(3))))]
    assert {number: value for number, (value, _) in first.items()} == {n: n * n + 1 for n in range(12)}
    assert [value for value, _ in second] == [2, 3, 6]
    there = {process for _, process in first.values()}
    assert os.getpid() not in there and 1 <= len(there) <= 2
    assert {own for _, own in second} <= there
    assert not active_children()


def test_errors_come_as_they_were_and_never_with_a_text() -> None:
    for processes in (1, 2):
        with pytest.raises(UsageError, match="not like this") as caught:
            list(mapped(partial(refusing, "usage"), range(1), processes))
        assert caught.value.hint == "like that"
    with pytest.raises(MissingExtraError) as missing:
        list(mapped(partial(refusing, "extra"), range(1), 2))
    assert missing.value.hint == "pip install 'answerable[pairs]'"
    with pytest.raises(AnswerableError, match=r"KeyError\) at number 2") as internal:
        list(mapped(secretive, [2], 2))
    assert "passage" not in str(internal.value) and internal.value.__cause__ is None
    assert not active_children()


def test_what_a_worker_was_at_is_done_by_another_and_nothing_twice(tmp_path: Path) -> None:
    assert dict(mapped(partial(mortal, tmp_path), range(5), 2)) == {number: -number for number in range(5)}
    begun = Counter(map(int, (tmp_path / "begun").read_text().split()))
    assert begun == {0: 2, 1: 1, 2: 1, 3: 2, 4: 1}


def test_a_block_that_ends_every_worker_is_told_in_a_sentence() -> None:
    with pytest.raises(WorkspaceError, match=f"number 0 ended {TRIES} processes"):
        list(mapped(leaving, range(1), 2))
    assert not active_children()


def test_who_leaves_early_leaves_nobody_behind() -> None:
    began = time.monotonic()
    results = mapped(resting, range(4), 2)
    assert next(results) == (0, 0)
    results.close()
    assert not active_children() and time.monotonic() - began < 20


def test_an_interruption_ends_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = module.wait

    def interrupted(connections: object) -> object:
        for child in active_children():
            os.kill(child.pid, signal.SIGINT)  # as a terminal does, to all of them
        if len(connections) == 2 and not wait(connections, timeout=0.05):
            raise KeyboardInterrupt
        return wait(connections)

    monkeypatch.setattr(module, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(mapped(resting, range(1, 4), 2))
    assert not active_children()


NAMES = ("mail", "crm", "law")
LABELS = st.frozensets(st.sampled_from(NAMES))


class Machines:
    """A crew on machines that are cleared for this and that; some of its workers break off. `careless`: it places a
    worker anywhere."""

    def __init__(self, cleared: list[Label], most: int, breaking: Iterator[bool], careless: bool = False) -> None:
        self.most, self._cleared, self._breaking, self._careless = most, cleared, breaking, careless
        self.seen: list[tuple[Label, Label]] = []
        self.held: dict[Hand, int] = {}

    def start(self, label: Label) -> Hand | None:
        fit = [one for one in self._cleared if self._careless or label <= one]
        if not fit:
            raise WorkspaceError(f"no machine is cleared for {', '.join(sorted(label))}")
        free = [one for one in fit if sum(hand.own is one for hand in self.held) < 2]
        if not free:
            return None
        hand = Hand(free[0], free[0])
        self.held[hand] = -1
        return hand

    def send(self, hand: Hand, job: int, opener: Opener[tuple[int, Label], int], given: tuple[int, Label]) -> None:
        self.seen.append((hand.cleared, given[1]))
        self.held[hand] = given[0]

    def first(self, busy: Collection[Hand]) -> tuple[Hand, Answer | None]:
        hand = [*busy][len(self.seen) % len(busy)]
        return hand, None if next(self._breaking, False) else (True, self.held[hand])

    def end(self, hand: Hand) -> None:
        del self.held[hand]


@given(
    st.lists(LABELS, max_size=8),
    st.lists(LABELS, min_size=1, max_size=4),
    st.integers(1, 4),
    st.lists(st.booleans(), max_size=2),
)
def test_no_block_is_given_to_a_worker_that_is_not_cleared_for_it(
    labels: list[Label], cleared: list[Label], most: int, breaking: list[bool]
) -> None:
    machines = Machines(cleared, most, iter(breaking))
    given_out = (Task(str(number), label, (number, label)) for number, label in enumerate(labels))
    spread = Spread(machines)
    results = spread.map(lambda: lambda given: given[0], given_out)
    if all(any(label <= one for one in cleared) for label in labels):
        assert dict(results) == {number: number for number in range(len(labels))}
    else:
        with pytest.raises(WorkspaceError, match="no machine is cleared"):
            list(results)
    assert all(label <= who for who, label in machines.seen)
    spread.close()
    assert not machines.held


def test_a_crew_that_places_workers_anywhere_is_caught() -> None:
    machines = Machines([PUBLIC], 1, iter(()), careless=True)
    with pytest.raises(AnswerableError, match="not cleared"):
        list(
            Spread(machines).map(
                lambda: lambda given: given, iter([Task("the mail", frozenset({"mail"}), (0, PUBLIC))])
            )
        )
    assert machines.seen == []


def test_a_cluster_that_is_reached_by_way_of_its_head_is_refused() -> None:
    with pytest.raises(SettingsError, match="by way of the head"):
        WorkSettings(cluster="ray://head:10001")


def test_no_more_is_begun_than_can_wait_for_its_turn() -> None:
    drawn: list[int] = []

    class Slow(Machines):
        def first(self, busy: Collection[Hand]) -> tuple[Hand, Answer | None]:
            later = [hand for hand in busy if self.held[hand]]  # the first block is done when nothing else is left
            return super().first(later or busy)

    def many() -> Iterator[Task[tuple[int, Label]]]:
        for number in range(40):
            drawn.append(number)
            yield Task(str(number), PUBLIC, (number, PUBLIC))

    results = Spread(Slow([PUBLIC], 2, iter(()))).map(lambda: lambda given: given[0], many())
    ready = in_order(results)
    assert next(ready) == 0 and len(drawn) <= 2 * AHEAD + 2
    assert [*ready] == [*range(1, 40)]
