"""Train a BART or T5 to ask questions of passages: `recipes/pair-questions.toml` is the recipe.

    learned  passage with its answer marked → the question people asked (files in the form of SQuAD)
    loss     cross-entropy of the tokens to be written, the mean over all tokens of a step
    judged   the probability for each token of development questions (geometric mean)

Source: Lewis et al. 2021, section 3.3.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from answerable.datasets.parts import question_part
from answerable.encoders.seq2seq import Seq2Seq
from answerable.encoders.shipped import Shipped
from answerable.encoders.wordpieces import plan_batches
from answerable.errors import FormatError, UsageError
from answerable.qapairs.generation.seq2seq import MARKS, TASK, fitted
from answerable.training.export import seal_transformers
from answerable.training.loop import LoopRecipe, Parts, fit, halved, some
from answerable.training.reading import SPAN, squad
from answerable.training.recipe import Kind, Made

logger = logging.getLogger(__name__)
NAME = "pair-questions"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecipe(LoopRecipe):
    """A recipe of the kind `pair-questions`.

    `start`: the folder of a BART or T5, or `bart:` or `t5:` and its name on the Hugging Face Hub. `tokens` are read and
    `said` written. A step learns from `batch` examples, in pieces of at most `loop.tokens` tokens. `training` are the
    files of questions, below the folder of data, which are learned `epochs` times; `development`: files that tell when
    to stop; without any, a fixed twentieth of the training questions, which is then not learned. At an evaluation
    `judged` of them are looked at.
    """

    start: str = ""
    epochs: int = 1
    tokens: int = 512
    said: int = 40
    batch: int = 64
    judged: int = 1000
    training: tuple[str, ...] = ()
    development: tuple[str, ...] = ()

    def check(self) -> None:
        """As `Recipe.check`."""
        for needed, hint in (("start", 'start = "bart:facebook/bart-base"'), ("training", 'training = ["asked.json"]')):
            if not getattr(self, needed):
                raise UsageError(f"the recipe names no {needed}", hint=hint)
        if min(self.tokens, self.said, self.batch, self.judged) < 2 or self.epochs < 1:
            raise UsageError("tokens, said, batch and judged are at least 2, and epochs at least 1")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A text to read and the one to write."""

    read: str
    write: str


def train_questions(recipe: QuestionRecipe, data: Path, folder: Path) -> Shipped:
    """Train as a recipe says, going on from a checkpoint in `folder`; the model stands in `folder`/model.

    Raises `UsageError` for a recipe or files that cannot be used, `MissingExtraError` and `ModelError` as `Seq2Seq`.
    """
    torch.manual_seed(recipe.loop.seed)
    model = Seq2Seq(recipe.start, recipe.threads)
    model.tokenizer.add_tokens(list(MARKS), special_tokens=True)  # where they are none of their own
    if len(model.tokenizer) > model.model.get_input_embeddings().num_embeddings:
        model.model.resize_token_embeddings(len(model.tokenizer), mean_resizing=False)
    learned, held = draw(recipe, data, lambda text: len(model.tokens([text], len(text) + 16)[0]))
    batches = batches_of(len(learned), recipe.batch, recipe.epochs, recipe.loop.seed)
    logger.info("%d lessons in %d batches", len(learned), len(batches))

    def loss(numbers: list[int]) -> Tensor:
        return _step(model, recipe, [learned[i] for i in numbers])

    fit(recipe.loop, Parts(model.model, batches, loss, judge=lambda: _judged(model, recipe, held)), folder)
    about = {"task": TASK, "tokens": recipe.tokens, "said": recipe.said, "marks": list(MARKS)}
    return seal_transformers(model.model, model.tokenizer, folder / "model", NAME, about)


def draw(recipe: QuestionRecipe, data: Path, count: Callable[[str], int]) -> tuple[list[Lesson], list[Lesson]]:
    """What is learned, and what tells when to stop; `count` tells the tokens of a text, for passages that are long.

    Raises `UsageError` for a file that is not there and for files without questions, `FormatError` for broken ones.
    """
    learned, held = (
        [one for name in names for one in _lessons(data / name, recipe.tokens, count)]
        for names in (recipe.training, recipe.development)
    )
    if not recipe.development:  # by the question: however often one comes, it is on one side
        every, learned, held = learned, [], []
        for one in every:
            (held if question_part(one.write.casefold()) == "development" else learned).append(one)
    if not learned or not held:
        raise UsageError("the files of the recipe hold too few questions to learn from and to tell when to stop")
    return learned, some(random.Random(recipe.loop.seed), held, recipe.judged)


def _lessons(path: Path, most: int, count: Callable[[str], int]) -> Iterator[Lesson]:
    if not path.is_file():
        raise UsageError(f"there is no {path}", hint="files of a recipe lie below the folder of --data")
    try:
        readings = [reading for _, reading in squad(path, "squad")]
    except (LookupError, TypeError, AttributeError):
        raise FormatError(f"{path} is not in the form of SQuAD") from None
    for reading in readings:
        if reading.kind == SPAN and reading.answer:
            (title, text), (_, start, end) = reading.passages[0], reading.answer
            yield Lesson(fitted(title, text, start, end, MARKS, most, count), reading.question)


def batches_of(count: int, size: int, epochs: int, seed: int) -> list[list[int]]:
    """Numbers below `count` in batches of `size`, the last of an epoch what is left, in another order each epoch."""
    made: list[list[int]] = []
    for epoch in range(epochs):
        order = random.Random(seed + epoch).sample(range(count), count)
        made += [order[at : at + size] for at in range(0, count, size)]
    return made


def _step(model: Seq2Seq, recipe: QuestionRecipe, lessons: Sequence[Lesson]) -> Tensor:
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


def _rows(model: Seq2Seq, recipe: QuestionRecipe, lessons: Sequence[Lesson]) -> list[Row]:
    asked = model.tokens([one.read for one in lessons], recipe.tokens)
    return list(zip(asked, model.tokens([one.write for one in lessons], recipe.said), strict=True))


def _pieces(rows: Sequence[Row], tokens: int) -> list[list[int]]:
    return plan_batches([len(asked) + len(wanted) for asked, wanted in rows], tokens)


def _surprise(model: Seq2Seq, rows: Sequence[Row]) -> Tensor:
    """The sum of -log P over the tokens to be written."""
    ids, mask = model.padded([asked for asked, _ in rows])
    wanted, known = model.padded([wanted for _, wanted in rows])
    labels = wanted.masked_fill(known == 0, -100)
    with halved(model.device):
        logits = model.model(input_ids=ids, attention_mask=mask, labels=labels).logits
    return nn.functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), reduction="sum")


def _judged(model: Seq2Seq, recipe: QuestionRecipe, lessons: Sequence[Lesson]) -> dict[str, float]:
    model.model.eval()
    rows = _rows(model, recipe, lessons)
    with torch.inference_mode():
        pieces = _pieces(rows, recipe.loop.tokens)
        summed = sum(float(_surprise(model, [rows[i] for i in piece])) for piece in pieces)
    return {"probability": math.exp(-summed / sum(len(wanted) for _, wanted in rows))}


KINDS = {
    NAME: Kind(
        QuestionRecipe,
        lambda recipe, data, out: Made.of(train_questions(recipe, data, out)),
        "To use it: answerable pairs build --enclave NAME --generator {}",
    ),
}
