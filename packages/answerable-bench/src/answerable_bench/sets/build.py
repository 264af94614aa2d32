"""A benchmark of set queries from documents with categories, stage by stage: categories, splits, queries, words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from answerable.errors import UsageError
from answerable_bench.gather import stamps
from answerable_bench.sets import atoms, categories, queries, write
from answerable_bench.sets.errors import ERRORS
from answerable_bench.sets.label import LABELLING
from answerable_bench.sets.paraphrase import PARAPHRASING
from answerable_bench.sets.pooled import POOLED
from answerable_bench.sets.settings import SetPlan, SetSources
from answerable_bench.sets.validate import VALIDATION
from answerable_bench.stages import Done, Progress, begun, known, write_json

PLAN = "set-plan.json"
ROUNDS = (PARAPHRASING, VALIDATION, LABELLING, ERRORS)
"""What people are asked, in this order."""
SAID = (*(one.file for one in ROUNDS), POOLED)
_SIZES = "least most large first_most second_most part_least shared overlap change crowding".split()
_COMPOSED_BY = ("seed", "queries", "test", "validation", "apart", *_SIZES)


def build(sources: SetSources, folder: Path, plan: SetPlan, progress: Progress) -> Sequence[Done]:
    """Build a benchmark in `folder`; what each stage counted. Stopped, the same call goes on at the stage it was in.

    Raises `UsageError` for a file that is not there, or a folder that holds something else; `WorkspaceError` where it
    cannot be written.
    """
    files = [path for path in (sources.documents, sources.names, sources.graph) if path is not None]
    for path in files:
        if not path.is_file():
            raise UsageError(f"there is no file {path}", hint="check the path")
    stages, told = begun(folder, files, PLAN, "benchmark of set queries"), asdict(plan)
    write_json(folder / PLAN, asdict(plan))
    stages.run(
        "categories",
        {"files": stamps(files), "names": [sources.attributes, sources.modifiers], "least": plan.least},
        [categories.DOCUMENTS, categories.FILE, categories.CORPUS],
        lambda: categories.write_categories(sources, folder, plan, progress),
    )
    stages.run(
        "atoms",
        {name: told[name] for name in ("seed", "train_atoms", "validation_atoms", "apart")},
        [atoms.FILE],
        lambda: atoms.write_atoms(
            folder, atoms.assigned(categories.read_categories(folder), plan), categories.document_ids(folder)
        ),
    )
    stages.run(
        "composed",
        {name: told[name] for name in _COMPOSED_BY},
        [queries.COMPOSED, queries.TOGETHER],
        lambda: queries.write_composed(folder, plan, progress),
    )
    stages.run(
        "phrasings",
        {name: told[name] for name in ("domain", "nouns", "plain")},
        [queries.FILE],
        lambda: queries.write_queries(folder, plan, progress),
    )
    given = {"extra": plan.extra, "said": [_hashed(folder / one) for one in SAID]}
    stages.run("splits", given, write.WRITTEN, lambda: write.write_benchmark(folder, plan))
    return stages.done


def _hashed(path: Path) -> str:
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


def plan_of(folder: Path) -> SetPlan:
    """The plan a folder was built by. Raises `UsageError` where it is no benchmark of set queries."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        told = json.loads((folder / PLAN).read_text("utf-8"))
        return SetPlan(**{**known(SetPlan, told), "nouns": tuple(told["nouns"])})
    raise UsageError(f"{folder} is no benchmark of set queries", hint="answerable-bench sets build makes one")
