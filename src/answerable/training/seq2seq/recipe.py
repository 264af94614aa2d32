"""Recipes of the kinds `pair-questions` and `closed-book`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from answerable.errors import UsageError
from answerable.training.loop import LoopSettings

PAIR_QUESTIONS, CLOSED_BOOK = "pair-questions", "closed-book"


@dataclass(frozen=True, slots=True)
class Seq2SeqRecipe:
    """`start`: the folder of a BART or T5, or `bart:` or `t5:` and its name on the Hugging Face Hub.

    `tokens` are read and `said` written. A step learns from `batch` examples, in pieces of at most `loop.tokens`
    tokens. `training` are the files of questions, below the folder of data; `pairs`, for a closed book, those of pairs,
    which are learned first, together with the training questions, `epochs[0]` times. Then come the training questions
    alone, `epochs[1]` times. `development`: files that tell when to stop; without any, a fixed twentieth of the
    training questions, which is then not learned. At an evaluation `judged` of them are looked at.
    """

    kind: str
    start: str
    threads: int
    epochs: tuple[int, int]
    tokens: int
    said: int
    batch: int
    judged: int
    training: tuple[str, ...]
    pairs: tuple[str, ...]
    development: tuple[str, ...]
    loop: LoopSettings


def read(recipe: Mapping[str, Any]) -> Seq2SeqRecipe:
    """Check a recipe. Raises `UsageError` for a key or a setting that is not known or cannot be used."""
    kind = str(recipe.get("kind", ""))
    known = set(Seq2SeqRecipe.__dataclass_fields__) - ({"pairs"} if kind == PAIR_QUESTIONS else set())
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    for needed, hint in (("start", 'start = "bart:facebook/bart-base"'), ("training", 'training = ["questions.json"]')):
        if not recipe.get(needed):
            raise UsageError(f"the recipe names no {needed}", hint=hint)
    asks = kind == PAIR_QUESTIONS
    try:
        found = Seq2SeqRecipe(
            kind=kind,
            start=str(recipe["start"]),
            threads=int(recipe.get("threads", 2)),
            epochs=_epochs(recipe.get("epochs", 1)),
            tokens=int(recipe.get("tokens", 512 if asks else 64)),
            said=int(recipe.get("said", 40 if asks else 24)),
            batch=int(recipe.get("batch", 64 if asks else 512)),
            judged=int(recipe.get("judged", 1000)),
            training=_files(recipe["training"]),
            pairs=_files(recipe.get("pairs", ())),
            development=_files(recipe.get("development", ())),
            loop=LoopSettings(**recipe.get("loop", {})),
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if min(found.tokens, found.said, found.batch, found.judged) < 2 or min(found.epochs) < 0 or not any(found.epochs):
        raise UsageError("tokens, said, batch and judged are at least 2, and epochs not below 0")
    return found


def _epochs(given: Any) -> tuple[int, int]:
    """How often the first and the second stage see their examples; one number is for both."""
    first, second = (given, given) if isinstance(given, int) else given
    return int(first), int(second)


def _files(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not all(isinstance(one, str) and one for one in given):
        raise ValueError("files are a list of names")
    return tuple(given)
