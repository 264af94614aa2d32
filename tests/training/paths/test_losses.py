from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from answerable.training.paths.losses import PathWeights, list_mle, pointing  # noqa: E402

RELEVANCES = (0.0, 0.5, 1.0)
items = st.lists(st.tuples(st.floats(-30, 30), st.sampled_from(RELEVANCES)), min_size=1, max_size=7)


def loss(found: list[tuple[float, float]], fill: int = 0) -> float:
    scores, relevance = torch.tensor([found], dtype=torch.float64).unbind(-1)
    there = torch.ones_like(scores).bool()
    if fill:
        pad = torch.full((1, fill), 7.0, dtype=torch.float64)
        scores, relevance = torch.cat([scores, pad], 1), torch.cat([relevance, pad], 1)
        there = torch.cat([there, torch.zeros(1, fill).bool()], 1)
    return float(list_mle(scores, relevance, there))


def by_hand(found: list[tuple[float, float]]) -> float:
    """Equation 9, item by item."""
    total = 0.0
    for score, relevance in found:
        among = [score, *(other for other, less in found if less < relevance)]
        total -= score - max(among) - math.log(sum(math.exp(one - max(among)) for one in among))
    return total


@settings(max_examples=150, deadline=None)
@given(items)
def test_it_is_equation_9(found: list[tuple[float, float]]) -> None:
    assert loss(found) == pytest.approx(by_hand(found), abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(items, st.randoms(use_true_random=False), st.floats(-50, 50))
def test_neither_order_nor_a_constant_nor_what_fills_up_matters(
    found: list[tuple[float, float]], random, by: float
) -> None:
    shuffled = random.sample(found, len(found))
    assert loss(shuffled) == pytest.approx(loss(found), abs=1e-9)
    assert loss(found, fill=3) == pytest.approx(loss(found), abs=1e-9)
    assert loss([(score + by, relevance) for score, relevance in found]) == pytest.approx(loss(found), abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(items)
def test_the_perfect_order_costs_least(found: list[tuple[float, float]]) -> None:
    scores = sorted(score for score, _ in found)
    perfect = list(zip(scores, sorted(relevance for _, relevance in found), strict=True))
    assert loss(perfect) <= loss(found) + 1e-9
    far = [(100.0 * relevance, relevance) for _, relevance in found]
    assert loss(far) == pytest.approx(0.0, abs=1e-6)


def test_equals_never_stand_against_each_other() -> None:
    assert loss([(3.0, 1.0), (-8.0, 1.0), (50.0, 1.0)]) == 0.0
    scores = torch.tensor([[2.0, 1.0, 0.0]], requires_grad=True)
    list_mle(scores, torch.tensor([[1.0, 0.0, 0.0]]), torch.ones(1, 3).bool()).backward()
    assert scores.grad[0, 0] < 0 < scores.grad[0, 1]


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_it_and_its_gradient_stay_finite(size: float) -> None:
    scores = torch.tensor([[-size, size, 0.0], [0.0, 0.0, size]], requires_grad=True)
    there = torch.tensor([[True, True, True], [True, False, False]])
    found = list_mle(scores, torch.tensor([[1.0, 0.0, 0.5], [1.0, 0.0, 0.0]]), there)
    found.backward()
    assert torch.isfinite(found) and torch.isfinite(scores.grad).all()


def test_lists_are_averaged_and_pointing_is_the_mean_of_both_ends() -> None:
    one, other = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 3.0]])
    relevance, there = torch.tensor([[1.0, 0.0]]), torch.ones(1, 2).bool()
    both = list_mle(torch.cat([one, other]), relevance.repeat(2, 1), there.repeat(2, 1))
    assert both == (list_mle(one, relevance, there) + list_mle(other, relevance, there)) / 2
    start, end = torch.zeros(1, 4), torch.tensor([[0.0, 0.0, 50.0, 0.0]])
    found = pointing(start, end, torch.tensor([0]), torch.tensor([2]))
    assert float(found) == pytest.approx(math.log(4) / 2, abs=1e-5)
    assert PathWeights() == PathWeights(passages=1.0, answer=1.0, sentences=0.5)
