"""Questions with their passages as padded tensors, those with equally many passages together."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from answerable.encoders.wordpieces import pad
from answerable.training.fusion.draw import Row
from answerable.training.fusion.model import LONGEST
from answerable.training.loop import plan_batches


@dataclass(frozen=True, slots=True)
class FusedBatch:
    """b questions with p passages of up to n tokens: `ids` and `mask` int64, `pointable` bool, (b, p, n).

    `right` (b, p, n, longest) bool: the spans that answer.
    """

    ids: Tensor
    mask: Tensor
    pointable: Tensor
    right: Tensor


def plan(examples: Sequence[Sequence[Row]], tokens: int, seed: int) -> list[list[int]]:
    """Group example numbers by their passages' number and length, within `tokens`, in an order fixed by the seed."""
    groups: dict[int, list[int]] = defaultdict(list)
    for number, rows in enumerate(examples):
        groups[len(rows)].append(number)
    batches = []
    for count, numbers in sorted(groups.items()):
        sizes = [count * max(len(row.ids) for row in examples[i]) for i in numbers]
        batches += [[numbers[i] for i in batch] for batch in plan_batches(sizes, [0] * len(sizes), tokens, seed)]
    random.Random(seed).shuffle(batches)
    return batches


def collate(questions: Sequence[Sequence[Row]], device: torch.device | str = "cpu") -> FusedBatch:
    """Pad to the longest passage; all questions have equally many. Yes and no can be pointed at, like any text."""
    rows = [row for question in questions for row in question]
    ids, mask = (torch.from_numpy(array) for array in pad([row.ids.tolist() for row in rows]))
    pointable = torch.zeros_like(ids, dtype=torch.bool)
    right = torch.zeros(*ids.shape, LONGEST, dtype=torch.bool)
    for number, row in enumerate(rows):
        pointable[number, list(row.polar)] = True
        pointable[number, slice(*row.text)] = True
        for first, extra in row.right:
            right[number, first, extra] = True
    shape = (len(questions), len(questions[0]))
    return FusedBatch(*(tensor.view(*shape, *tensor.shape[1:]).to(device) for tensor in (ids, mask, pointable, right)))
