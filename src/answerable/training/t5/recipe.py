"""Recipes of the kinds `t5-classifier` and `t5-dual-encoder`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from answerable.errors import UsageError
from answerable.training.loop import LoopSettings
from answerable.training.t5.draw import NegativeSettings


@dataclass(frozen=True, slots=True)
class T5Recipe:
    """`start`: a T5's folder, or `t5:` and its name on the Hugging Face Hub. `epochs`: how often each pair is seen.

    `tokens` of a document (and the query before it, of a classifier) and `query` tokens of a query are read. `batch`
    is the number of pairs of a dual encoder's batch, in which the documents of other queries are wrong ones;
    `temperature` divides its inner products. A classifier's batches are bounded by `loop.tokens`. In an evaluation
    `judged` validation queries are looked at, if there are any.
    """

    start: str
    threads: int
    epochs: float
    tokens: int
    query: int
    batch: int
    temperature: float
    judged: int
    negatives: NegativeSettings
    loop: LoopSettings


def read(recipe: Mapping[str, Any]) -> T5Recipe:
    """Check a recipe. Raises `UsageError` for a key or a setting that is not known or cannot be used."""
    known = {"kind", *T5Recipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    if "start" not in recipe:
        raise UsageError("the recipe names no T5 to start from", hint='start = "t5:google/t5-v1_1-base"')
    try:
        found = T5Recipe(
            start=str(recipe["start"]),
            threads=int(recipe.get("threads", 2)),
            epochs=float(recipe.get("epochs", 1)),
            tokens=int(recipe.get("tokens", 512)),
            query=int(recipe.get("query", 64)),
            batch=int(recipe.get("batch", 512)),
            temperature=float(recipe.get("temperature", 0.01)),
            judged=int(recipe.get("judged", 64)),
            negatives=NegativeSettings(**recipe.get("negatives", {})),
            loop=LoopSettings(**recipe.get("loop", {})),
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if min(found.tokens, found.query, found.batch) < 2 or found.epochs <= 0 or found.temperature <= 0:
        raise UsageError("tokens, query and batch are at least 2, epochs and temperature above 0")
    return found
