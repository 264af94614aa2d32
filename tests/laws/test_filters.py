"""Filters and the two-run law: what is read fits at every hop, and no enclave can tell what fits elsewhere."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from answerable.chains.beam import BeamSettings, gather
from answerable.corpora.fields import FieldRow, Filter
from answerable.privacy.trace import records
from answerable.retriever import Retriever
from answerable.types import Evidence, Passage, Query
from tests.laws.worlds import TABLES, Gather, MemoryEnclave, Trial, at_least, draw, trials

DATES = ("2001-02-03", "2001-05-04", "2002-01-01")


def _row(passage: Passage) -> FieldRow:
    """Of some documents a sender, of some a day, by their text; the wikis have no senders, as is usual."""
    lot = zlib.crc32(passage.text.encode())
    sender = "" if passage.enclave in ("wiki", "public") else f"person {'abc'[lot % 3]}"
    return str(lot), ("mail", "text")[lot % 2], sender, "", ("", *DATES)[lot % 4]


def _kept(stored: list[Passage], wanted: Filter) -> list[Passage]:
    fit = wanted.fitting([_row(one) for one in stored])
    return stored if fit is None else [one for one in stored if _row(one)[0] in fit]


class Part(MemoryEnclave):
    """What a filter says something of."""

    restricts = True


@pytest.fixture(autouse=True)
def fielded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enclaves in memory that know fields; the part that fits writes down what it is sent as the whole does."""

    def fitting(self: MemoryEnclave, wanted: Filter) -> MemoryEnclave:
        whole = wanted.fitting([_row(one) for one in self.stored]) is None
        return (MemoryEnclave if whole else Part)(self.name, _kept([*self.stored], wanted), self.log, self.fails)

    monkeypatch.setattr(MemoryEnclave, "fitting", fitting, raising=False)


def _narrow(rng: random.Random, trial: Trial) -> Filter:
    return Filter(
        sender=rng.choice(((), ("person a",), ("a", "b"))),
        after=rng.choice(("", "", "May 2001")),
        before=rng.choice(("", "2002")),
        enclaves=tuple(rng.choice(((), (), [*trial.table][:2]))),
        kinds=rng.choice(((), (), ("mail",))),
    )


def _filtered(query: Query, door: Retriever, settings: BeamSettings, wanted: Filter) -> Evidence:
    return gather(query, door.under(door.privacy, door.grants, door.at, wanted), settings)


def _relaxed(query: Query, door: Retriever, settings: BeamSettings, wanted: Filter) -> Evidence:
    """The leak: where nothing fits, it asks again without the filter. Who is asked twice knows that no mail fits."""
    found = _filtered(query, door, settings, wanted)
    return found if any(chain.hits for chain in found.chains) else gather(query, door, settings)


def _trials(seed: int, count: int) -> Iterator[tuple[Trial, Filter]]:
    rng = random.Random(seed)
    for number in range(count):
        trial = draw(rng, [TABLES[number % len(TABLES)]], granting=number % 2 == 1)
        yield trial, _narrow(rng, trial)


def test_an_enclave_cannot_tell_hidden_corpora_apart_under_a_filter() -> None:
    searched = restricted = 0
    for trial, wanted in _trials(1, trials(25 * len(TABLES))):
        ask: Gather = partial(_filtered, wanted=wanted)
        first, second = trial.seen(ask)
        assert first == second, f"{wanted}"
        searched += len(first)
        restricted += first != trial.sent(gather)
    assert searched > 300 and restricted > 25  # it was asked something, and filters do restrict


def test_the_law_catches_a_filter_that_gives_way_where_nothing_fits() -> None:
    seen = (trial.seen(partial(_relaxed, wanted=wanted)) for trial, wanted in _trials(1, 600))
    assert at_least(5, (first != second for first, second in seen))


def test_everything_that_is_read_fits_at_every_hop() -> None:
    later = 0
    for trial, wanted in _trials(2, trials(100)):
        trial = replace(trial, beam=replace(trial.beam, hops=3, ahead=3))
        indexes = {name: MemoryEnclave(name, stored, []) for name, stored in trial.corpora[0].items()}
        found = trial.ask(partial(_filtered, wanted=wanted), indexes)
        fit = {name: _kept([*stored], wanted) for name, stored in trial.corpora[0].items()}
        for hop in found.hops:
            assert all(hit.passage in fit[hop.enclave] for hit in hop.hits)
            assert not hop.hits or not wanted.enclaves or hop.enclave in wanted.enclaves
            later += bool(hop.hits and hop.query.because)
        for row in records(found.hops, trial.asker, trial.table):
            assert str(wanted) not in str(row) or not wanted
    assert later > 50
