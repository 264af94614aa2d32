"""The worlds of the laws over HTTP: each enclave behind the shipped server, and a proxy that keeps every byte."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from answerable.remote.place import RemoteSettings
from tests.laws.worlds import TABLES, Gather, MemoryEnclave, TinyEncoder, Trial, hidden_from
from tests.server.proxy import Chooser, Fault, Proxy
from tests.server.running import Stored, client, running

SETTINGS = RemoteSettings(timeout=30.0, tries=2)


class OtherEncoder(TinyEncoder):
    """A server with it is sent texts, since it cannot read the asker's vectors."""

    name = "other"


@dataclass(frozen=True)
class Slot:
    """A server that stands for one enclave of a trial after the other."""

    stored: Stored
    proxy: Proxy


@contextmanager
def slots() -> Iterator[list[Slot]]:
    """As many servers as the largest table has enclaves."""
    with ExitStack() as stack:
        made = []
        for _ in range(max(len(table) for table in TABLES)):
            stored = Stored(MemoryEnclave("nobody", [], []), TinyEncoder())
            made.append(Slot(stored, Proxy(stack.enter_context(running(stored)))))
        yield made
        for slot in made:
            slot.proxy.close()


def seen(
    trial: Trial, gather: Gather, made: list[Slot], failing: bool = False, faults: Chooser | None = None
) -> tuple[list[bytes], list[bytes]]:
    """Every byte that the observer was sent in each of the two runs, a request at a time.

    `failing`: in the second run the hidden enclaves hang up on every request. `faults`: what goes wrong at the
    observer, the same in both runs. Every other server encodes with another encoder.
    """
    first, second = (_run(trial, gather, made, which, failing and which == 1, faults or _answers) for which in (0, 1))
    return first, second


def every_third(number: int, request: bytes) -> Fault | None:
    """Faults by the number of the request alone."""
    return _SOME[number % 3] if number % 4 == 2 else None


_SOME: tuple[Fault, ...] = ("drop", "500", "garbage")


def _run(trial: Trial, gather: Gather, made: list[Slot], which: int, failing: bool, faults: Chooser) -> list[bytes]:
    hidden = hidden_from(trial.table[trial.observer], trial.table, trial.grants)
    indexes = {}
    for number, (name, slot) in enumerate(zip(sorted(trial.table), made, strict=False)):
        encoder = OtherEncoder() if number % 2 else TinyEncoder()
        slot.stored.enclave, slot.stored.encoder = MemoryEnclave(name, trial.corpora[which][name], []), encoder
        slot.proxy.seen.clear()
        slot.proxy.count = 0
        slot.proxy.choose = faults if name == trial.observer else _hangs_up if failing and name in hidden else _answers
        indexes[name] = client(slot.proxy.url, TinyEncoder(), name, timeout=SETTINGS.timeout, tries=SETTINGS.tries)
    trial.ask(gather, indexes)
    for index in indexes.values():
        index.close()
    return list(made[sorted(trial.table).index(trial.observer)].proxy.seen)


def _answers(number: int, request: bytes) -> None:
    return None


def _hangs_up(number: int, request: bytes) -> Fault:
    return "drop"
