"""`answerable evaluate finding`: systems that find whole sets."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.evaluate_given import Cut, Drawn, Kept, filled, tell
from answerable.cli.options import PrivacyMode
from answerable.cli.shell import Shell, workspace_of
from answerable.evaluation.names import SetSystemName

AT = (20, 50, 100, 1000)
"""Where recall is cut unless told otherwise: as in the paper's table 4."""


def run(
    shell: Shell,
    drawn: Drawn,
    kept: Kept,
    cut: Cut,
    system: Annotated[SetSystemName, typer.Option("--system", help="What finds the sets.")] = SetSystemName.FIND,
    atoms: Annotated[
        Path | None, typer.Option("--atoms", metavar="FILE", help="The documents of each constraint: what sets break.")
    ] = None,
    privacy: PrivacyMode = None,
) -> None:
    """Whole sets: precision, recall and F1 by template and domain. Interrupted, the same command resumes."""
    from answerable.evaluation.report import as_record, markdown
    from answerable.evaluation.sets import tables
    from answerable.evaluation.sets.classifying import Asked, open_finding
    from answerable.evaluation.sets.meaning import asked_alone, read_atoms
    from answerable.evaluation.tasks.finding import Finding
    from answerable.evaluation.tasks.task import pairs

    at, survey = cut.places(AT), drawn.survey()
    sets = read_atoms(atoms) if atoms else asked_alone(survey.examples())
    with ExitStack() as stack:
        Finding.require(survey)
        opened = workspace_of(shell, {"ask.privacy": privacy, "models.reader": "overlap"})
        task = open_finding(stack.enter_context(opened), Asked(system))
        report, path = filled(shell, task, survey, kept, cut, at, f"finding-{system.value}")
        told = tables.tables(task, pairs(survey, path), sets, at)
    record = {**as_record(report), **told}
    plain = cut.by == "kind"  # the tables have these slices
    shown = replace(report, measures=replace(report.measures, slices={})) if plain else report
    text = f"{markdown(shown)}\n{tables.markdown(told)}"
    tell(shell, record, text, kept.report, path.stem)
