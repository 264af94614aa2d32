"""How a judge's logits become probabilities: Platt scaling on development queries, over what finding would judge.

The judge learns from as many documents that fit as do not; where it is used, few do. So its logits are calibrated over
the documents that BM25 finds for development queries and their constraints, each judged by every constraint (Platt
1999; the development categories are in no training query).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.constraints import FIT, ConstraintJudge
from answerable.errors import UsageError
from answerable.sets.expression import atoms, read_expression
from answerable.training.add_expert import resealed, tunable
from answerable.training.corpora import Lexical
from answerable.training.reading import lines_of
from answerable.training.recipe import Kind, Made, ModelRecipe, setting
from answerable.training.sets.constraint_sets import ATOMS, DOCUMENTS, Text, documents_of

Floats = NDArray[np.float64]
_STEPS, _SMALL = 100, 1e-9


@dataclass(frozen=True, slots=True)
class Pool:
    """The constraints of a query, and documents with what is true of each: `fits` (documents, constraints) bool."""

    constraints: tuple[str, ...]
    documents: tuple[Text, ...]
    fits: NDArray[np.bool_]


def pools(folder: Path, work: Path, queries: int, most: int, seed: int = 1) -> Iterator[Pool]:
    """For up to `queries` development queries of a benchmark, up to `most` documents that BM25 finds.

    They are those found for the query and for each of its constraints, in turn. Raises `FormatError` for a file that is
    missing or broken.
    """
    texts, number = documents_of(folder / DOCUMENTS)
    held = {row["atom"]: frozenset(number[id_] for id_ in row["docs"]) for row in lines_of(folder / ATOMS)}
    found = Lexical({str(place): text for place, text in enumerate(texts)}, work / f"bm25-{folder.name}")
    rows = [row for row in lines_of(folder / "val.jsonl") if row.get("expression")]
    for row in random.Random(seed).sample(rows, min(queries, len(rows))):
        said = atoms(read_expression(row["expression"]))
        if any(one not in held for one in said):
            continue
        ranked = [[int(id_) for id_ in found.best(text, most)] for text in (row["query"], *said)]
        turns = (ranking[place] for place in range(most) for ranking in ranked if place < len(ranking))
        chosen = list(dict.fromkeys(turns))[:most]
        fits = np.array([[document in held[one] for one in said] for document in chosen], bool)
        if chosen:
            yield Pool(said, tuple(texts[document] for document in chosen), fits)


def platt(logits: Sequence[Floats], fits: Sequence[NDArray[np.bool_]]) -> tuple[float, float]:
    """The scale and shift with the least log loss, every query counting as much as any other; by Newton's method.

    Raises `UsageError` where nothing, or everything, fits.
    """
    weight = np.concatenate([np.full(one.size, 1.0 / one.size) for one in logits])
    x = np.concatenate([one.ravel() for one in logits])
    y = np.concatenate([one.ravel() for one in fits]).astype(np.float64)
    if not 0 < y.sum() < len(y):
        raise UsageError("the queries to calibrate on have no document that fits, or only such", hint="give more")
    columns = np.stack([x, np.ones_like(x)], axis=1)
    found = np.array([1.0, 0.0])

    def loss(at: Floats) -> float:
        z = columns @ at
        return float(weight @ np.logaddexp(0.0, np.where(y > 0, -z, z)))

    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-columns @ found))
        slope = columns.T @ (weight * (p - y)) + _SMALL * found
        bend = (columns * (weight * p * (1 - p))[:, None]).T @ columns + _SMALL * np.eye(2)
        step = np.linalg.solve(bend, slope)
        while np.abs(step).max() > _SMALL and loss(found - step) > loss(found):
            step = step / 2  # a whole one can go too far, and back again for ever
        found = found - step
        if np.abs(step).max() < 1e-8:
            break
    return float(found[0]), float(found[1])


def log_loss(logits: Sequence[Floats], fits: Sequence[NDArray[np.bool_]], scale: float, shift: float) -> float:
    """The mean over queries of the mean log loss of their answers, in nats."""
    each = []
    for x, y in zip(logits, fits, strict=True):
        z = scale * x + shift
        each.append(float(np.mean(np.logaddexp(0.0, np.where(y, -z, z)))))
    return sum(each) / len(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTuning(ModelRecipe):
    """A recipe of the kind `constraints-tune`: `start` is an exported model that judges, of which a tuned copy is made.

    `benchmarks` are folders that `answerable-bench sets build` wrote; `queries` development queries of each, with
    `documents` each.
    """

    benchmarks: tuple[str, ...]
    queries: int = 60
    documents: int = 60


def _make(recipe: JudgeTuning, _: Path, out: Path) -> Made:
    """Calibrate the judge in a copy of the model."""
    shipped = tunable(recipe.start, out / "model")
    judge, work = ConstraintJudge(shipped), out / "work"
    folders = map(Path, recipe.benchmarks)
    found = [one for folder in folders for one in pools(folder, work, recipe.queries, recipe.documents)]
    logits = [judge.logits(one.constraints, one.documents).astype(np.float64) for one in found]
    fits = [one.fits for one in found]
    scale, shift = platt(logits, fits)
    resealed(shipped, {FIT: {**shipped.about[FIT], "scale": scale, "shift": shift}})
    told = {
        "queries": len(found),
        "answers": int(sum(one.size for one in fits)),
        "scale": scale,
        "shift": shift,
        "log loss before": log_loss(logits, fits, 1.0, 0.0),
        "log loss": log_loss(logits, fits, scale, shift),
    }
    return Made(told, (json.dumps(told, indent=1),), shipped.name, shipped.folder)


KINDS = {"constraints-tune": Kind(JudgeTuning, _make, setting("judge"), needs_data=False)}
