"""Train what matches questions among pairs, and what reranks them, from a recipe. `recipes/pairs.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from answerable.encoders.question_layout import QUESTION_TOKENS, side_by_side, together
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import UsageError
from answerable.training.loop import train
from answerable.training.pairs.generators import AnswerGenerator, Copying, Written
from answerable.training.pairs.index import Searched, encode
from answerable.training.pairs.known import Asked, Known, agrees, asked, read_pairs
from answerable.training.pairs.model import MatchModel
from answerable.training.pairs.objectives import latent, paraphrase, reranking
from answerable.training.pairs.recipe import COPYING, LATENT, PARAPHRASE, MatchRecipe, read
from answerable.training.pairs.start import begin_matcher
from answerable.training.skills import many
from answerable.training.skills.start import keep

logger = logging.getLogger(__name__)


class _Both(nn.Module):
    """The matcher with the generator it learns by, which is thrown away in the end (section 4.2.1)."""

    def __init__(self, matcher: MatchModel, generator: nn.Module | None) -> None:
        super().__init__()
        self.matcher, self.generator = matcher, generator


def train_matcher(given: Mapping[str, Any], data: Path, folder: Path) -> MatchModel:
    """Train a matcher as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. The index that is searched is made anew on resuming.
    Raises `UsageError` for a recipe that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.loop.seed)
    device = many.join()
    model, tokenizer = begin_matcher(recipe.start, recipe.dropout)
    keep(model.model, tokenizer, folder)
    pieces = WordPieces(tokenizer)
    questions = asked(data, recipe.sources)
    learned = [one for one in questions if not one.development]
    held = [one for one in questions if one.development]
    if not learned:
        raise UsageError("the recipe's sources gave nothing to learn from")
    searched = Searched(pieces, _searched(recipe, learned))
    logger.info("%d questions, %d for development, %d pairs", len(learned), len(held), len(searched.pairs))
    generator = _generator(recipe, pieces, learned)
    lesson = _Lesson(recipe, model.to(device), pieces, learned, searched, generator, device)
    both = _Both(model, generator if isinstance(generator, nn.Module) else None).to(device)

    def step(numbers: list[int]) -> Tensor:
        loss = lesson.loss(numbers)
        loss.backward()  # type: ignore[no-untyped-call]
        many.average(both)
        return loss.detach()

    train(
        _Kept(both),
        many.share(_batches(len(learned), recipe)),
        step,
        folder,
        recipe.loop,
        evaluate=_evaluation(recipe, model, pieces, held, searched, device) if recipe.loop.evaluate_steps else None,
        writes=many.first(),
    )
    return model.cpu().eval()


class _Kept(nn.Module):
    """Trained as a whole, kept as the matcher alone: what a run leaves has no generator."""

    def __init__(self, both: _Both) -> None:
        super().__init__()
        self.both = both

    def state_dict(self, *args: Any, **more: Any) -> Any:
        return self.both.matcher.state_dict()

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        return self.both.matcher.load_state_dict(state, strict, assign)


class _Lesson:
    """The loss of a batch of questions: find pairs, learn from what was found."""

    def __init__(
        self,
        recipe: MatchRecipe,
        model: MatchModel,
        pieces: WordPieces,
        learned: Sequence[Asked],
        searched: Searched,
        generator: AnswerGenerator,
        device: torch.device,
    ) -> None:
        self.recipe, self.model, self.learned, self.searched = recipe, model, learned, searched
        self.generator, self.device = generator, device
        self._ids = pieces.ids([one.question for one in learned], QUESTION_TOKENS)
        places = {pair.question: number for number, pair in enumerate(searched.pairs)}
        self._own = [places.get(one.question) for one in learned]
        self._rng = random.Random(recipe.loop.seed)

    def loss(self, numbers: Sequence[int]) -> Tensor:
        """A scalar with a graph."""
        recipe, model = self.recipe, self.model
        if self.searched.steps >= recipe.refresh or not self.searched.ready:
            self.searched.refresh(model, self.device)
        self.searched.steps += 1
        some, ids = [self.learned[i] for i in numbers], [self._ids[i] for i in numbers]
        depth = max(recipe.retrieved, 2 * recipe.choices)
        found = self.searched.best(encode(model, ids, self.device), depth, [self._own[i] for i in numbers])
        parts: list[Tensor | None] = []
        near = found[:, : recipe.retrieved]
        if recipe.objective == LATENT:
            how = (self.generator, recipe.temperature, self.device)
            parts.append(latent(model, some, ids, self.searched, near, *how))
        elif recipe.objective == PARAPHRASE:
            parts.append(paraphrase(model, some, ids, self.searched, found, recipe.temperature, self.device))
        if n := recipe.reranked:
            seen = (some[:n], ids[:n], self.searched, found[:n], recipe.choices, self._rng, self.device)
            parts.append(reranking(model, *seen))
        losses = [one for one in parts if one is not None]
        return torch.stack(losses).sum() if losses else 0.0 * model.head.bias.sum()


def _searched(recipe: MatchRecipe, learned: Sequence[Asked]) -> list[Known]:
    """The pairs that are searched, each question once: those of the files, at most so many, then what is learned."""
    found: dict[str, Known] = {}
    for path in recipe.pairs:
        for pair in read_pairs(Path(path)):
            found.setdefault(pair.question, pair)
    rng = random.Random(recipe.loop.seed)
    made = list(found.values())
    made = made if len(made) <= recipe.most else [made[i] for i in sorted(rng.sample(range(len(made)), recipe.most))]
    own = [Known(one.question, one.answers) for one in learned if one.question not in found] if recipe.known else []
    return [*made, *own]


def _generator(recipe: MatchRecipe, pieces: WordPieces, learned: Sequence[Asked]) -> AnswerGenerator:
    if recipe.generator == COPYING:
        return Copying(pieces, [one.answers[0] for one in learned])
    return Written(recipe.generator)


def _batches(count: int, recipe: MatchRecipe) -> list[list[int]]:
    """Question numbers in an order fixed by the seed, epoch after epoch; a part of an epoch at the end."""
    rng = random.Random(recipe.loop.seed)
    numbers: list[int] = []
    while len(numbers) < recipe.epochs * count:
        order = list(range(count))
        rng.shuffle(order)
        numbers += order
    numbers = numbers[: int(recipe.epochs * count)]
    return [numbers[i : i + recipe.batch] for i in range(0, len(numbers), recipe.batch)]


def _evaluation(
    recipe: MatchRecipe,
    model: MatchModel,
    pieces: WordPieces,
    held: Sequence[Asked],
    searched: Searched,
    device: torch.device,
) -> Callable[[], Mapping[str, float]]:
    rng = random.Random(recipe.loop.seed)
    some = rng.sample(held, min(len(held), recipe.judged))
    ids = pieces.ids([one.question for one in some], QUESTION_TOKENS)
    return lambda: judge(model, some, ids, searched, recipe.read, recipe.depth, device)


def judge(
    model: MatchModel,
    some: Sequence[Asked],
    ids: Sequence[list[int]],
    searched: Searched,
    read: int,
    depth: int,
    device: torch.device,
) -> dict[str, float]:
    """Exact match of the nearest pair over all questions, and of the best of `depth` as reranked over `read` of them.

    The pairs are encoded anew.
    """
    searched.refresh(model, device)
    found = searched.best(encode(model, ids, device), depth, [None] * len(some))
    first = [agrees(one.answers, searched.pairs[row[0]].answers) for one, row in zip(some, found, strict=True)]
    model.eval()
    again = []
    for one, asked_ids, row in list(zip(some, ids, found, strict=True))[:read]:
        rows = [together(asked_ids, searched.questions[i], searched.answers[i]) for i in row]
        tensors = (torch.from_numpy(part).to(device) for part in side_by_side(rows))
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            logits = model(*tensors)[1]
        again.append(agrees(one.answers, searched.pairs[row[int(logits.argmax())]].answers))
    return {"retrieved": float(np.mean(first)), "reranked": float(np.mean(again)) if again else 0.0}
