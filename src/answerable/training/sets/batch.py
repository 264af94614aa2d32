"""Lessons as tensors: token ids of texts and constraints, and what each constraint should be answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from answerable.encoders.constraints import CONSTRAINT_TOKENS, Laid, feeding, lay
from answerable.encoders.wordpieces import WordPieces, passage_text
from answerable.training.sets.draw import Lesson


@dataclass(frozen=True, slots=True)
class FitBatch:
    """Inputs as `FitModel.forward` takes them, `labels` (b, k) float32 and `there` (b, k) bool: which are real."""

    inputs: tuple[Tensor, Tensor, Tensor, Tensor]
    labels: Tensor
    there: Tensor

    def to(self, device: torch.device) -> FitBatch:
        """The same on a device."""
        ids, segments, places, heads = (one.to(device) for one in self.inputs)
        return FitBatch((ids, segments, places, heads), self.labels.to(device), self.there.to(device))


def laid(pieces: WordPieces, lessons: Sequence[Lesson], tokens: int) -> list[Laid]:
    """The rows of lessons; at most `tokens` of each text."""
    texts = pieces.ids([passage_text(*one.text) for one in lessons], tokens)
    words = list(dict.fromkeys(text for one in lessons for text, _ in one.asked))
    said = dict(zip(words, pieces.ids(words, CONSTRAINT_TOKENS), strict=True))
    return [lay(ids, [said[text] for text, _ in one.asked]) for one, ids in zip(lessons, texts, strict=True)]


def collate(rows: Sequence[Laid], labels: Sequence[Sequence[float]]) -> FitBatch:
    """Rows and their labels side by side."""
    fed = feeding(rows)
    wanted, there = torch.zeros(fed.heads.shape), torch.zeros(fed.heads.shape, dtype=torch.bool)
    for number, values in enumerate(labels):
        wanted[number, : len(values)] = torch.tensor(values)
        there[number, : len(values)] = True
    ids, segments, places, heads = (torch.from_numpy(a) for a in (fed.ids, fed.segments, fed.places, fed.heads))
    return FitBatch((ids, segments, places, heads), wanted, there)
