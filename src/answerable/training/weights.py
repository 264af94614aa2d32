"""Choose the weights of a hop's skills, alpha and beta, on development questions whose evidence is known.

Every pair of a grid is tried (Ma et al. 2023, appendix A, equations 7 and 8: both are hyper-parameters there). The
measure is the mean of passage EM, whether the best chain is the evidence, and nDCG@10 of the passages as they are met.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from answerable.chains.beam import BeamSettings, gather
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.datasets.parts import QUESTION_DEVELOPMENT, share
from answerable.errors import UsageError
from answerable.evaluation.metrics.ranking import ndcg
from answerable.evaluation.tasks import passages
from answerable.retriever import Retriever
from answerable.training.recipe import Kind, Made, Recipe
from answerable.types import Query
from answerable.workspace.opening import open_workspace

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tried:
    """One pair of weights and how good the chains are with it, in the mean over the questions (0 to 1)."""

    alpha: float
    beta: float
    passage_em: float
    ndcg: float

    @property
    def mean(self) -> float:
        """What the best is chosen by."""
        return (self.passage_em + self.ndcg) / 2


@dataclass(frozen=True, slots=True)
class TriedSet:
    """A corpus with how many questions of which files are asked of it."""

    corpus: str
    questions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """Weights to try; none: the one that is set."""

    alpha: tuple[float, ...] = ()
    beta: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsRecipe(Recipe):
    """A recipe of the kind `weights`: corpora are indexed, and asked, with these `settings`."""

    sets: tuple[TriedSet, ...] = ()
    grid: Grid = field(default_factory=Grid)
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1

    def check(self) -> None:
        """As `Recipe.check`."""
        if not self.sets:
            raise UsageError("the recipe has no sets", hint="each of [[sets]] has a corpus and questions")
        if not self.grid.alpha and not self.grid.beta:
            raise UsageError("the recipe's [grid] is empty", hint="it lists values of alpha, beta or both")


def tune_weights(recipe: WeightsRecipe, data: Path, folder: Path) -> list[Tried]:
    """Every pair of the recipe's `[grid]`, best first, of equal ones the smaller weights; also in `weights.json`.

    Corpora are indexed in workspaces under `folder`, with the recipe's `[settings]`. Raises `UsageError` for a recipe
    that gives no question whose evidence is known.
    """
    scores: dict[tuple[float, float], list[tuple[float, float]]] = {}
    for one in recipe.sets:
        corpus = data / one.corpus
        with open_workspace(folder / corpus.parent.name, True, recipe.settings) as workspace:
            workspace.index([corpus], "public", "public")
            engine = workspace.engine()
            pairs = list(product(recipe.grid.alpha or (engine.beam.alpha,), recipe.grid.beta or (engine.beam.beta,)))
            for name, count in one.questions.items():
                chosen = _drawn(load(data / name), count, recipe.seed)
                logger.info("%d questions of %s, %d pairs of weights", len(chosen), name, len(pairs))
                for example in chosen:
                    for pair, found in zip(pairs, _tried(example, engine.retriever, engine.beam, pairs), strict=True):
                        scores.setdefault(pair, []).append(found)
    if not scores:
        raise UsageError("no question of the recipe's sets says which passages are its evidence")
    tried = [Tried(*pair, fmean(em for em, _ in found), fmean(n for _, n in found)) for pair, found in scores.items()]
    tried.sort(key=lambda one: (-one.mean, one.alpha, one.beta))
    (folder / "weights.json").write_text(json.dumps([asdict(one) for one in tried], indent=1) + "\n", encoding="utf8")
    return tried


def _drawn(examples: Iterable[Example], count: int, seed: int) -> list[Example]:
    """Some of the questions with known evidence, of the share that no retriever was trained on."""
    rows = [one for one in examples if one.supporting and share(one.id) < QUESTION_DEVELOPMENT]
    return random.Random(seed).sample(rows, min(count, len(rows)))


def _tried(
    example: Example, retriever: Retriever, beam: BeamSettings, pairs: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Passage EM and nDCG@10 with each pair; what does not depend on the weights is worked out once."""
    door = retriever.remembering()
    found = []
    for alpha, beta in pairs:
        evidence = gather(Query(example.question), door, replace(beam, alpha=alpha, beta=beta, keep_short=False))
        record = passages.found(example, evidence.chains)
        ranked = [id for id, _ in record["ranking"]]
        em = passages.path_scores(example, record, ())["passage EM"]
        found.append((em, ndcg(ranked, dict.fromkeys(example.supporting, 1), 10)))
    return found


def _make(recipe: WeightsRecipe, data: Path, out: Path) -> Made:
    tried = tune_weights(recipe, data, out)
    best, said = tried[0], []
    for one in tried:
        weights = f"alpha {one.alpha:<6g} beta {one.beta:<8g}"
        said.append(f"{weights} passage EM {one.passage_em:.3f}  nDCG@10 {one.ndcg:.3f}")
    said.append(f"To use the best: alpha = {best.alpha:g} and beta = {best.beta:g} under [beam] in answerable.toml")
    return Made({"alpha": best.alpha, "beta": best.beta, "tried": [asdict(one) for one in tried]}, tuple(said))


KINDS = {"weights": Kind(WeightsRecipe, _make, labelled=False)}
