"""The span reader as it is trained: a trunk with two heads, its batches and its loss."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.trunk import Trunk
from answerable.training.reading import NONE, SPAN, Encoded

_ROUND = 32


class SpanReader(nn.Module):
    """Start and end logits for each token and the kind of answer, from `[CLS]` (Devlin et al. 2019, section 4.2)."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.trunk = trunk
        self.span = nn.Linear(trunk.shape.width, 2)
        self.kind = nn.Linear(trunk.shape.width, 4)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(b, n) int64 to start (b, n), end (b, n) and kind (b, 4) logits; padding and question are masked."""
        hidden = self.trunk(ids, types, mask)
        logits = self.span(hidden)
        keep = (types == 1) & (mask == 1)
        keep = torch.cat([torch.ones_like(keep[:, :1]), keep[:, 1:]], dim=1)
        blocked = (1.0 - keep.to(logits.dtype)) * -10000.0
        return logits[..., 0] + blocked, logits[..., 1] + blocked, self.kind(hidden[:, 0])


def collate(batch: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """Pad to the longest: ids, types and mask, each (b, n) int64. Lengths are rounded up, so that there are few of
    them: memory is then used again."""
    length = -(-max(len(e.ids) for e in batch) // _ROUND) * _ROUND
    ids, types, mask = (torch.zeros(len(batch), length, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(batch):
        size = len(one.ids)
        ids[row, :size] = torch.tensor(one.ids)
        types[row, :size] = torch.tensor(one.types)
        mask[row, :size] = 1
    return ids, types, mask


def reading_loss(start: Tensor, end: Tensor, kind: Tensor, batch: Sequence[Encoded]) -> Tensor:
    """Cross-entropy of start, end and kind; yes/no questions have no span and train the kind alone."""
    starts = torch.tensor([e.start for e in batch])
    ends = torch.tensor([e.end for e in batch])
    kinds = torch.tensor([e.kind for e in batch])
    spanned = ((kinds == SPAN) | (kinds == NONE)).float()
    pointing = F.cross_entropy(start.float(), starts, reduction="none")
    pointing = pointing + F.cross_entropy(end.float(), ends, reduction="none")
    loss: Tensor = (pointing * spanned).mean() / 2 + 0.5 * F.cross_entropy(kind.float(), kinds)
    return loss
