"""What a walk is punished for: attending elsewhere (DocHopper, 3.4), deciding wrongly (4.3), going on or stopping.

Before the walk is learned it can guess: contrastive predictive coding (Oord et al. 2018) makes global tokens aware of
the sentences around them (DocHopper, 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.sentences import SentenceLayout
from answerable.training.documents.batch import Batch, encode
from answerable.training.documents.draw import Lesson
from answerable.training.documents.model import Level, Table, Taken, Walker

_NEVER = -1e9


def attention_loss(batch: Batch, table: Table, taken: Sequence[Taken]) -> Tensor:
    """The negative log-likelihood of everything right together, a mean over questions and steps.

    A step to a paragraph is a softmax over paragraphs and one to a sentence over sentences, not over the combined
    table: a paragraph's vector is a weighted mean of its sentences' (equation 3), so that its product with the query
    can never exceed that of its best sentence, and no paragraph could win. Null sentences are free of this, and there
    the softmax is over both.
    """
    losses = []
    for number, step in enumerate(taken):
        device = step.query.device
        rights = {Level.PARAGRAPH: batch.paragraphs[number], Level.SENTENCE: batch.sentences[number].flatten(1)}
        scores = {
            Level.PARAGRAPH: step.paragraphs,
            Level.SENTENCE: step.sentences.masked_fill(~table.there, _NEVER).flatten(1),
        }
        level = batch.levels[number]
        which = (Level.PARAGRAPH, Level.SENTENCE) if level is Level.EITHER else (level,)
        right = torch.cat([rights[one] for one in which], dim=1).to(device)
        every = torch.cat([scores[one] for one in which], dim=1)
        losses.append(torch.logsumexp(every, 1) - torch.logsumexp(every.masked_fill(~right, _NEVER), 1))
    return torch.stack(losses).mean()


def decision_loss(logits: Tensor, decisions: Tensor) -> Tensor:
    """Cross entropy over the classes of a conversation."""
    return F.cross_entropy(logits, decisions.to(logits.device))


def stop_loss(logits: Tensor, over: Tensor) -> Tensor:
    """Binary cross entropy of whether two steps are enough; questions of which nobody knows (-1) do not count."""
    known = over >= 0
    if not known.any():
        return logits.sum() * 0.0
    return F.binary_cross_entropy_with_logits(logits[known.to(logits.device)], over[known].to(logits.device))


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
