"""A benchmark from two corpora, stage by stage: passages, entities, pairs, questions, splits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from answerable.corpora.sources import Report
from answerable.errors import UsageError
from answerable_bench import entities, gather, pairs, propose, review, write
from answerable_bench.plan import PRIVATE, PUBLIC, Plan, Sources
from answerable_bench.stages import RECORDS, Counts, Done, Progress, begun, write_json
from answerable_bench.written import Written

PLAN = "plan.json"


def build(
    sources: Sources,
    folder: Path,
    plan: Plan,
    report: Report,
    progress: Progress,
    reviewed_only: bool = False,
) -> Sequence[Done]:
    """Build a benchmark in `folder`; what each stage counted. Stopped, the same call goes on at the stage it was in.

    Raises `UsageError` for a path that is not there, or a folder that holds something else; `FormatError` for what is
    written in another form; `WorkspaceError` where the folder cannot be written.
    """
    for path in (*sources.public, *sources.private, *sources.written):
        if not path.exists():
            raise UsageError(f"there is no {path}", hint="check the path")
    written = Written(sources.written)
    mailboxes = sorted(sources.private)  # passages are numbered through: their ids stay, however they are listed
    stages = begun(folder, (*sources.public, *sources.private), RECORDS, "benchmark")
    write_json(folder / PLAN, asdict(plan))
    told = asdict(plan)
    stages.run(
        "private passages",
        {"files": gather.stamps(mailboxes)},
        [gather.FILES[PRIVATE]],
        lambda: gather.gather_private(mailboxes, folder, report, progress),
    )
    stages.run(
        "public passages",
        {"files": gather.stamps(sources.public)},
        [gather.FILES[PUBLIC]],
        lambda: gather.gather_public(sources.public, folder, report, progress),
    )
    given = {name: told[name] for name in ("least", "most", "crowd", "common")}
    stages.run(
        "entities", given, [entities.FILE], lambda: entities.write_entities(folder, plan, entities.Links(), progress)
    )
    given = {name: told[name] for name in ("seed", "pairs", "comparison", "linked")}
    stages.run("pairs", given, [pairs.FILE], lambda: pairs.write_pairs(folder, plan, progress))
    given = {name: told[name] for name in ("per_entity", "per_passage")}
    given["written"] = written.told
    stages.run(
        "questions",
        given,
        [propose.FILE, propose.REFUSED],
        lambda: _questions(folder, plan, written, report, progress),
    )
    reviews = (folder / review.FILE).read_bytes() if (folder / review.FILE).is_file() else b""
    given = {"held": plan.held, "reviewed_only": reviewed_only, "reviews": hashlib.sha256(reviews).hexdigest()}
    stages.run("splits", given, write.WRITTEN, lambda: write.write_benchmark(folder, plan, reviewed_only))
    return stages.done


def _questions(folder: Path, plan: Plan, written: Written, report: Report, progress: Progress) -> Counts:
    drawn = list(pairs.read_pairs(folder))
    counts = propose.write_proposals(folder, plan, drawn, written, progress)
    return counts | {"written of other builds": written.strangers(drawn, report)}


def plan_of(folder: Path) -> Plan:
    """The plan a folder was built by. Raises `UsageError` where it is no benchmark."""
    with suppress(OSError, ValueError, TypeError):
        return Plan(**json.loads((folder / PLAN).read_text("utf-8")))
    raise UsageError(f"{folder} is no benchmark", hint="answerable-bench build --out DIR makes one")
