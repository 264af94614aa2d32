"""`answerable evaluate finding` and `evaluate threshold`: systems that find whole sets, and the threshold of one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.evaluate_given import Cut, Drawn, Kept, filled, only
from answerable.cli.options import PrivacyMode
from answerable.cli.shell import Mode, Plain, Shell, workspace_of
from answerable.errors import UsageError
from answerable.evaluation.names import Part, SetSystemName, Understood

if TYPE_CHECKING:
    from answerable.evaluation.sets.classifying import Asked
    from answerable.evaluation.tasks.task import Survey

AT = (20, 50, 100, 1000)
"""Where recall is cut unless told otherwise: as in the paper's table 4."""


class Logic(StrEnum):
    """How constraints are joined."""

    PRODUCT = "product"
    MINIMUM = "minimum"


class Pool(StrEnum):
    """What candidates are searched with."""

    ALL = "all"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class How:
    """How a system finds, None where it is not said."""

    mode: Annotated[Mode | None, typer.Option("--mode", help="How candidates are ranked.")] = None
    judge: Annotated[str | None, typer.Option("--judge", metavar="NAME", help="As models.judge.")] = None
    k: Annotated[int | None, typer.Option("--k", help="Documents that are judged.")] = None
    part: Annotated[
        Part | None, typer.Option("--part", help="Read the first tokens of a document, or all in pieces.")
    ] = None
    tokens: Annotated[int | None, typer.Option("--tokens", help="Of a document that are read at once.")] = None
    threshold: Annotated[
        str | None, typer.Option("--threshold", metavar="P|FILE", help="One for all queries, or what was tuned.")
    ] = None
    expression: Annotated[
        Understood | None, typer.Option("--expression", help="Parse queries, take the data's, or take nothing apart.")
    ] = None
    logic: Annotated[Logic | None, typer.Option("--logic", help="Join constraints by products or by the least.")] = None
    pool: Annotated[
        Pool | None, typer.Option("--pool", help="Search with each constraint too, or the query alone.")
    ] = None
    evidence: Annotated[
        bool | None, typer.Option("--evidence/--no-evidence", help="Look for sentences that show why.")
    ] = None


_FIND = {"k": "find.candidates", "logic": "find.logic", "threshold": "find.threshold", "pool": "find.each"}
_TAKES: Mapping[SetSystemName, frozenset[str]] = {
    SetSystemName.BM25: frozenset(),
    SetSystemName.DENSE: frozenset(),
    SetSystemName.HYBRID: frozenset(),
    SetSystemName.CANDIDATES: frozenset({"mode", "expression", "pool"}),
    SetSystemName.CLASSIFIER: frozenset({"mode", "judge", "k", "part", "tokens", "threshold"}),
    SetSystemName.FIND: frozenset({"mode", "judge", "expression", "evidence", *_FIND}),
}
"""Options that mean something to some systems only."""


def run(
    shell: Shell,
    drawn: Drawn,
    kept: Kept,
    cut: Cut,
    how: How,
    system: Annotated[SetSystemName, typer.Option("--system", help="What finds the sets.")] = SetSystemName.FIND,
    atoms: Annotated[
        Path | None, typer.Option("--atoms", metavar="FILE", help="The documents of each constraint: what sets break.")
    ] = None,
    privacy: PrivacyMode = None,
) -> None:
    """Whole sets: precision, recall and F1 by template and domain. Interrupted, the same command resumes."""
    from answerable.evaluation.report import as_record, markdown, write_both
    from answerable.evaluation.sets import tables
    from answerable.evaluation.sets.classifying import open_finding
    from answerable.evaluation.sets.meaning import asked_alone, read_atoms
    from answerable.evaluation.tasks.finding import Finding
    from answerable.evaluation.tasks.task import pairs

    only(asdict(how), _TAKES[system], f"the system {system.value}")
    at, survey = cut.places(AT), drawn.survey()
    sets = read_atoms(atoms) if atoms else asked_alone(survey.examples())
    with ExitStack() as stack:
        Finding.require(survey)
        asked, settings = _asked(system, how, survey)
        opened = workspace_of(shell, settings | {"ask.privacy": privacy, "models.reader": "overlap"})
        task = open_finding(stack.enter_context(opened), asked)
        report, path = filled(shell, task, survey, kept, cut, at, f"finding-{system.value}")
        told = tables.tables(task, pairs(survey, path), sets, at)
    record = {**as_record(report), **told}
    plain = cut.by == "kind"  # the tables have these slices
    shown = replace(report, measures=replace(report.measures, slices={})) if plain else report
    text = f"{markdown(shown)}\n{tables.markdown(told)}"
    if kept.report is not None:
        shell.note(f"report: {', '.join(map(str, write_both(kept.report / path.stem, text, record)))}")
    shell.emit(record)
    shell.say(text, wrap=False)


def _asked(system: SetSystemName, how: How, survey: Survey) -> tuple[Asked, dict[str, Any]]:
    """Which system, as it was asked for, and the settings of the workspace that say how."""
    from answerable.evaluation.sets.classifying import Asked, ClassifierSettings
    from answerable.evaluation.sets.meaning import meant
    from answerable.evaluation.sets.tables import read_threshold

    least = None if how.threshold is None else read_threshold(how.threshold)
    if system not in (SetSystemName.FIND, SetSystemName.CANDIDATES):
        named = {"mode": how.mode and how.mode.value, "candidates": how.k, "part": how.part, "tokens": how.tokens}
        given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        return Asked(system, ClassifierSettings(**given), how.judge, least), {}
    understood = how.expression or Understood.PARSED
    if understood is Understood.DATA and not any(meant(example) for example in survey.examples()):
        raise UsageError("the data does not say what its queries ask for", hint="--expression parsed")
    settings = {path: getattr(how, name) for name, path in _FIND.items()} | {
        "search.mode": how.mode and how.mode.value,
        "models.judge": how.judge,
        "find.threshold": least if isinstance(least, float | None) else least.threshold,
        "find.logic": how.logic and how.logic.value,
        "find.each": 1 if how.pool is Pool.QUERY else None,
    }
    return Asked(system, understood=understood, evidence=how.evidence is not False), settings


def threshold(
    shell: Plain,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run of finding.", show_default=False)],
    drawn: Drawn,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the threshold is written.")],
) -> None:
    """Choose one threshold for all queries: that with the best average F1 on the queries of a run, of validation.

    The run is of `evaluate finding --system classifier`, whose probabilities it keeps (or of `find --threshold 0`).
    """
    from answerable.evaluation.sets.tables import tuned, write_threshold

    found = tuned(drawn.survey(), run)
    shell.note(f"threshold: {write_threshold(found, out)}")
    shell.emit(asdict(found))
    shell.say(f"{found.threshold:.4f}, with an average F1 of {100 * found.f1:.1f} over {found.queries:,} queries")
