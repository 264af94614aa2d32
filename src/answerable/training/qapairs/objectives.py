"""What a matcher is trained to do: the latent-variable objective, its simpler alternative, and reranking."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.questions import AskedRow, alone, side_by_side, together
from answerable.training.qapairs.generators import AnswerGenerator
from answerable.training.qapairs.index import Searched
from answerable.training.qapairs.known import Asked, agrees
from answerable.training.qapairs.model import MatchModel

Numbers = NDArray[np.int64]


def vectors(model: MatchModel, questions: Sequence[list[int]], device: torch.device) -> Tensor:
    """(n, width) float32 of questions given as token ids, with gradients."""
    found: Tensor = _run(model, [alone(ids) for ids in questions], device)[0]
    return found


def latent(
    model: MatchModel,
    asked: Sequence[Asked],
    questions: Sequence[list[int]],
    searched: Searched,
    found: Numbers,
    generator: AnswerGenerator,
    temperature: float,
    device: torch.device,
) -> Tensor:
    """-log of the sum over pairs of p_gen(a | q, q', a') p_ret(q' | q) (PAQ, section 4.2.1), a scalar.

    `found` (b, k): the pairs retrieved for each question. p_ret is a softmax over those of its inner products, divided
    by the temperature since vectors have length 1. A generator that compares tokens looks at what was retrieved for the
    other questions of the batch too, as if more had been retrieved.
    """
    union = np.unique(found)
    both = vectors(model, [*questions, *(searched.questions[i] for i in union)], device)
    scores = both[: len(questions)] @ both[len(questions) :].T / temperature
    own = torch.from_numpy((found[:, :, None] == union[None, None, :]).any(1))
    same = torch.tensor([[one.question == searched.pairs[i].question for i in union] for one in asked])
    wide = ~same if generator.compares else own & ~same
    retrieved = torch.log_softmax(scores.masked_fill(~wide.to(device), -1e4), dim=1)
    made = generator.likely(asked, [searched.pairs[i] for i in union], wide).to(device)
    return -torch.logsumexp(retrieved + made, dim=1).mean()


def paraphrase(
    model: MatchModel,
    asked: Sequence[Asked],
    questions: Sequence[list[int]],
    searched: Searched,
    found: Numbers,
    temperature: float,
    device: torch.device,
) -> Tensor | None:
    """Contrast the nearest retrieved pair with the same answer with every other pair of the batch: a scalar.

    The heuristic of PAQ's footnote 3: questions with the same answer are taken for paraphrases. Pairs that have a
    right answer and are not that one are left out. None when no question has such a pair.
    """
    right = [next((int(i) for i in row if _right(one, searched, i)), -1) for one, row in zip(asked, found, strict=True)]
    which = [number for number, one in enumerate(right) if one >= 0]
    if not which:
        return None
    union = np.unique(found)
    both = vectors(model, [*(questions[b] for b in which), *(searched.questions[i] for i in union)], device)
    scores = both[: len(which)] @ both[len(which) :].T / temperature
    hidden = torch.tensor([[_right(asked[b], searched, i) and i != right[b] for i in union] for b in which])
    target = torch.tensor([int(np.searchsorted(union, right[b])) for b in which], device=device)
    return F.cross_entropy(scores.masked_fill(hidden.to(device), -1e4), target)


def reranking(
    model: MatchModel,
    asked: Sequence[Asked],
    questions: Sequence[list[int]],
    searched: Searched,
    found: Numbers,
    size: int,
    rng: random.Random,
    device: torch.device,
) -> Tensor | None:
    """-log of the share of a right pair among `size` of the 2 * `size` retrieved (PAQ, section 4.2.2): a scalar.

    The others of the `size` are drawn from those with wrong answers. None when no question has a right and a wrong one.
    """
    rows: list[AskedRow] = []
    lengths: list[int] = []
    for one, ids, numbers in zip(asked, questions, found, strict=True):
        near = list(numbers[: 2 * size])
        right = [i for i in near if _right(one, searched, i)]
        wrong = [i for i in near if i not in right]
        if not right or not wrong:
            continue
        chosen = [rng.choice(right), *rng.sample(wrong, min(size - 1, len(wrong)))]
        rows += [together(ids, searched.questions[i], searched.answers[i]) for i in chosen]
        lengths.append(len(chosen))
    if not rows:
        return None
    logits: tuple[Tensor, ...] = torch.split(_run(model, rows, device)[1], lengths)
    first = torch.zeros(1, dtype=torch.long, device=device)
    return torch.stack([F.cross_entropy(part[None], first) for part in logits]).mean()


def _right(one: Asked, searched: Searched, number: int) -> bool:
    return agrees(one.answers, searched.pairs[number].answers)


def _run(model: MatchModel, rows: Sequence[AskedRow], device: torch.device) -> tuple[Tensor, Tensor]:
    ids, segments = (torch.from_numpy(one).to(device) for one in side_by_side(rows))
    with torch.autocast(device.type, torch.bfloat16):
        found: tuple[Tensor, Tensor] = model(ids, segments)
    return found[0].float(), found[1].float()
