from __future__ import annotations

from itertools import count

import pytest

from answerable.chains.beam import BeamSettings, affordable
from answerable.encoders.encoder import Encoder, Passages, Vectors
from answerable.encoders.hashed import HashedEncoder

GIVEN = BeamSettings(width=5, rerank=40, seconds=0.1)


def ticking(seconds: float) -> object:
    """A clock that says so many seconds have passed each time it is looked at."""
    ticks = count()
    return lambda: next(ticks) * seconds


@pytest.mark.parametrize(("took", "chains"), [(0.001, 40), (0.08, 10), (0.0801, 9), (4.0, 5), (0.0, 40)])
def test_a_time_is_so_many_chains(took: float, chains: int) -> None:
    assert affordable(GIVEN, HashedEncoder(), ticking(took)).rerank == chains  # eight passages take `took`


def test_without_a_limit_or_reranking_nothing_is_measured() -> None:
    class Deaf:
        """An encoder that cannot rerank."""

    for settings, encoder in (
        (BeamSettings(rerank=40), HashedEncoder()),
        (BeamSettings(seconds=0.1), HashedEncoder()),
        (GIVEN, Deaf()),
    ):
        assert affordable(settings, encoder, lambda: pytest.fail("looked at the clock")) is settings  # type: ignore[arg-type]


def test_the_model_is_opened_by_one_passage_and_timed_twice_on_more() -> None:
    told: list[int] = []

    class Telling(HashedEncoder):
        def rerank(self, question: str, passages: Passages) -> Vectors:
            told.append(len(passages))
            return super().rerank(question, passages)

    affordable(GIVEN, Telling())
    assert told == [1, 8, 8]


def test_what_is_measured_is_this_machine() -> None:
    encoder: Encoder = HashedEncoder()
    assert affordable(BeamSettings(width=5, rerank=40, seconds=60.0), encoder).rerank == 40
