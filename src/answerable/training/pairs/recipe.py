"""A recipe of the kind `pairs`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from answerable.errors import UsageError
from answerable.training.loop import LoopSettings

LATENT, PARAPHRASE, NONE = "latent", "paraphrase", "none"
COPYING = "copying"


@dataclass(frozen=True, slots=True)
class MatchRecipe:
    """`pairs`: files of pairs to find, in PAQ's form. `sources`: questions that people asked (`known.SOURCES`).

    `objective` of the vectors: `latent`, `paraphrase` or `none`; `generator` of the first: `copying`, or a seq2seq
    model by name or folder. For each of the `batch` questions of a step `retrieved` pairs are found, in an index that
    is made anew every `refresh` steps. Questions are learned from that find a right pair among the `reach` nearest by
    what training starts from (0: all): `epochs` times for the vectors, and `reranking` times, in steps between these,
    for reranking among `choices` pairs. `known`: the pairs that are searched also hold the questions to learn from. In
    an evaluation `judged` development questions are looked up, and `read` of them reranked, `depth` pairs each.
    """

    start: str = "skills"
    pairs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ("nq", "squad")
    most: int = 60_000
    known: bool = True
    objective: str = LATENT
    generator: str = COPYING
    temperature: float = 0.05
    batch: int = 16
    retrieved: int = 16
    refresh: int = 150
    reach: int = 200
    choices: int = 10
    epochs: float = 2.0
    reranking: float = 2.0
    dropout: float = 0.1
    threads: int = 2
    judged: int = 600
    read: int = 100
    depth: int = 50
    loop: LoopSettings = field(default_factory=LoopSettings)


def read(recipe: Mapping[str, Any]) -> MatchRecipe:
    """Check a recipe. Raises `UsageError` for a key or a setting that is not known or cannot be used."""
    known = {"kind", *MatchRecipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    given = {key: value for key, value in recipe.items() if key != "kind"}
    try:
        for key, value in given.items():
            kind = type(getattr(MatchRecipe(), key))
            given[key] = LoopSettings(**value) if kind is LoopSettings else kind(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    found = MatchRecipe(**given)
    if found.objective not in (LATENT, PARAPHRASE, NONE):
        hint = f"objective is {LATENT}, {PARAPHRASE} or {NONE}"
        raise UsageError(f"there is no objective {found.objective!r}", hint=hint)
    if not found.pairs and not found.known:
        raise UsageError("the recipe names no pairs to find", hint="pairs = [files], or known = true")
    if found.objective == NONE and not found.reranking:
        raise UsageError("the recipe trains neither vectors nor reranking")
    return found
