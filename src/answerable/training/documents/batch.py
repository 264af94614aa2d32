"""Lessons as tensors: a document's paragraphs to a table, its questions to steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from answerable.encoders.sentences import Laid, SentenceLayout, feeding
from answerable.training.documents.draw import Lesson
from answerable.training.documents.model import GlobalEncoder, Level, Table
from answerable.training.loop import halved, in_batches, tensors

TOKENS = 1024
"""Of rows encoded together, about: those of like length, so that little is padding."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A lesson laid out: the rows of its document and of its questions, each with its global tokens.

    The vectors of all rows' global tokens stand one after another. `places` (p, l) int64 says which of them is whose
    sentence, -1 for none, and `wholes` (p, w) which are the null sentences of a paragraph's windows. `paragraphs`
    (steps, b, p) and `sentences` (steps, b, p, l) bool: what is right. `decisions` and `over` (b,), -1 for none.
    """

    document: tuple[Laid, ...]
    places: Tensor
    wholes: Tensor
    questions: tuple[Laid, ...]
    levels: tuple[Level, ...]
    paragraphs: Tensor
    sentences: Tensor
    decisions: Tensor
    over: Tensor


def collate(layout: SentenceLayout, lesson: Lesson) -> Batch:
    """Lay a lesson out. All its tasks have equally many steps, of the same levels."""
    windows = layout.paragraphs(lesson.paragraphs)
    places, wholes = numbered(windows)
    levels, count = lesson.tasks[0].levels, len(lesson.tasks)
    paragraphs = torch.zeros(len(levels), count, len(windows), dtype=torch.bool)
    sentences = torch.zeros(len(levels), count, *places.shape, dtype=torch.bool)
    for number, task in enumerate(lesson.tasks):
        for step, (of_paragraphs, of_sentences) in enumerate(task.right):
            paragraphs[step, number, list(of_paragraphs)] = True
            for p, s in of_sentences:
                sentences[step, number, p, s] = True
    return Batch(
        document=tuple(row for paragraph in windows for row in paragraph),
        places=places,
        wholes=wholes,
        questions=tuple(layout.asked([(task.sentences, task.nulls) for task in lesson.tasks])),
        levels=levels,
        paragraphs=paragraphs,
        sentences=sentences,
        decisions=torch.tensor([-1 if task.decision is None else task.decision for task in lesson.tasks]),
        over=torch.tensor([-1.0 if task.over is None else float(task.over) for task in lesson.tasks]),
    )


def numbered(windows: Sequence[Sequence[Laid]]) -> tuple[Tensor, Tensor]:
    """The numbers of each paragraph's sentences (p, l) and null sentences (p, w) among all globals, -1 for none."""
    sentences, wholes, done = [], [], 0
    for paragraph in windows:
        mine: list[int] = []
        null: list[int] = []
        for one in paragraph:
            mine += range(done, done + len(one.roles) - 1)
            done += len(one.roles)
            null.append(done - 1)
        sentences.append(mine)
        wholes.append(null)
    return _padded(sentences), _padded(wholes)


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=-1)


def encode(encoder: GlobalEncoder, rows: Sequence[Laid], device: torch.device) -> list[Tensor]:
    """(global tokens, width) float32 of each row."""

    def run(some: list[int]) -> list[Tensor]:
        with halved(device):
            vectors = encoder(*tensors(feeding([rows[i] for i in some]), device)).float()
        return [vectors[place, : len(rows[i].roles)] for place, i in enumerate(some)]

    return in_batches([len(row.ids) for row in rows], TOKENS, run)


def table(encoder: GlobalEncoder, batch: Batch, device: torch.device) -> Table:
    """The vectors of a lesson's document. A paragraph's whole is the mean of its windows'."""
    flat = torch.cat(encode(encoder, batch.document, device))
    places, wholes = batch.places.to(device), batch.wholes.to(device)
    some = flat[wholes.clamp(min=0)] * (wholes >= 0).unsqueeze(-1)
    mean = torch.nn.functional.normalize(some.sum(1), dim=-1)
    return Table(flat[places.clamp(min=0)], places >= 0, mean)


def asked(encoder: GlobalEncoder, batch: Batch, device: torch.device) -> Tensor:
    """(b, hops, width): the vectors of a lesson's questions."""
    return torch.stack(encode(encoder, batch.questions, device))
