from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.significance import CELLS, paired_bootstrap, paired_randomisation

RUNS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=12)


def swapped_exactly(gaps: list[float]) -> float:
    """p over all ways of swapping."""
    sums = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(gaps))
    ]
    return sum(total >= abs(sum(gaps)) - 1e-12 for total in sums) / len(sums)


def test_randomisation_agrees_with_all_swaps_of_small_runs() -> None:
    chance = random.Random(23)
    for seed in range(200):
        size = chance.randint(1, 9)
        a, b = ([chance.choice([0.0, 0.2, 0.7, 1.0]) for _ in range(size)] for _ in range(2))
        exact = swapped_exactly([y - x for x, y in zip(a, b, strict=True)])
        assert paired_randomisation(a, b, seed, rounds=2000) == pytest.approx(exact, abs=0.05)


def test_the_bootstrap_agrees_with_normal_theory_on_many_questions() -> None:
    chance = random.Random(24)
    a = [float(chance.random() < 0.5) for _ in range(2000)]
    b = [float(chance.random() < 0.53) for _ in range(2000)]
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    mean = sum(gaps) / len(gaps)
    error = math.sqrt(sum((g - mean) ** 2 for g in gaps) / len(gaps) / len(gaps))
    found = paired_bootstrap(a, b, seed=1, rounds=4000)
    assert found.mean == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.1 * error)
    assert found.p == pytest.approx(math.erfc(abs(mean) / error / math.sqrt(2)), abs=0.03)
    assert paired_randomisation(a, b, seed=1, rounds=2000) == pytest.approx(found.p, abs=0.03)


@settings(max_examples=40)
@given(RUNS, st.randoms())
def test_order_does_not_matter_and_swapping_the_runs_turns_the_sign(
    runs: list[tuple[float, float]], chance: random.Random
) -> None:
    shuffled = list(runs)
    chance.shuffle(shuffled)
    (a, b), (c, d) = (zip(*pairs, strict=True) for pairs in (runs, shuffled))
    found = paired_bootstrap(a, b, seed=3, rounds=200)
    assert paired_bootstrap(c, d, seed=3, rounds=200) == found
    assert paired_bootstrap(b, a, seed=3, rounds=200).mean == -found.mean
    p = paired_randomisation(a, b, seed=3, rounds=200)
    assert paired_randomisation(c, d, seed=3, rounds=200) == paired_randomisation(b, a, seed=3, rounds=200) == p
    assert 0 < p <= 1 and 0 < found.p <= 1 and found.low <= found.high


def test_like_runs_do_not_differ_and_unlike_ones_do() -> None:
    same = [0.0, 1.0, 0.5] * 20
    found = paired_bootstrap(same, same, rounds=500)
    assert (found.mean, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert paired_randomisation(same, same, rounds=500) == 1.0
    better = paired_bootstrap([0.0] * 60, [1.0] * 60, rounds=999)
    assert (better.mean, better.low, better.high, better.p) == (1.0, 1.0, 1.0, 0.002)
    assert paired_randomisation([0.0] * 60, [1.0] * 60, rounds=999) == 0.001


def test_the_rounds_may_be_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = [0.0, 1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0, 1.0]
    assert CELLS > 5 * 300
    whole = paired_bootstrap(a, b, seed=5, rounds=300)
    monkeypatch.setattr("answerable.evaluation.metrics.significance.CELLS", 35)
    assert paired_bootstrap(a, b, seed=5, rounds=300).p == pytest.approx(whole.p, abs=0.1)
    assert paired_randomisation(a, b, seed=5, rounds=300) == pytest.approx(swapped_exactly([1, 0, 0, 0, 1]), abs=0.1)


@pytest.mark.parametrize(
    ("a", "b", "rounds"), [([], [], 10), ([1.0], [1.0, 0.0], 10), ([1.0], [math.nan], 10), ([1.0], [0.0], 0)]
)
def test_what_cannot_be_compared_is_refused(a: list[float], b: list[float], rounds: int) -> None:
    for test in (paired_bootstrap, paired_randomisation):
        with pytest.raises(UsageError):
            test(a, b, rounds=rounds)
