from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from answerable.training.skills.batches import (
    contrast,
    names_f1,
    pair_reciprocal_rank,
    propose,
    reciprocal_rank,
    rerank,
)

seeds = st.integers(0, 10_000)


def nothing(queries: int, candidates: int) -> torch.Tensor:
    return torch.zeros(queries, candidates, dtype=torch.bool)


def test_retrieval_by_hand() -> None:
    queries = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    candidates = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    scores = [[2.0, 0.0, 1.0], [0.0, 2.0, 2.0]]
    expected = [-math.log(math.exp(2) / sum(map(math.exp, scores[0])))]
    expected += [-math.log(math.exp(2) / sum(map(math.exp, scores[1])))]
    found = contrast(queries, candidates, torch.tensor([0, 1]), nothing(2, 3))
    assert found.item() == pytest.approx(sum(expected) / 2, abs=1e-5)
    sharper = contrast(queries, candidates, torch.tensor([0, 1]), nothing(2, 3), temperature=0.5)
    assert sharper.item() == pytest.approx(
        contrast(2 * queries, candidates, torch.tensor([0, 1]), nothing(2, 3)).item()
    )


@given(seeds)
def test_a_masked_candidate_is_as_if_it_were_not_there(seed: int) -> None:
    torch.manual_seed(seed)
    queries, candidates = torch.randn(3, 5), torch.randn(6, 5)
    right, blocked = torch.tensor([0, 1, 2]), nothing(3, 6)
    blocked[:, 4] = True
    without = contrast(queries, candidates[[0, 1, 2, 3, 5]], right, nothing(3, 5))
    assert contrast(queries, candidates, right, blocked).item() == pytest.approx(without.item(), abs=1e-5)
    blocked[0, 0] = True  # a query's own positive is never masked
    assert contrast(queries, candidates, right, blocked).item() == pytest.approx(without.item(), abs=1e-5)


@given(seeds)
def test_the_order_of_a_batch_does_not_matter(seed: int) -> None:
    torch.manual_seed(seed)
    queries, candidates = torch.randn(4, 5), torch.randn(7, 5)
    right, blocked = torch.tensor([2, 0, 5, 1]), torch.rand(4, 7) < 0.2
    rows, columns = torch.randperm(4), torch.randperm(7)
    moved = contrast(queries[rows], candidates[columns], columns.argsort()[right[rows]], blocked[rows][:, columns])
    assert moved.item() == pytest.approx(contrast(queries, candidates, right, blocked).item(), abs=1e-5)


def test_span_proposal_by_hand() -> None:
    anchor = torch.tensor([1.0, 0.0])
    # [CLS] scores 1, two names score 2 and 3, one negative scores 0.5, and the last place is padding.
    spans = torch.tensor([[[1.0, 9.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.0], [8.0, 0.0]]])
    is_name = torch.tensor([[False, True, True, False, False]])
    is_span = torch.tensor([[True, True, True, True, False]])
    against = math.exp(1.0) + math.exp(0.5)
    names = [-math.log(math.exp(x) / (math.exp(x) + against)) for x in (2.0, 3.0)]
    threshold = -math.log(math.exp(1.0) / against)
    expected = (sum(names) / 2 + threshold) / 2
    assert propose(anchor, spans, is_name, is_span).item() == pytest.approx(expected, abs=1e-5)


@given(seeds)
def test_padding_and_the_order_of_spans_do_not_matter(seed: int) -> None:
    torch.manual_seed(seed)
    anchor, spans = torch.randn(4), torch.randn(2, 6, 4)
    is_name = torch.tensor([[False, True, False, True, False, False], [False, True, True, False, False, False]])
    is_span = torch.tensor([[True] * 6, [True] * 5 + [False]])
    expected = propose(anchor, spans, is_name, is_span).item()
    order = torch.cat([torch.zeros(1, dtype=torch.long), 1 + torch.randperm(5)])
    assert propose(anchor, spans[:, order], is_name[:, order], is_span[:, order]).item() == pytest.approx(
        expected, abs=1e-5
    )
    spans[1, 5] = 100.0
    assert propose(anchor, spans, is_name, is_span).item() == pytest.approx(expected, abs=1e-5)


def test_a_text_without_names_still_teaches_the_threshold() -> None:
    spans = torch.tensor([[[0.0, 0.0], [1.0, 0.0]]], requires_grad=True)
    loss = propose(torch.tensor([1.0, 0.0]), spans, torch.zeros(1, 2, dtype=torch.bool), torch.ones(1, 2) > 0)
    assert loss.item() == pytest.approx(math.log(1 + math.e) / 2, abs=1e-5)
    loss.backward()
    assert torch.isfinite(spans.grad).all()


def test_reranking_by_hand() -> None:
    ends = torch.tensor([[[1.0, 0.0], [2.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [3.0, 5.0]]])
    # Scores 2, 1 and 3: the first two are pairs of one question, the third stands alone.
    found = rerank(ends, torch.tensor([0, 0, 1]), torch.tensor([True, False, True]))
    assert found.item() == pytest.approx(-math.log(math.exp(2) / (math.exp(2) + math.exp(1))) / 2, abs=1e-5)


@given(seeds)
def test_pairs_of_other_questions_do_not_matter(seed: int) -> None:
    torch.manual_seed(seed)
    ends = torch.randn(7, 2, 3)
    group, right = torch.tensor([0, 0, 0, 1, 1, 1, 1]), torch.tensor([True, False, False, False, True, False, False])
    whole = rerank(ends, group, right).item()
    parts = rerank(ends[:3], group[:3], right[:3]).item(), rerank(ends[3:], group[3:] - 1, right[3:]).item()
    assert whole == pytest.approx(sum(parts) / 2, abs=1e-5)
    order = torch.randperm(7)
    assert rerank(ends[order], group[order], right[order]).item() == pytest.approx(whole, abs=1e-5)


def test_ranks_count_rivals_that_are_not_right_too() -> None:
    queries = torch.tensor([[1.0], [1.0]])
    candidates = torch.tensor([[3.0], [2.0], [4.0]])
    right, blocked = torch.tensor([0, 1]), torch.zeros(2, 3, dtype=torch.bool)
    assert reciprocal_rank(queries, candidates, right, blocked) == pytest.approx((1 / 2 + 1 / 3) / 2)
    blocked[:, 2] = True
    assert reciprocal_rank(queries, candidates, right, blocked) == pytest.approx((1 + 1 / 2) / 2)
    same = torch.ones(3, 1)
    assert reciprocal_rank(queries, same, right, torch.zeros(2, 3, dtype=torch.bool)) == pytest.approx(1 / 3)


def test_names_are_those_above_the_threshold() -> None:
    spans = torch.tensor([[[1.0], [2.0], [0.5], [3.0]]])
    is_name = torch.tensor([[False, True, True, False]])
    is_span = torch.ones(1, 4, dtype=torch.bool)
    assert names_f1(torch.tensor([1.0]), spans, is_name, is_span) == pytest.approx(2 * 1 / (2 + 2))
    is_span[0, 3] = False
    assert names_f1(torch.tensor([1.0]), spans, is_name, is_span) == pytest.approx(2 * 1 / (1 + 2))


def test_pairs_rank_among_those_of_their_question() -> None:
    ends = torch.tensor([[[1.0], [1.0]], [[1.0], [2.0]], [[1.0], [9.0]], [[1.0], [0.0]]])
    group, right = torch.tensor([0, 0, 1, 1]), torch.tensor([True, False, True, False])
    assert pair_reciprocal_rank(ends, group, right) == pytest.approx((1 / 2 + 1) / 2)
