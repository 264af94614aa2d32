"""The span reader as it is trained: a trunk with two heads, its batches and its loss."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from answerable.encoders.trunk import Trunk
from answerable.readers.span import LONGEST_ANSWER
from answerable.training.reading import NO, NONE, SPAN, YES, Encoded

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
    kinds, weights = _each(kind, [e.kind for e in batch]), _each(start, [e.weight for e in batch])
    spanned = ((kinds == SPAN) | (kinds == NONE)).float()
    pointing = -_right(F.log_softmax(start.float(), 1), F.log_softmax(end.float(), 1), batch)[0]
    telling = F.cross_entropy(kind.float(), kinds, reduction="none")
    loss: Tensor = ((pointing * spanned + telling) * weights).mean() / 2
    return loss


def _each(like: Tensor, values: Sequence[float]) -> Tensor:
    """A value of each row, where the scores are."""
    return torch.tensor(values, device=like.device)


def _right(start: Tensor, end: Tensor, rows: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
    """Of each row the log of the sum over its right places of what both give there, and how far the longest reaches."""
    places = [torch.tensor([(one.start, one.end), *one.further]) for one in rows]
    padded = pad_sequence(places, batch_first=True, padding_value=-1).to(start.device)
    first, last = padded.clamp_min(0).unbind(-1)
    scores = (start.gather(1, first) + end.gather(1, last)).masked_fill(padded[..., 0] < 0, -torch.inf)
    return torch.logsumexp(scores, 1), (last - first).amax(1)


def shared_loss(start: Tensor, end: Tensor, kind: Tensor, groups: Sequence[Sequence[Encoded]]) -> Tensor:
    """One softmax over all answers of all windows of a question, and over there being none (Clark and Gardner 2018,
    section 3.2, for the scores that `answerable.readers.span` compares chains by). The rows are those of the groups,
    one after the other; what asks for yes or no is answered by these, any other question by spans.
    """
    rows = [one for group in groups for one in group]
    polar = _each(kind, [asked for group in groups for asked in [_asks_polar(group)] * len(group)])
    spans, pointed = _span_scores(start.float(), end.float(), kind.float(), rows)
    said, right = _polar_scores(kind.float(), rows)
    whole, gold = torch.where(polar, said, spans), torch.where(polar, right, pointed)
    losses, first = [], 0
    for group in groups:
        part = slice(first, first + len(group))
        first += len(group)
        given = any(one.kind != NONE for one in group)
        none = whole.new_zeros(1)
        held = torch.logsumexp(gold[part], 0) if given else none[0]
        losses.append((torch.logsumexp(torch.cat([none, whole[part]]), 0) - held) * group[0].weight)
    return torch.stack(losses).mean()


_NOTHING = -1e4


def _asks_polar(group: Sequence[Encoded]) -> bool:
    kinds = {one.kind for one in group}
    return bool(kinds & {YES, NO}) or (SPAN not in kinds and group[0].polar)


def _span_scores(start: Tensor, end: Tensor, kind: Tensor, rows: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
    """Of each row the log of the sum over its spans, and the score of the right one, weighed as `SpanReader.read`
    does."""
    there = (kind[:, SPAN] - kind[:, NONE]) / 2
    first, last = (start - start[:, :1]) / 2, (end - end[:, :1]) / 2
    barred = torch.zeros_like(first)
    barred[:, 0] = _NOTHING
    first = first + barred
    size = first.shape[1]
    sums = [first[:, : size - more] + last[:, more:] for more in range(min(LONGEST_ANSWER, size))]
    whole = torch.logsumexp(torch.cat(sums, 1), 1) + there
    pointed, reach = _right(first, last, rows)
    pointed = pointed + there
    spanned = _each(kind, [one.kind == SPAN for one in rows])
    longer = spanned & (reach >= LONGEST_ANSWER)  # than any that is given, but right here
    whole = torch.where(longer, torch.logaddexp(whole, pointed), whole)
    return whole, torch.where(spanned, pointed, torch.full_like(whole, _NOTHING))


def _polar_scores(kind: Tensor, rows: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
    """Of each row the log of the sum of yes and no, each against neither, and the score of the right one."""
    scores = kind[:, [YES, NO]] - torch.logsumexp(kind[:, [SPAN, NONE]], 1, keepdim=True)
    right = _each(kind, [one.kind for one in rows])[:, None] == _each(kind, [YES, NO])
    told = torch.where(right, scores, torch.full_like(scores, _NOTHING)).amax(1)
    return torch.logsumexp(scores, 1), told
