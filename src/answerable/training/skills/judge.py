"""How well a batch's vectors do what they are for, between 0 and 1: what development data are judged by."""

from __future__ import annotations

import torch
from torch import Tensor


def reciprocal_rank(queries: Tensor, candidates: Tensor, right: Tensor, blocked: Tensor) -> float:
    """Mean over queries (b, d) of 1 / rank of the right one of the candidates (m, d); ties count against it.

    `right` (b,) and `blocked` (b, m) are as in `losses.contrast`.
    """
    scores = queries @ candidates.T
    own = scores.gather(1, right[:, None])
    rivals = (scores >= own) & ~blocked
    rivals.scatter_(1, right[:, None], False)
    return float((1.0 / (1.0 + rivals.sum(1))).mean())


def names_f1(anchor: Tensor, spans: Tensor, is_name: Tensor, is_span: Tensor) -> float:
    """F1 of the spans that score above their text's [CLS], against those that are names; as in `losses.propose`."""
    scores = spans @ anchor
    said = (scores > scores[:, :1]) & is_span
    said[:, 0] = False
    both = float((said & is_name).sum())
    return 2 * both / max(1.0, float(said.sum() + (is_name & is_span).sum()))


def pair_reciprocal_rank(ends: Tensor, group: Tensor, is_right: Tensor) -> float:
    """Mean over questions of 1 / rank of the right pair among the question's pairs; as in `losses.rerank`."""
    scores = (ends[:, 0] * ends[:, 1]).sum(-1)
    same = group[is_right][:, None] == group[None, :]
    rivals = same & ~is_right[None, :] & (scores[None, :] >= scores[is_right][:, None])
    return float((1.0 / (1.0 + rivals.sum(1).to(torch.float32))).mean())
