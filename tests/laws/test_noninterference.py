"""What an enclave is sent does not depend on text that it does not admit: two runs, one difference, one comparison."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.indexes.in_memory import Prefetched
from answerable.privacy import flow
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.flow import first_query
from answerable.privacy.grants import Grant, standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Enclave, Label, Privacy, Query
from tests.laws import broken
from tests.laws.worlds import (
    MODES,
    NOW,
    TABLES,
    Gather,
    MemoryEnclave,
    Sent,
    TinyEncoder,
    Trial,
    at_least,
    corpus,
    draw,
    some_text,
    trials,
)


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_an_enclave_cannot_tell_hidden_corpora_apart(table: int) -> None:
    """Texts, vectors, modes, numbers, their count and their order are the same in both runs."""
    rng = random.Random(table)
    searched = 0
    for number in range(trials(40)):
        trial = draw(rng, [TABLES[table]])
        first, second = trial.seen(gather)
        assert first == second, f"trial {number} of table {table}"
        searched += len(first)
    assert searched > 30  # the observer was asked something: the law is not empty


@given(seed=st.integers(0, 2**32))
def test_any_seed(seed: int) -> None:
    trial = draw(random.Random(seed))
    first, second = trial.seen(gather)
    assert first == second


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_grants_let_out_only_what_they_lift(table: int) -> None:
    """With grants given: what an enclave is sent depends on text that it admits or was granted, and on no other."""
    rng = random.Random(100 + table)
    searched = needed = 0
    for number in range(trials(60)):
        trial = draw(rng, [TABLES[table]], granting=True)
        first, second = trial.seen(gather)
        assert first == second, f"trial {number} of table {table}"
        searched += len(first)
        needed += first != replace(trial, grants=()).sent(gather)
    assert searched > 50 and needed > 2  # the observer was asked something, and more than without the grants


@given(seed=st.integers(0, 2**32))
def test_any_seed_with_grants(seed: int) -> None:
    trial = draw(random.Random(seed), granting=True)
    first, second = trial.seen(gather)
    assert first == second


def test_the_law_catches_a_grant_that_lifts_an_askers_label_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read or typed, a word is the same: lifted at later hops, private hits would choose what is sent there."""

    def lifted(grant: Grant, query: Query, enclave: Enclave, at: datetime) -> Label:
        own = (grant.asker, grant.to) == (query.asker.name, enclave.name) and grant.in_force(at)
        return grant.lifts | grant.before_reading if own else PUBLIC

    monkeypatch.setattr(flow, "_lifted", lifted)
    rng = random.Random(1)
    assert at_least(2, (_differs(draw(rng, granting=True)) for _ in range(300)))


def test_a_granted_word_does_flow() -> None:
    """The control: with the granted text changed too, the enclave it was granted to can tell."""
    rng = random.Random(11)
    told = 0
    for _ in range(60):
        trial = draw(rng, TABLES[:1])
        trial = replace(trial, privacy=Privacy.DOCUMENT, beam=BeamSettings(2, 3, 3))
        told += _differs(replace(trial, grants=(standing(Asker(), ["mail"], "wiki", NOW),)))
        assert not _differs(trial)
    assert told > 10


def _differs(trial: Trial) -> bool:
    first, second = trial.seen(gather)
    return first != second


@given(seed=st.integers(0, 2**32))
def test_a_failing_private_index_is_not_noticed_below(seed: int) -> None:
    """Everything for an enclave that admits only public text is sent before a private enclave is searched."""
    trial = draw(random.Random(seed), TABLES[:3])
    first, second = trial.seen(gather, failing=True)
    assert first == second


@pytest.mark.parametrize("leaking", [broken.mask, broken.joint, broken.keep_old, broken.late])
def test_the_law_catches_known_leaks(leaking: Gather) -> None:
    rng = random.Random(5)
    seen = (draw(rng).seen(leaking) for _ in range(400))
    assert at_least(5, (first != second for first, second in seen))


def test_the_law_catches_passages_shown_to_whoever_must_not_know_that_they_were_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a query of the clinic fetched tells of the clinic: found by a mail, it would reach a host of mails."""
    rng = random.Random(32)
    drawn = (replace(draw(rng, TABLES[-1:], sparse=False), privacy=Privacy.DOCUMENT) for _ in range(300))
    beam = BeamSettings(hops=4, k=2, width=3, ahead=1)  # few are held, so that it matters who fetched them
    shown = [replace(trial, beam=beam) for trial in drawn if trial.observer == "news"]
    within = Prefetched.within
    with monkeypatch.context() as patch:
        patch.setattr(
            Prefetched, "within", lambda held, enclave, _: within(held, enclave, frozenset({"mail", "clinic"}))
        )
        caught = [*islice((at for at, trial in enumerate(shown) if _differs(trial)), 2)]
    assert len(caught) == 2 and not any(map(_differs, shown[: caught[-1] + 1]))


def _logged(seed: int, privacy: Privacy, asker: Asker, beam: BeamSettings) -> list[tuple[int, str, Sent]]:
    """(table, enclave, what it was sent) of one ask on each table, in the order of sending."""
    rng = random.Random(seed)
    rows = []
    for number, table in enumerate(TABLES):
        log: list[tuple[str, Sent]] = []
        indexes = {name: MemoryEnclave(name, corpus(rng, name), log) for name in table}
        cleared = asker if asker.clearance is None else Asker(asker.name, asker.clearance & set(table), asker.label)
        retriever = Retriever(table, indexes, TinyEncoder(), privacy, RetrieverSettings(rng.choice(MODES)))
        gather(first_query(some_text(rng, 2, 6), cleared, privacy, table), retriever, beam)
        rows += [(number, name, sent) for name, sent in log]
    return rows


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_public_text_is_searched_for_first(seed: int) -> None:
    rows = _logged(seed, Privacy.DOCUMENT, Asker(), BeamSettings(3, 2, 2))
    for number, table in enumerate(TABLES):
        names = [name for at, name, _ in rows if at == number]
        lowest = [name for name, enclave in table.items() if not enclave.admits]
        first_private = next((at for at, name in enumerate(names) if table[name].private), len(names))
        assert not set(names[first_private:]) & set(lowest)


@given(seed=st.integers(0, 2**32), cleared=st.sets(st.sampled_from(["wiki", "mail", "copy", "public", "internal"])))
@settings(max_examples=25, deadline=None)
def test_an_enclave_outside_the_clearance_is_never_searched(seed: int, cleared: set[str]) -> None:
    for privacy in Privacy:
        rows = _logged(seed, privacy, Asker("guest", frozenset(cleared)), BeamSettings(2, 3, 3))
        assert {name for _, name, _ in rows} <= cleared


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_private_question_never_reaches_a_public_host(seed: int) -> None:
    for number, name, _ in _logged(seed, Privacy.QUERY, Asker(), BeamSettings(2, 3, 3)):
        enclave = TABLES[number][name]
        assert enclave.admits & {"*", QUESTION}
