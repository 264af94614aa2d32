"""How a judge's logits become probabilities: Platt scaling on development queries, over what finding would judge.

The judge learns from as many documents that fit as do not; where it is used, few do. So its logits are calibrated over
the documents that BM25 finds for development queries and their constraints, each judged by every constraint (Platt
1999; the development categories are in no training query).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.constraints import FIT, ConstraintJudge
from answerable.encoders.shipped import open_shipped, seal
from answerable.errors import UsageError
from answerable.sets.expression import atoms, read_expression
from answerable.training.sets.grounds import ATOMS, DOCUMENTS, Text, documents_of
from answerable.training.sets.mine import Lexical
from answerable.training.skills.shelf import lines_of

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
    found = Lexical(texts, work / f"bm25-{folder.name}")
    rows = [row for row in lines_of(folder / "val.jsonl") if row.get("expression")]
    for row in random.Random(seed).sample(rows, min(queries, len(rows))):
        said = atoms(read_expression(row["expression"]))
        if any(one not in held for one in said):
            continue
        ranked = [found.best(text, most) for text in (row["query"], *said)]
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
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-columns @ found))
        slope = columns.T @ (weight * (p - y)) + _SMALL * found
        bend = (columns * (weight * p * (1 - p))[:, None]).T @ columns + _SMALL * np.eye(2)
        step = np.linalg.solve(bend, slope)
        found = found - step * min(1.0, 2.0 / max(_SMALL, float(np.abs(step).max())))
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


def main() -> None:
    """`python -m answerable.training.sets.tune MODEL --benchmark DIR`: calibrate the judge in an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.sets.tune", description=main.__doc__)
    parser.add_argument("model", type=Path, help="the folder of an exported model that judges")
    parser.add_argument(
        "--benchmark", type=Path, action="append", required=True, help="what `answerable-bench sets` built"
    )
    parser.add_argument("--work", type=Path, required=True, help="a folder for indexes, kept")
    parser.add_argument("--queries", type=int, default=60, help="development queries of each")
    parser.add_argument("--documents", type=int, default=60, help="documents of each query")
    given = parser.parse_args()
    shipped = open_shipped(given.model)
    judge = ConstraintJudge(shipped)
    found = [one for folder in given.benchmark for one in pools(folder, given.work, given.queries, given.documents)]
    logits = [judge.logits(one.constraints, one.documents).astype(np.float64) for one in found]
    fits = [one.fits for one in found]
    scale, shift = platt(logits, fits)
    about = {key: value for key, value in shipped.about.items() if key not in ("name", "files")}
    about[FIT] = {**about[FIT], "scale": scale, "shift": shift}
    seal(given.model, shipped.name, list(shipped.about["files"]), about)
    told = {
        "queries": len(found),
        "answers": int(sum(one.size for one in fits)),
        "scale": scale,
        "shift": shift,
        "log loss before": log_loss(logits, fits, 1.0, 0.0),
        "log loss": log_loss(logits, fits, scale, shift),
    }
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
