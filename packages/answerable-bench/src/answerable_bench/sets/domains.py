"""Benchmarks of several domains built by one file, and joined into one: the paper has films, books, plants and animals.

Each domain is a folder of its own, as `build` writes it, in which people judge its queries. Joined, documents are
called with their domain (`films/12`), and what is evaluated tells by domain.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.errors import UsageError
from answerable.evaluation.sets.meaning import TEMPLATES
from answerable_bench.sets.atoms import FILE as ATOMS
from answerable_bench.sets.build import build
from answerable_bench.sets.categories import DOCUMENTS, write_packed
from answerable_bench.sets.settings import CONDITIONS, SPLITS, SetPlan, SetSources, with_conditions
from answerable_bench.sets.write import ATOMIC, MARKDOWN, SIZES, STATISTICS
from answerable_bench.stages import (
    Counts,
    Progress,
    markdown_table,
    read_jsonl,
    write_json,
    write_jsonl,
    write_text,
)

_FILES = ("documents", "categories", "graph")
_LISTS = ("attributes", "modifiers", "nouns")
_KNOWN = (*_FILES, *_LISTS, "seed", "queries", "plain", "public", *CONDITIONS)


def planned(path: Path) -> dict[str, tuple[SetSources, SetPlan]]:
    """The domains of a TOML file, a table each, with what `sets build` is told of one: `documents`, `categories`,
    `graph`, `attributes`, `modifiers`, `nouns`, `queries`, `seed`, `plain`, `public`, and conditions by name.

    Files are named from the folder of the TOML. Raises `UsageError` for what cannot be read or is not known.
    """
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as a plan of domains: {error}") from error
    return {name: _planned(name, one, path.parent) for name, one in told.items()}


def _planned(name: str, told: Mapping[str, Any], base: Path) -> tuple[SetSources, SetPlan]:
    if not isinstance(told, dict) or not isinstance(told.get("documents"), str) or "/" in name:
        raise UsageError(f"[{name}] of the plan is no domain", hint="a table with its documents")
    for key, value in told.items():
        kind = str if key in _FILES else list if key in _LISTS else (int, float, bool)
        if key not in _KNOWN or not isinstance(value, kind):
            raise UsageError(f"{name}.{key} of the plan cannot be used", hint=f"keys: {', '.join(_KNOWN)}")
    categories, graph = (base / told[key] if key in told else None for key in _FILES[1:])
    attributes, modifiers, nouns = (tuple(map(str, told.get(key, ()))) for key in _LISTS)
    sources = SetSources(base / told["documents"], categories, graph, attributes, modifiers)
    own = {key: told[key] for key in ("seed", "queries", "plain", "public") if key in told}
    plan = replace(SetPlan(domain=name, nouns=nouns or SetPlan().nouns), **own)
    return sources, with_conditions(plan, [f"{key}={str(told[key]).lower()}" for key in CONDITIONS if key in told])


def build_all(plans: Mapping[str, tuple[SetSources, SetPlan]], folder: Path, progress: Progress) -> dict[str, Counts]:
    """Build each domain in a folder of its name, resuming, and join them; how many queries each split has by domain.

    Raises as `build`.
    """
    found = {}
    for name, (sources, plan) in plans.items():
        done = build(sources, folder / name, plan, progress)
        found[name] = next(one.counts for one in done if one.name == "splits")
    join(folder, list(plans))
    return found


def join(folder: Path, names: Sequence[str]) -> None:
    """Write what the domains hold together: documents, queries, atoms and statistics."""
    documents = _rows(folder, names, DOCUMENTS, lambda name, row: {**row, "_id": f"{name}/{row['_id']}"})
    write_packed(folder / DOCUMENTS, documents)
    for split in (*SPLITS, ATOMIC.removesuffix(".jsonl")):
        write_jsonl(folder / f"{split}.jsonl", _rows(folder, names, f"{split}.jsonl", _called))
    atoms: dict[str, dict[str, Any]] = {}
    for row in _rows(folder, names, ATOMS, _called):
        kept = atoms.setdefault(row["atom"], {**row, "docs": []})
        kept["docs"] += row["docs"]
        kept["split"] = min(kept["split"], row["split"])  # that of the tests, if it is in them anywhere
    write_jsonl(folder / ATOMS, atoms.values())
    told = {name: json.loads((folder / name / STATISTICS).read_text("utf-8")) for name in names}
    write_json(folder / STATISTICS, {"domains": told})
    write_text(folder / MARKDOWN, markdown(told))


def _called(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "docs": [f"{name}/{id}" for id in row["docs"]]}


def _rows(
    folder: Path, names: Sequence[str], file: str, told: Callable[[str, Mapping[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for name in names:
        for row in read_jsonl(folder / name / file):
            yield told(name, row)


def markdown(told: Mapping[str, Mapping[str, Any]]) -> str:
    """The paper's tables 1 and 2 with a column for each domain, and for all."""

    def counted(template: str) -> list[int]:
        each = [sum(one["templates"][template][split] for split in SPLITS) for one in told.values()]
        return [*each, sum(each)]

    rows = [[TEMPLATES[name], *counted(name)] for name in TEMPLATES]
    sizes = [[name, *(one[name] for one in told.values())] for name in SIZES]
    return "\n".join((markdown_table(["queries", *told, "all"], rows), markdown_table(["", *told], sizes)))
