"""The law over HTTP for every skill and both private modes, and for several asks over the same connections."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import pytest

from answerable.chains.beam import gather
from answerable.types import Privacy
from tests.laws import broken_sessions
from tests.laws.sessions import SESSION_TABLES, Make, Session, draw_session
from tests.laws.wired import SETTINGS, Slot, seen, slots
from tests.laws.worlds import MemoryEnclave, TinyEncoder, Trial, draw
from tests.server.running import client


@pytest.fixture(scope="module")
def made():
    with slots() as made:
        yield made


@pytest.mark.parametrize("privacy", [Privacy.DOCUMENT, Privacy.QUERY])
def test_linking_tells_a_server_nothing(made, privacy) -> None:
    rng = random.Random(8)
    trials = (one for _ in range(400) if _links(one := _reading(draw(rng), privacy)))
    for trial in islice(trials, 3):
        first, second = seen(trial, gather, made)
        assert first == second
        assert any(b'"mode":"entity"' in request for request in first)


def _reading(trial: Trial, privacy: Privacy) -> Trial:
    beam = replace(trial.beam, hops=2, width=2, k=2, link=1)
    return replace(trial, beam=beam, privacy=privacy)


def _links(trial: Trial) -> bool:
    """Whether the observer, at a server that shares the asker's encoder, is asked for pages."""
    shares = sorted(trial.table).index(trial.observer) % 2 == 0
    return shares and any(mode == "entity" for _, _, mode, _ in trial.sent(gather))


def _session(rng: random.Random) -> Session:
    session = draw_session(rng, SESSION_TABLES[2:])
    beam = replace(session.trial.beam, hops=2, width=2, k=2, link=0)
    return replace(session, trial=replace(session.trial, beam=beam), asks=session.asks[:3], choking=0)


def _told(session: Session, make: Make, made: list[Slot]) -> list[object]:
    """What each run told: the bytes that the observer was sent, and all that the guest was."""
    runs: list[object] = []
    for corpora in session.trial.corpora:
        names = sorted(session.trial.table)
        indexes = {}
        for name, slot in zip(names, made, strict=False):
            slot.stored.enclave, slot.stored.encoder = MemoryEnclave(name, corpora[name], []), TinyEncoder()
            slot.proxy.seen.clear()
            slot.proxy.choose = lambda number, request: None
            indexes[name] = client(slot.proxy.url, TinyEncoder(), name, timeout=SETTINGS.timeout, tries=SETTINGS.tries)
        guest = session.run(make(), indexes)
        for index in indexes.values():
            index.close()
        runs.append((list(made[names.index(session.trial.observer)].proxy.seen), guest))
    return runs


def test_several_asks_tell_a_server_nothing(made) -> None:
    rng = random.Random(9)
    for _ in range(4):
        first, second = _told(_session(rng), lambda: gather, made)
        assert first == second


def test_what_is_remembered_shows_over_http_too(made) -> None:
    rng = random.Random(9)
    sessions = [_session(rng) for _ in range(200)]
    leaking = next(one for one in sessions if _differs(one))
    first, second = _told(leaking, broken_sessions.Answers, made)
    assert first != second


def _differs(session: Session) -> bool:
    first, second = session.told(broken_sessions.Answers)
    return first.enclave != second.enclave
