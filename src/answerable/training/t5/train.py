"""Train the paper's two models from a T5: a classifier of query and document, and a dual encoder.

    classifier     cross-entropy of "relevant" or "not relevant", given "query: ... document: ..."
    dual encoder   cross-entropy of the right document among those of the batch, by inner products over a temperature

In a dual encoder's batch a document that fits two of its queries is wrong for neither.

Source: Malaviya et al. 2023, section 4.3 and appendix A; Henderson et al. 2017; Ni et al. 2022.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from answerable.encoders.shipped import Shipped
from answerable.encoders.t5 import T5Parts, pooled
from answerable.encoders.t5_judge import ANSWERS, asked_text, relevance
from answerable.encoders.wordpieces import passage_text
from answerable.errors import UsageError
from answerable.evaluation.metrics.auroc import auroc
from answerable.training.export import seal_transformers
from answerable.training.fit import LoopRecipe, Parts, fit, seen, some
from answerable.training.lexical import Lexical
from answerable.training.loop import plan_batches
from answerable.training.recipe import Kind, Made, setting
from answerable.training.t5.draw import NegativeSettings, Pair, Texts, Wanted, load_queries, load_texts, pairs

logger = logging.getLogger(__name__)
VALIDATION = "val.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class T5Recipe(LoopRecipe):
    """`start`: a T5's folder, or `t5:` and its name on the Hugging Face Hub. `epochs`: how often each pair is seen.

    `tokens` of a document (and the query before it, of a classifier) and `query` tokens of a query are read. `batch`
    is the number of pairs of a dual encoder's batch, in which the documents of other queries are wrong ones;
    `temperature` divides its inner products. A classifier's batches are bounded by `loop.tokens`. In an evaluation
    `judged` validation queries are looked at, if there are any.
    """

    start: str = ""
    epochs: float = 1.0
    tokens: int = 512
    query: int = 64
    batch: int = 512
    temperature: float = 0.01
    negatives: NegativeSettings = field(default_factory=NegativeSettings)

    def check(self) -> None:
        """As `Recipe.check`."""
        if not self.start:
            raise UsageError("the recipe names no T5 to start from", hint='start = "t5:google/t5-v1_1-base"')
        if min(self.tokens, self.query, self.batch) < 2 or self.epochs <= 0 or self.temperature <= 0:
            raise UsageError("tokens, query and batch are at least 2, epochs and temperature above 0")


def train_classifier(recipe: T5Recipe, data: Path, folder: Path) -> Shipped:
    """Train a classifier as a recipe says, going on from a checkpoint in `folder`; it stands in `folder`/model.

    Raises `UsageError` for a recipe that cannot be used, `MissingExtraError` and `ModelError` as `T5Parts`.
    """
    parts = _opened(recipe, "T5ForConditionalGeneration")
    texts = load_texts(data)
    found = Lexical(texts, folder / "bm25")
    drawn = pairs(load_queries(data, texts), texts, found, recipe.negatives, recipe.loop.seed)
    answers = parts.tokens(ANSWERS, 16)
    lengths = [_length(one, texts, recipe.tokens) for one in drawn]
    batches = _epochs(recipe, lambda seed: plan_batches(lengths, [0] * len(drawn), recipe.loop.tokens, seed))

    def step(numbers: list[int]) -> Tensor:
        asked = [asked_text(drawn[i].query, *texts[drawn[i].document]) for i in numbers]
        ids, mask = parts.padded(parts.tokens(asked, recipe.tokens))
        labels, known = parts.padded([answers[0 if drawn[i].fits else 1] for i in numbers])
        loss: Tensor = parts.model(input_ids=ids, attention_mask=mask, labels=labels.masked_fill(known == 0, -100)).loss
        return loss

    judging = _judging(recipe, data, texts, found, lambda some: _classified(parts, texts, answers, recipe, some))
    return _trained(recipe, parts, batches, step, folder, judging, "classifier")


def train_dual_encoder(recipe: T5Recipe, data: Path, folder: Path) -> Shipped:
    """Train a dual encoder, as `train_classifier`. Of each query every document that fits comes once an epoch."""
    parts = _opened(recipe, "T5EncoderModel")
    texts = load_texts(data)
    queries = load_queries(data, texts)
    drawn = [(number, id) for number, one in enumerate(queries) for id in one.documents]
    asked = parts.tokens([one.query for one in queries], recipe.query)
    right = [set(one.documents) for one in queries]
    batches = _epochs(recipe, lambda seed: _even(len(drawn), recipe.batch, seed))

    def step(numbers: list[int]) -> Tensor:
        chosen = [drawn[i] for i in numbers]
        documents = parts.tokens([passage_text(*texts[id]) for _, id in chosen], recipe.tokens)
        ours = _vectors(parts, [asked[number] for number, _ in chosen])
        scores = ours @ _vectors(parts, documents).T / recipe.temperature
        return nn.functional.cross_entropy(
            scores.masked_fill(_also_right(chosen, right).to(scores.device), -torch.inf),
            torch.arange(len(chosen), device=scores.device),
        )

    found = Lexical(texts, folder / "bm25")
    judging = _judging(recipe, data, texts, found, lambda some: _likeness(parts, texts, recipe, some))
    return _trained(recipe, parts, batches, step, folder, judging, "dual encoder")


def _also_right(chosen: Sequence[tuple[int, str]], right: Sequence[set[str]]) -> Tensor:
    """(n, n) bool: documents of other places of a batch that fit a query too, and are not wrong for it."""
    places = range(len(chosen))
    return torch.tensor([[i != j and chosen[j][1] in right[chosen[i][0]] for j in places] for i in places])


def _length(one: Pair, texts: Texts, most: int) -> int:
    """About how many tokens a pair has: all are too many to be kept, and batches need no more than this."""
    return min(most, 16 + (len(one.query) + sum(map(len, texts[one.document]))) // 4)


def _opened(recipe: T5Recipe, head: str) -> T5Parts:
    torch.manual_seed(recipe.loop.seed)
    return T5Parts(recipe.start, head, recipe.threads)


def _epochs(recipe: T5Recipe, plan: Callable[[int], list[list[int]]]) -> list[list[int]]:
    """The batches of all epochs, each in an order of its own; of the last one a share."""
    made: list[list[int]] = []
    for number, share in seen(recipe.epochs):
        batches = plan(recipe.loop.seed + number)
        made += batches[: round(len(batches) * share)]
    return made


def _even(count: int, size: int, seed: int) -> list[list[int]]:
    """Numbers in batches of one size; what is left over at the end is left out, unless it is all there is."""
    order = random.Random(seed).sample(range(count), count)
    whole = [order[at : at + size] for at in range(0, count - size + 1, size)]
    return whole or [order]


def _vectors(parts: T5Parts, rows: Sequence[Sequence[int]]) -> Tensor:
    ids, mask = parts.padded(rows)
    found: Tensor = pooled(parts.model(input_ids=ids, attention_mask=mask).last_hidden_state, mask)
    return found


def _judging(
    recipe: T5Recipe, data: Path, texts: Texts, found: Lexical, score: Callable[[Sequence[Pair]], Sequence[float]]
) -> Callable[[], dict[str, float]] | None:
    """The area under the ROC curve over validation queries: what fits against what words find and does not fit."""
    if not recipe.loop.evaluate_steps or not (data / VALIDATION).is_file():
        return None
    rng = random.Random(recipe.loop.seed)
    queries = load_queries(data, texts, VALIDATION, more=False)
    judged = [pair for one in some(rng, queries, recipe.judged) for pair in _near(one, found)]
    if len({one.fits for one in judged}) < 2:
        return None

    def judge() -> dict[str, float]:
        with torch.inference_mode():
            return {"AUROC": auroc(list(score(judged)), [one.fits for one in judged])}

    return judge


def _near(one: Wanted, found: Lexical) -> list[Pair]:
    """Up to ten documents that fit and twenty that do not and that words find."""
    right = set(one.documents)
    wrong = [id for id in found.best(one.query, 40) if id not in right][:20]
    return [Pair(one.query, id, True) for id in one.documents[:10]] + [Pair(one.query, id, False) for id in wrong]


def _classified(
    parts: T5Parts, texts: Texts, answers: Sequence[Sequence[int]], recipe: T5Recipe, some: Sequence[Pair]
) -> list[float]:
    rows = parts.tokens([asked_text(one.query, *texts[one.document]) for one in some], recipe.tokens)
    scores = [0.0] * len(rows)
    parts.model.eval()
    for batch, ids, mask in parts.batches(rows):
        for i, value in zip(batch, relevance(torch, parts.model, ids, mask, answers).tolist(), strict=True):
            scores[i] = value
    return scores


def _likeness(parts: T5Parts, texts: Texts, recipe: T5Recipe, some: Sequence[Pair]) -> list[float]:
    scores: list[float] = []
    parts.model.eval()
    for at in range(0, len(some), 32):
        part = some[at : at + 32]
        asked = _vectors(parts, parts.tokens([one.query for one in part], recipe.query))
        documents = parts.tokens([passage_text(*texts[one.document]) for one in part], recipe.tokens)
        scores += (asked * _vectors(parts, documents)).sum(1).tolist()
    return scores


def _trained(
    recipe: T5Recipe,
    parts: T5Parts,
    batches: Sequence[list[int]],
    step: Callable[[list[int]], Tensor],
    folder: Path,
    judging: Callable[[], dict[str, float]] | None,
    what: str,
) -> Shipped:
    """Run the loop and write the model."""
    logger.info("%d batches", len(batches))
    fit(recipe.loop, Parts(parts.model, batches, step, judge=judging), folder)
    name, about = f"t5-{what.replace(' ', '-')}", {"task": f"t5 {what}", "tokens": recipe.tokens}
    return seal_transformers(parts.model, parts.tokenizer, folder / "model", name, about)


def _kind(train: Callable[[T5Recipe, Path, Path], Shipped], use: str) -> Kind[T5Recipe]:
    return Kind(T5Recipe, lambda recipe, data, out: Made.of(train(recipe, data, out)), setting(use))


KINDS = {"t5-classifier": _kind(train_classifier, "judge"), "t5-dual-encoder": _kind(train_dual_encoder, "encoder")}
