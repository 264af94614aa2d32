"""What a matcher is trained to do: the latent-variable objective with the generator it needs, and reranking."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.questions import AskedRow, alone, side_by_side, together
from answerable.training.loop import halved, tensors
from answerable.training.qapairs.known import Asked, Known, agrees
from answerable.training.qapairs.model import MatchModel, Searched

Numbers = NDArray[np.int64]
_NEVER = -1e4
"""The log-probability of what is not looked at."""


class Copying(nn.Module):
    """How likely an answer is, given a question and a pair that was found for it: p_gen of PAQ, section 4.2.1.

    p(a) is the product over its tokens of c times their share of the pair's answer and 1 - c times how common. The
    paper's is BART-large; this needs no weights and no accelerator: a pointer to the tokens of the pair's answer, mixed
    with how common a token is (a pointer-generator without attention; See et al. 2017, section 2.2). It too is made
    token by token, so that finding "1972" for "December 1972" earns a share.
    """

    def __init__(self, pieces: Any, answers: Sequence[str]) -> None:
        """`pieces`: a tokenizer (`WordPieces`); `answers`: those whose tokens say what is common."""
        super().__init__()
        self._pieces = pieces
        self._held: dict[str, tuple[int, ...]] = {}
        counts = Counter(token for answer in answers for token in self._tokens(answer))
        total = sum(counts.values()) + len(counts) + 1
        self._common = {token: (count + 1) / total for token, count in counts.items()}
        self._rare = 1 / total
        self.copies = nn.Parameter(torch.tensor(1.4))
        """The log-odds of c: 0.8 to begin with."""

    def likely(self, questions: Sequence[Asked], pairs: Sequence[Known], found: Tensor) -> Tensor:
        """(b, k) float32 log-probabilities of each question's answer by each pair, where `found` (b, k) bool is true.

        Elsewhere they are very low. Of several answers the likeliest counts. Tokens are compared, not read, so that
        every pair can be looked at.
        """
        theirs = [self._tokens(pair.answers[0]) for pair in pairs]
        shares = [{token: count / len(tokens) for token, count in Counter(tokens).items()} for tokens in theirs]
        wanted = [[self._tokens(answer) for answer in one.answers] for one in questions]
        most = max(len(answers) for answers in wanted)
        longest = max(len(tokens) for answers in wanted for tokens in answers)
        share = torch.zeros(len(questions), len(pairs), most, longest)
        common = torch.ones(len(questions), 1, most, longest)
        there = torch.zeros(len(questions), 1, most, longest)
        for b, answers in enumerate(wanted):
            for a, tokens in enumerate(answers):
                common[b, 0, a, : len(tokens)] = torch.tensor([self._common.get(one, self._rare) for one in tokens])
                there[b, 0, a, : len(tokens)] = 1.0
                for k, held in enumerate(shares):
                    if not held.keys().isdisjoint(tokens):
                        share[b, k, a, : len(tokens)] = torch.tensor([held.get(one, 0.0) for one in tokens])
        copied = torch.sigmoid(self.copies)
        by_token = torch.log(copied * share + (1 - copied) * common) * there
        absent = (there.sum(-1) == 0).float() * _NEVER
        made: Tensor = (by_token.sum(-1) + absent).amax(-1)
        return torch.where(found, made, torch.full_like(made, _NEVER))

    def _tokens(self, answer: str) -> tuple[int, ...]:
        if answer not in self._held:
            self._held[answer] = tuple(self._pieces.ids([answer], 34)[0][1:-1]) or (0,)
        return self._held[answer]


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
    generator: Copying,
    temperature: float,
    device: torch.device,
) -> Tensor:
    """-log of the sum over pairs of p_gen(a | q, q', a') p_ret(q' | q) (PAQ, section 4.2.1), a scalar.

    `found` (b, k): the pairs retrieved for each question. p_ret is a softmax over those of its inner products, divided
    by the temperature since vectors have length 1. What was retrieved for the other questions of the batch is looked at
    too, as if more had been retrieved.
    """
    union = np.unique(found)
    both = vectors(model, [*questions, *(searched.questions[i] for i in union)], device)
    scores = both[: len(questions)] @ both[len(questions) :].T / temperature
    other = torch.tensor([[one.question != searched.pairs[i].question for i in union] for one in asked])
    retrieved = torch.log_softmax(scores.masked_fill(~other.to(device), _NEVER), dim=1)
    made = generator.likely(asked, [searched.pairs[i] for i in union], other).to(device)
    return -torch.logsumexp(retrieved + made, dim=1).mean()


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
        right = [i for i in near if agrees(one.answers, searched.pairs[i].answers)]
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


def _run(model: MatchModel, rows: Sequence[AskedRow], device: torch.device) -> tuple[Tensor, Tensor]:
    with halved(device):
        found: tuple[Tensor, Tensor] = model(*tensors(side_by_side(rows), device))
    return found[0].float(), found[1].float()
