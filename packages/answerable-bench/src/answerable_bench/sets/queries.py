"""The queries of a build: composed within each split, then said in words.

How many there would be if all splits shared their categories is composed as well, and told: that is what keeping them
apart costs.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from answerable.evaluation.set_patterns import HELD_OUT, PATTERNS
from answerable.evaluation.set_phrasing import phrased
from answerable.sets.expression import Expression, Minus, Or, atoms, printed, read_expression, template
from answerable_bench.sets.atoms import Category, Pool, of_split, read_atoms
from answerable_bench.sets.categories import MODIFIER, document_ids, read_categories
from answerable_bench.sets.compose import STEPS, Composed, composed
from answerable_bench.sets.settings import SPLITS, TEST, TRAIN, VALIDATION, SetPlan
from answerable_bench.stages import Counts, Progress, read_jsonl, write_json, write_jsonl

COMPOSED, TOGETHER, FILE = "composed.jsonl", "together.json", "queries.jsonl"
COMPOSER, PHRASING = "template", "phrasing"


@dataclass(frozen=True, slots=True)
class SetQuery:
    """A query. `original`: as composed, its categories marked; `text`: as asked; `by`: who put it so."""

    id: str
    split: str
    template: str
    expression: Expression
    original: str
    text: str
    by: str
    docs: tuple[str, ...]


def write_composed(folder: Path, plan: SetPlan, progress: Progress) -> Counts:
    """Compose the queries of each split; how many there are by split, and how many there were to be of all."""
    categories, ids = read_atoms(folder, read_categories(folder)), document_ids(folder)
    every = list(composed(Pool(categories, len(ids)), plan, plan.queries, np.random.default_rng([plan.seed, 2])))
    progress("queries", 1, 1 + len(SPLITS))
    found: dict[str, list[tuple[Composed, Sequence[Category]]]] = {}
    if plan.apart:
        for number, split in enumerate(SPLITS):
            own = list(of_split(categories, split, plan))
            rng = np.random.default_rng([plan.seed, 3, number])
            made = composed(Pool(own, len(ids)), plan, plan.asked(split), rng)
            found[split] = [(one, own) for one in made]
            progress("queries", 2 + number, 1 + len(SPLITS))
    else:
        for split, ones in _divided(every, plan).items():
            found[split] = [(one, categories) for one in ones]
    rows = (_composed_row(one, own, split, ids) for split, ones in found.items() for one, own in ones)
    write_jsonl(folder / COMPOSED, rows)
    met = Counter(one.template for one in every)
    write_json(folder / TOGETHER, {name: met[name] for name in STEPS})
    counts = {split: len(ones) for split, ones in found.items()}
    return counts | {"asked": len(STEPS) * sum(map(plan.asked, SPLITS)), "with shared categories": len(every)}


def _divided(every: Sequence[Composed], plan: SetPlan) -> dict[str, list[Composed]]:
    """The queries of each template dealt to the splits in the asked proportion, by chance."""
    rng = np.random.default_rng([plan.seed, 3])
    found: dict[str, list[Composed]] = {split: [] for split in SPLITS}
    for name in STEPS:
        ones = [one for one in every if one.template == name]
        order = rng.permutation(len(ones))
        tested = round(len(ones) * plan.test)
        validated = round((len(ones) - tested) * plan.validation)
        for place, at in enumerate(order):
            split = TEST if place < tested else VALIDATION if place < tested + validated else TRAIN
            found[split].append(ones[at])
    return found


def _composed_row(one: Composed, own: Sequence[Category], split: str, ids: Sequence[str]) -> dict[str, Any]:
    return {
        "split": split,
        "template": one.template,
        "expression": printed(one.expression),
        "kinds": {own[part].name: own[part].kind for part in one.parts},
        "docs": [ids[number] for number in one.members],
        "taken": _taken(one, own),
    }


def _taken(one: Composed, own: Sequence[Category]) -> float | None:
    """The share of a difference's first part that it takes away, or None for other queries."""
    if not isinstance(one.expression, Minus):
        return None
    left = reduce(np.intersect1d, [own[part].members for part in one.parts[:-1]])
    return round(1 - one.members.size / left.size, 4)


def write_queries(folder: Path, plan: SetPlan, progress: Progress) -> Counts:
    """Say each composed query in words; how many were said freely."""
    counts = dict.fromkeys(("queries", "phrased"), 0)

    def said() -> Iterator[dict[str, Any]]:
        for row in read_jsonl(folder / COMPOSED):
            expression = read_expression(row["expression"])
            text = worded(expression, row["kinds"], row["split"], plan)
            original = marked(expression, row["kinds"], plan.nouns[0])
            counts["queries"] += 1
            counts["phrased"] += not plan.plain
            by = COMPOSER if plan.plain else PHRASING
            query = SetQuery(
                query_id(plan.domain, row["expression"]), row["split"], row["template"], expression, original, text, by,
                tuple(row["docs"]),
            )  # fmt: skip
            yield as_record(query)

    write_jsonl(folder / FILE, said())
    return counts


def worded(expression: Expression, kinds: Mapping[str, str], split: str, plan: SetPlan) -> str:
    """A query in words: drawn by its own words and the seed. Phrasings that nothing is trained on are for testing."""
    if plan.plain:
        return unmarked(marked(expression, kinds, plan.nouns[0]))
    rng = random.Random(f"{plan.seed}\0{printed(expression)}")
    patterns = PATTERNS if split == TEST else PATTERNS - HELD_OUT
    return phrased(expression, rng, kinds, patterns, plan.nouns).text


def marked(expression: Expression, kinds: Mapping[str, str], noun: str) -> str:
    """The query as its template puts it, each category marked; a modifier that cannot stand alone has a noun."""
    form = template(expression) or ""
    names = list(atoms(expression))
    lone = isinstance(expression, Or)
    words = []
    for number, name in enumerate(names):
        after_noun = number == 0 or (lone and kinds.get(names[number - 1]) != MODIFIER) or name.startswith("that ")
        bare = kinds.get(name) == MODIFIER and after_noun
        words.append(f"{noun} <mark>{name}</mark>" if bare else f"<mark>{name}</mark>")
    parts = iter(words)
    return "".join(next(parts) if letter == "_" else letter for letter in form)


def unmarked(text: str) -> str:
    """The words of a marked query."""
    return text.replace("<mark>", "").replace("</mark>", "")


def query_id(domain: str, expression: str) -> str:
    """The id of a query: what it is about and what it asks."""
    return "s-" + hashlib.sha256(f"{domain}\n{expression}".encode()).hexdigest()[:12]


def as_record(query: SetQuery) -> dict[str, Any]:
    """A query as it is written."""
    return {name: getattr(query, name) for name in SetQuery.__slots__} | {
        "expression": printed(query.expression),
        "docs": list(query.docs),
    }


def read_queries(folder: Path) -> list[SetQuery]:
    """What `write_queries` wrote."""
    return [
        SetQuery(**{**row, "expression": read_expression(row["expression"]), "docs": tuple(row["docs"])})
        for row in read_jsonl(folder / FILE)
    ]
