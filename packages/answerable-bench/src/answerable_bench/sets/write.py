"""The benchmark as files: QUEST's own JSONL, which `answerable evaluate` reads (`datasets.sets.quest`).

train.jsonl, val.jsonl, test.jsonl   `query`, `original_query`, `docs` and `metadata` as QUEST; `_id`, `expression`
atomic.jsonl                         further examples of one category for training (section 3.5), of the same form
atoms.jsonl                          each category with its split, its kind and its documents
documents.jsonl.gz                   the documents without categories
statistics.json, statistics.md       the paper's tables 1 and 2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from answerable.sets.expression import Atom, atoms, printed
from answerable_bench.sets.atoms import Category, of_split, read_atoms
from answerable_bench.sets.categories import document_ids, read_categories
from answerable_bench.sets.judged import Judgements, judgements
from answerable_bench.sets.queries import (
    COMPOSER,
    SetQuery,
    marked,
    query_id,
    read_queries,
    worded,
)
from answerable_bench.sets.settings import SPLITS, TRAIN, SetPlan
from answerable_bench.sets.statistics import markdown, statistics
from answerable_bench.stages import Counts, write_json, write_jsonl, write_text

ATOMIC, STATISTICS, MARKDOWN = "atomic.jsonl", "statistics.json", "statistics.md"
WRITTEN = (*(f"{split}.jsonl" for split in SPLITS), ATOMIC, STATISTICS, MARKDOWN)


def write_benchmark(folder: Path, plan: SetPlan) -> Counts:
    """Write the splits, the further examples and the statistics; how many queries each has."""
    composed = read_queries(folder)
    said = judgements(folder)
    for split in SPLITS:
        rows = (quest_record(one, plan, said) for one in said.kept if one.split == split)
        write_jsonl(folder / f"{split}.jsonl", rows)
    further = extra(folder, plan, composed)
    write_jsonl(folder / ATOMIC, (quest_record(one, plan) for one in further))
    told = statistics(folder, plan, said, len(further))
    write_json(folder / STATISTICS, told)
    write_text(folder / MARKDOWN, markdown(told))
    found = Counter(one.split for one in said.kept)
    return {split: found[split] for split in SPLITS} | {
        "atomic": len(further),
        "left out": len(composed) - len(said.kept),
    }


def quest_record(query: SetQuery, plan: SetPlan, said: Judgements | None = None) -> dict[str, Any]:
    """A query as QUEST writes it, with its id and its tree, and what people said of it."""
    metadata: dict[str, Any] = {"template": query.template, "domain": plan.domain}
    if said is not None:
        metadata |= said.metadata(query)
    return {
        "_id": query.id,
        "query": query.text,
        "docs": list(query.docs),
        "original_query": query.original,
        "scores": None,
        "metadata": metadata,
        "expression": printed(query.expression),
    }


def extra(folder: Path, plan: SetPlan, queries: Sequence[SetQuery]) -> list[SetQuery]:
    """Up to `plan.extra` categories of the training split that stand in no query, each field in its turn (3.5)."""
    asked = {atom for query in queries for atom in atoms(query.expression)}
    categories, ids = read_atoms(folder, read_categories(folder)), document_ids(folder)
    free = [
        one
        for one in of_split(categories, TRAIN, plan)
        if one.name not in asked and plan.least <= one.members.size < plan.second_most
    ]
    fields: dict[str, list[Category]] = {}
    for at in np.random.default_rng([plan.seed, 4]).permutation(len(free)):
        fields.setdefault(free[at].field, []).append(free[at])
    turns = zip_longest(*(fields[name] for name in sorted(fields)))
    taken = [one for turn in turns for one in turn if one is not None][: plan.extra]
    return [_atomic(one, ids, plan) for one in taken]


def _atomic(category: Category, ids: Sequence[str], plan: SetPlan) -> SetQuery:
    expression, kinds = Atom(category.name), {category.name: category.kind}
    return SetQuery(
        query_id(plan.domain, printed(expression)),
        TRAIN,
        "_",
        expression,
        marked(expression, kinds, plan.nouns[0]),
        worded(expression, kinds, TRAIN, plan),
        COMPOSER,
        tuple(ids[number] for number in category.members),
    )
