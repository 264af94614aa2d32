"""The same law over real HTTP: the bytes that a server receives do not depend on text that it does not admit."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from answerable.chains.beam import gather
from answerable.types import Privacy
from tests.laws import broken
from tests.laws.wired import every_third, seen, slots
from tests.laws.worlds import TABLES, Trial, draw


@pytest.fixture(scope="module")
def made():
    with slots() as made:
        yield made


def _small(trial: Trial) -> Trial:
    """Few requests, since each takes a millisecond and more; the benchmark draws larger ones."""
    beam = replace(trial.beam, hops=2, width=2, k=2, link=min(1, trial.beam.link))
    return replace(trial, beam=beam, privacy=Privacy.DOCUMENT)


@pytest.mark.parametrize("granting", [False, True])
def test_a_server_cannot_tell_hidden_corpora_apart(made, granting):
    rng = random.Random(1)
    searches = 0
    for table in TABLES:
        first, second = seen(_small(draw(rng, [table], granting=granting)), gather, made)
        assert first == second
        searches += sum(b"/v1/search" in request for request in first)
    assert searches > len(TABLES)  # the law is not empty


@pytest.mark.parametrize("seed", range(2))
def test_other_servers_that_fail_are_not_noticed(made, seed):
    """An enclave here that breaks ends an ask; one elsewhere does not, so that this holds of every table."""
    first, second = seen(_small(draw(random.Random(seed))), gather, made, failing=True)
    assert first == second


@pytest.mark.parametrize("seed", range(2))
def test_how_often_a_failing_server_is_tried_tells_nothing(made, seed):
    first, second = seen(_small(draw(random.Random(seed))), gather, made, faults=every_third)
    assert first == second


def test_what_leaks_in_process_leaks_over_http(made):
    rng = random.Random(5)
    trial = next(
        trial for trial in (draw(rng) for _ in range(400)) if len(set(map(str, trial.seen(broken.joint)))) == 2
    )
    first, second = seen(trial, broken.joint, made)
    assert first != second
