from __future__ import annotations

import pytest
import torch

from answerable.training.skills.batches import names_f1, pair_reciprocal_rank, reciprocal_rank


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
