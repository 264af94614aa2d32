"""Contrastive predictive coding: a hidden sentence is guessed from its paragraph (Oord et al. 2018).

Optional, before the walk is learned: it makes global tokens aware of the sentences around them (DocHopper, 3.1).
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.sentence_layout import SentenceLayout
from answerable.training.navigation.batch import encode
from answerable.training.navigation.draw import Lesson
from answerable.training.navigation.model import Walker


def guessing_loss(model: Walker, layout: SentenceLayout, lesson: Lesson, device: torch.device) -> Tensor:
    """One sentence of each window of two or more is hidden, all its tokens masked.

    The vector of its global token has to tell the sentence's own vector, made of the whole window, from those of all
    other sentences (InfoNCE).
    """
    windows = [row for paragraph in layout.paragraphs(lesson.paragraphs) for row in paragraph if len(row.roles) > 2]
    hidden = [int(torch.randint(len(row.roles) - 1, ())) for row in windows]
    masked = [
        replace(
            row,
            ids=tuple(layout.hidden if one == which else id_ for one, id_ in zip(row.belongs, row.ids, strict=True)),
        )
        for row, which in zip(windows, hidden, strict=True)
    ]
    firsts = torch.tensor([0, *(len(row.roles) for row in windows[:-1])]).cumsum(0)
    place = (firsts + torch.tensor(hidden)).to(device)
    guessed, true = encode(model.encoder, masked, device)[place], encode(model.encoder, windows, device)
    return F.cross_entropy(guessed @ true.T * model.scale.exp(), place)
