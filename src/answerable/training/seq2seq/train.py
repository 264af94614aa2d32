"""Train a BART or T5 to ask questions of passages, or to answer questions with no book at all.

    loss     cross-entropy of the tokens to be written, the mean over all tokens of a step
    judged   pair questions: the probability for each token of development questions (geometric mean)
             closed book: exact match on development questions

A closed book learns pairs and training questions together until exact match stops rising, and then training questions
alone. Source: Lewis et al. 2021, sections 3.3, 4.1 and A.7; Roberts et al. 2020.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from answerable.encoders.seq2seq import Seq2Seq
from answerable.encoders.shipped import Shipped
from answerable.encoders.torch_dense import has_fast_bf16
from answerable.encoders.wordpieces import plan_batches
from answerable.evaluation.metrics.answers import exact
from answerable.qapairs.closed_book import TASK as CLOSED
from answerable.qapairs.generation.seq2seq import MARKS
from answerable.qapairs.generation.seq2seq import TASK as ASKING
from answerable.training.export import seal_transformers
from answerable.training.fit import Parts, fit
from answerable.training.recipe import Kind, Made
from answerable.training.seq2seq.draw import (
    CLOSED_BOOK,
    PAIR_QUESTIONS,
    ClosedBookRecipe,
    Lesson,
    Seq2SeqRecipe,
    draw,
)

logger = logging.getLogger(__name__)


def train_seq2seq(recipe: Seq2SeqRecipe, data: Path, folder: Path) -> Shipped:
    """Train as a recipe says, going on from a checkpoint in `folder`; the model stands in `folder`/model.

    Raises `UsageError` for a recipe or files that cannot be used, `MissingExtraError` and `ModelError` as `Seq2Seq`.
    """
    torch.manual_seed(recipe.loop.seed)
    model = Seq2Seq(recipe.start, recipe.threads)
    if recipe.kind == PAIR_QUESTIONS:
        _add_marks(model)
    lessons = draw(recipe, data, MARKS, lambda text: len(model.tokens([text], len(text) + 16)[0]))
    judge = _judge(model, recipe, lessons.development)
    first, then = recipe.stages()
    if lessons.pairs and first:
        _learn(model, recipe, [*lessons.pairs, *lessons.training], first, folder / "first", judge)
    if then:
        _learn(model, recipe, lessons.training, then, folder / "then", judge)
    return _sealed(model, recipe, folder / "model")


def _add_marks(model: Seq2Seq) -> None:
    """Make the marks of an answer tokens of their own, where they are not."""
    model.tokenizer.add_tokens(list(MARKS), special_tokens=True)
    if len(model.tokenizer) > model.model.get_input_embeddings().num_embeddings:
        model.model.resize_token_embeddings(len(model.tokenizer), mean_resizing=False)


def _learn(
    model: Seq2Seq,
    recipe: Seq2SeqRecipe,
    lessons: Sequence[Lesson],
    epochs: int,
    folder: Path,
    judge: Callable[[], dict[str, float]],
) -> None:
    """One stage: all lessons so many times, each time in another order, until `judge` says that it is enough."""
    batches = batches_of(len(lessons), recipe.batch, epochs, recipe.loop.seed)
    logger.info("%s: %d lessons in %d batches", folder.name, len(lessons), len(batches))
    parts = Parts(
        model.model, batches, lambda numbers: _step(model, recipe, [lessons[i] for i in numbers]), judge=judge
    )
    fit(recipe.loop, parts, folder)


def batches_of(count: int, size: int, epochs: int, seed: int) -> list[list[int]]:
    """Numbers below `count` in batches of `size`, the last of an epoch what is left, in another order each epoch."""
    made: list[list[int]] = []
    for epoch in range(epochs):
        order = random.Random(seed + epoch).sample(range(count), count)
        made += [order[at : at + size] for at in range(0, count, size)]
    return made


def _step(model: Seq2Seq, recipe: Seq2SeqRecipe, lessons: Sequence[Lesson]) -> Tensor:
    """The loss of a batch, its gradients made piece by piece: the pieces weigh what their tokens do."""
    rows = _rows(model, recipe, lessons)
    total = sum(len(wanted) for _, wanted in rows)
    summed = torch.zeros((), device=model.device)
    for piece in _pieces(rows, recipe.loop.tokens):
        loss = _surprise(model, [rows[i] for i in piece]) / total
        loss.backward()  # type: ignore[no-untyped-call]
        summed += loss.detach()
    return summed


Row = tuple[list[int], list[int]]
"""Token ids to read, and to write."""


def _rows(model: Seq2Seq, recipe: Seq2SeqRecipe, lessons: Sequence[Lesson]) -> list[Row]:
    asked = model.tokens([one.read for one in lessons], recipe.tokens)
    return list(zip(asked, model.tokens([one.write for one in lessons], recipe.said), strict=True))


def _pieces(rows: Sequence[Row], tokens: int) -> list[list[int]]:
    return plan_batches([len(asked) + len(wanted) for asked, wanted in rows], tokens)


def _surprise(model: Seq2Seq, rows: Sequence[Row]) -> Tensor:
    """The sum of -log P over the tokens to be written."""
    ids, mask = model.padded([asked for asked, _ in rows])
    wanted, known = model.padded([wanted for _, wanted in rows])
    labels = wanted.masked_fill(known == 0, -100)
    with _quickly(model):
        logits = model.model(input_ids=ids, attention_mask=mask, labels=labels).logits
    return nn.functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), reduction="sum")


def _quickly(model: Seq2Seq) -> AbstractContextManager[Any]:
    """In bf16 where the hardware is made for it."""
    if model.device.type == "cuda" or has_fast_bf16():
        return torch.autocast(model.device.type, torch.bfloat16)
    return nullcontext()


def _judge(model: Seq2Seq, recipe: Seq2SeqRecipe, lessons: Sequence[Lesson]) -> Callable[[], dict[str, float]]:
    def probability() -> dict[str, float]:
        model.model.eval()
        rows = _rows(model, recipe, lessons)
        with torch.inference_mode():
            summed = sum(
                float(_surprise(model, [rows[i] for i in piece])) for piece in _pieces(rows, recipe.loop.tokens)
            )
        return {"probability": math.exp(-summed / sum(len(wanted) for _, wanted in rows))}

    def matched() -> dict[str, float]:
        model.model.eval()
        said = model.say(model.tokens([one.read for one in lessons], recipe.tokens), 1, recipe.said)
        right = [exact(ones[0][0] if ones else "", one.answers) for ones, one in zip(said, lessons, strict=True)]
        return {"EM": sum(right) / len(right)}

    return matched if recipe.kind == CLOSED_BOOK else probability


def _sealed(model: Seq2Seq, recipe: Seq2SeqRecipe, folder: Path) -> Shipped:
    about: dict[str, Any] = {"task": CLOSED, "tokens": recipe.tokens, "said": recipe.said}
    if recipe.kind == PAIR_QUESTIONS:
        about |= {"task": ASKING, "marks": list(MARKS)}
    return seal_transformers(model.model, model.tokenizer, folder, recipe.kind, about)


KINDS = {
    PAIR_QUESTIONS: Kind(
        Seq2SeqRecipe,
        lambda recipe, data, out: Made.of(train_seq2seq(recipe, data, out)),
        "To use it: answerable pairs build --enclave NAME --generator {}",
    ),
    CLOSED_BOOK: Kind(
        ClosedBookRecipe,
        lambda recipe, data, out: Made.of(train_seq2seq(recipe, data, out)),
        "To use it: answerable evaluate closed-book --model {} --data QUESTIONS --train QUESTIONS",
    ),
}
