"""What reading paths is learned by: equations 9 to 11 of Chain-of-Skills (Ma et al. 2023, appendix C.1)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


@dataclass(frozen=True, slots=True)
class PathWeights:
    """What each loss counts for. The defaults are equation 10; `passages = 0` is equation 11, the paper's reader."""

    passages: float = 1.0
    answer: float = 1.0
    sentences: float = 0.5


def list_mle(scores: Tensor, relevance: Tensor, there: Tensor) -> Tensor:
    """Equation 9, ListMLE (Xia et al. 2008) as the paper writes it: the mean over lists of the sum over their items.

    `scores`, `relevance` (b, m) float and `there` (b, m) bool, false for what only fills up a list. Each item stands
    against those of its list with a lower relevance, never against its equals, whose order is therefore free; those of
    the lowest relevance add nothing. The loss is 0 where every score is far above all that are less relevant.
    """
    lower = (relevance[:, None, :] < relevance[:, :, None]) & there[:, None, :]
    against = torch.logsumexp(scores[:, None, :].expand_as(lower).masked_fill(~lower, _NEVER), dim=2)
    each = torch.logaddexp(scores, against) - scores
    return (each * (there & lower.any(2))).sum(1).mean()


def pointing(start: Tensor, end: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """L_a: the mean of the cross-entropies of where the answer begins and ends (Devlin et al. 2019, section 4.2).

    `start`, `end` (b, n) logits over tokens, `first`, `last` (b,) int64; 0, [CLS], where the path holds no answer.
    """
    loss: Tensor = (F.cross_entropy(start, first) + F.cross_entropy(end, last)) / 2
    return loss
