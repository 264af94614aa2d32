"""What each skill learns by, equations 1 to 5 of Chain-of-Skills (Ma et al. 2023, section 3.1), and is judged by.

All losses are the negative log-likelihood of what is right among what is offered (the paper's equations leave out the
log). A score is an inner product divided by a temperature; whoever wants cosines gives vectors of length 1. Development
data are judged by how well a batch's vectors do what they are for, between 0 and 1.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


def contrast(queries: Tensor, candidates: Tensor, right: Tensor, blocked: Tensor, temperature: float = 1.0) -> Tensor:
    """Equations 1 and 4, retrieval and linking: each query against every candidate of the batch.

    `queries` (b, d), `candidates` (m, d): the positives and hard negatives of all queries, since those of one are
    in-batch negatives of the others. `right` (b,) int64 is each query's own positive; `blocked` (b, m) is true where
    a candidate is right as well (another positive of the question, or the same passage again) and must not count.
    """
    scores = queries @ candidates.T / temperature
    own = F.one_hot(right, candidates.shape[0]).bool()
    loss: Tensor = F.cross_entropy(scores.masked_fill(blocked & ~own, _NEVER), right)
    return loss


def propose(anchor: Tensor, spans: Tensor, is_name: Tensor, is_span: Tensor) -> Tensor:
    """Equations 2 and 3, span proposal: half the loss of the names, half that of the threshold.

    `anchor` (d,) is s; `spans` (b, k, d) are a text's spans, the first being [CLS], the threshold. `is_span` (b, k) is
    true where there is a span at all, `is_name` (b, k) where it names an entity. Each name stands against the negatives
    of its text, [CLS] among them, and not against other names; [CLS] stands against the other negatives.
    """
    scores = spans @ anchor
    negative = is_span & ~is_name
    against = torch.logsumexp(scores.masked_fill(~negative, _NEVER), dim=1, keepdim=True)
    of_names = torch.logaddexp(scores, against) - scores
    positive = is_name & is_span
    names = (of_names * positive).sum() / positive.sum().clamp_min(1)
    threshold = (against[:, 0] - scores[:, 0]).mean()
    return (names + threshold) / 2


def rerank(ends: Tensor, group: Tensor, is_right: Tensor) -> Tensor:
    """Equation 5, reranking: a passage read with its question against other passages read with the same question.

    `ends` (p, 2, d) are the vectors of [CLS] and of the first [SEP] of each pair; `group` (p,) int64 numbers the
    questions from 0; `is_right` (p,) is true for the one right pair of each question.
    """
    scores = (ends[:, 0] * ends[:, 1]).sum(-1)
    same = group[is_right][:, None] == group[None, :]
    among = torch.logsumexp(scores[None, :].masked_fill(~same, _NEVER), dim=1)
    return (among - scores[is_right]).mean()


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
