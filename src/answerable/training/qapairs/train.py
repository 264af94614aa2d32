"""Train what matches questions among pairs, and what reranks them, from a recipe. `recipes/pairs.toml` is it.

A matcher learns the latent-variable objective with the generator that it needs.
"""

from __future__ import annotations

import json
import logging
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.questions import QUESTION_TOKENS, AskedRow, alone, side_by_side, together
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import ModelError, UsageError
from answerable.training.experts import expert_kind, train_expert
from answerable.training.loop import ExpertRecipe, Parts, halved, some, tensors
from answerable.training.qapairs.known import SOURCES, Asked, Known, agrees, asked, read_pairs
from answerable.training.qapairs.model import MATCHING, MatchModel, Searched, encode
from answerable.training.recipe import setting

logger = logging.getLogger(__name__)

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


REACHED = "reached.json"
"""The questions that are learned from, by number, once a run knows them."""
VECTORS, RERANKING = "vectors", "reranking"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecipe(ExpertRecipe):
    """`pairs`: files of pairs to find, in PAQ's form. `sources`: questions that people asked.

    The pairs that are searched, `most` of the files, also hold the questions to learn from. For each of the `batch`
    questions of a step `retrieved` pairs are found, in an index that is made anew every `refresh` steps. Questions are
    learned from that find a right pair among the `reach` nearest by what training starts from (0: all): `epochs` times
    for the vectors, and `reranking` times, in steps between these, for reranking among `choices` pairs. In an
    evaluation `judged` development questions are looked up, and `read` of them reranked, `depth` pairs each.
    """

    pairs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ("nq", "squad")
    most: int = 60_000
    temperature: float = 0.05
    batch: int = 16
    retrieved: int = 16
    refresh: int = 150
    reach: int = 200
    choices: int = 10
    epochs: float = 2.0
    reranking: float = 2.0
    judged: int = 600
    read: int = 100
    depth: int = 50

    ALLOWED: ClassVar[Collection[str]] = SOURCES

    def check(self) -> None:
        """As `Recipe.check`."""
        if not self.epochs and not self.reranking:
            raise UsageError("the recipe trains neither vectors nor reranking")


def train_matcher(recipe: MatchRecipe, data: Path, folder: Path) -> MatchModel:
    """Train a matcher, as `train_expert`. The index that is searched is made anew on resuming."""
    return train_expert(MATCHING, recipe, folder, lambda *made: _parts(recipe, data, folder, *made))


def _parts(
    recipe: MatchRecipe, data: Path, folder: Path, model: MatchModel, tokenizer: Path, device: torch.device
) -> Parts:
    pieces = WordPieces(tokenizer)
    questions = asked(data, recipe.sources)
    learned = [one for one in questions if not one.development]
    held = [one for one in questions if one.development]
    if not learned:
        raise UsageError("the recipe's sources gave nothing to learn from")
    lesson = _Lesson(recipe, model, pieces, learned, device)
    logger.info("%d questions, %d for development, %d pairs", len(learned), len(held), len(lesson.searched.pairs))
    both = _Both(model, lesson.generator).to(device)
    numbers = lesson.reached(folder / REACHED) if recipe.reach else list(range(len(learned)))
    if not numbers:
        raise UsageError("no question finds a pair that answers it", hint="make pairs of the questions' own passages")
    logger.info("%d questions have a right pair within reach", len(numbers))
    batches = _batches(numbers, recipe)
    names = [VECTORS if batch[0] >= 0 else RERANKING for batch in batches]
    chosen = some(random.Random(recipe.loop.seed), held, recipe.judged)
    return Parts(
        both, batches, lesson.loss, names, partial(lesson.judge, chosen) if recipe.loop.evaluate_steps else None
    )


class _Both(nn.Module):
    """The matcher with the generator it learns by, which no run leaves behind (section 4.2.1)."""

    def __init__(self, matcher: MatchModel, generator: Copying) -> None:
        super().__init__()
        self.matcher, self.generator = matcher, generator

    def state_dict(self, *args: Any, **more: Any) -> Any:
        return self.matcher.state_dict()

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        return self.matcher.load_state_dict(state, strict, assign)


class _Lesson:
    """The loss of a batch of questions: find pairs, learn from what was found.

    A batch holds numbers of questions for their vectors, or -1 less these numbers for reranking.
    """

    def __init__(
        self, recipe: MatchRecipe, model: MatchModel, pieces: WordPieces, learned: Sequence[Asked], device: torch.device
    ) -> None:
        self.recipe, self.model, self.learned, self.device, self._pieces = recipe, model, learned, device, pieces
        self.searched = Searched(pieces, _searched(recipe, learned))
        self.generator = Copying(pieces, [one.answers[0] for one in learned])
        self._ids = self._tokens(learned)
        places = {pair.question: number for number, pair in enumerate(self.searched.pairs)}
        self._own = [places.get(one.question) for one in learned]
        self._rng = random.Random(recipe.loop.seed)

    def loss(self, batch: Sequence[int]) -> Tensor:
        """A scalar with a graph."""
        recipe, model = self.recipe, self.model
        for_vectors = batch[0] >= 0
        numbers = [number if for_vectors else -1 - number for number in batch]
        if self.searched.steps >= recipe.refresh or not self.searched.ready:
            self.searched.refresh(model, self.device)
        self.searched.steps += 1
        some, ids = [self.learned[i] for i in numbers], [self._ids[i] for i in numbers]
        found = self._found(numbers, recipe.retrieved if for_vectors else 2 * recipe.choices)
        if for_vectors:
            how = (self.generator, recipe.temperature, self.device)
            return latent(model, some, ids, self.searched, found, *how)
        loss = reranking(model, some, ids, self.searched, found, recipe.choices, self._rng, self.device)
        return 0.0 * model.head.bias.sum() if loss is None else loss

    def reached(self, path: Path) -> list[int]:
        """The questions that have a right pair among the nearest, as the model is now; kept in a file for a resumption.

        Raises `ModelError` for a file that holds something else.
        """
        if path.is_file():
            try:
                return [int(number) for number in json.loads(path.read_text(encoding="utf8"))]
            except (OSError, ValueError, TypeError) as error:
                raise ModelError(f"{path} cannot be read", hint="remove it and start again") from error
        self.searched.refresh(self.model, self.device)
        kept: list[int] = []
        for begin in range(0, len(self.learned), 256):
            numbers = list(range(begin, min(begin + 256, len(self.learned))))
            near = self._found(numbers, self.recipe.reach)
            for number, row in zip(numbers, near, strict=True):
                answers = [self.searched.pairs[i].answers for i in row]
                if any(agrees(self.learned[number].answers, one) for one in answers):
                    kept.append(number)
        path.write_text(json.dumps(kept), encoding="utf8")
        return kept

    def judge(self, asked: Sequence[Asked]) -> dict[str, float]:
        """Exact match of the nearest pair over all questions, and of the best as reranked over some of them.

        The pairs are encoded anew.
        """
        searched, model, ids = self.searched, self.model, self._tokens(asked)
        searched.refresh(model, self.device)
        found = searched.best(encode(model, ids, self.device), self.recipe.depth, [None] * len(asked))
        first = [agrees(one.answers, searched.pairs[row[0]].answers) for one, row in zip(asked, found, strict=True)]
        model.eval()
        again = []
        for one, own, row in list(zip(asked, ids, found, strict=True))[: self.recipe.read]:
            rows = [together(own, searched.questions[i], searched.answers[i]) for i in row]
            with torch.no_grad(), halved(self.device):
                logits = model(*tensors(side_by_side(rows), self.device))[1]
            again.append(agrees(one.answers, searched.pairs[row[int(logits.argmax())]].answers))
        return {"retrieved": float(np.mean(first)), "reranked": float(np.mean(again)) if again else 0.0}

    def _tokens(self, asked: Sequence[Asked]) -> list[list[int]]:
        return self._pieces.ids([one.question for one in asked], QUESTION_TOKENS)

    def _found(self, numbers: Sequence[int], k: int) -> NDArray[np.int64]:
        """The k pairs nearest to each question but for itself."""
        rows = encode(self.model, [self._ids[i] for i in numbers], self.device)
        return self.searched.best(rows, k, [self._own[i] for i in numbers])


def _searched(recipe: MatchRecipe, learned: Sequence[Asked]) -> list[Known]:
    """The pairs that are searched, each question once: those of the files, at most so many, then what is learned."""
    found: dict[str, Known] = {}
    for path in recipe.pairs:
        for pair in read_pairs(Path(path)):
            found.setdefault(pair.question, pair)
    rng = random.Random(recipe.loop.seed)
    made = list(found.values())
    made = made if len(made) <= recipe.most else [made[i] for i in sorted(rng.sample(range(len(made)), recipe.most))]
    return [*made, *(Known(one.question, one.answers) for one in learned if one.question not in found)]


def _batches(learned: Sequence[int], recipe: MatchRecipe) -> list[list[int]]:
    """Batches for vectors and for reranking, mixed, in an order fixed by the seed; a part of an epoch at the end."""
    rng = random.Random(recipe.loop.seed)
    found = [_epochs(learned, recipe.epochs, recipe.batch, rng)]
    found.append([[-1 - n for n in one] for one in _epochs(learned, recipe.reranking, recipe.batch, rng)])
    batches = [one for part in found for one in part]
    rng.shuffle(batches)
    return batches


def _epochs(learned: Sequence[int], epochs: float, size: int, rng: random.Random) -> list[list[int]]:
    numbers: list[int] = []
    while len(numbers) < epochs * len(learned):
        numbers += rng.sample(learned, len(learned))
    numbers = numbers[: int(epochs * len(learned))]
    return [numbers[i : i + size] for i in range(0, len(numbers), size)]


KINDS = {"pairs": expert_kind(MatchRecipe, train_matcher, MATCHING, setting("matcher"))}
