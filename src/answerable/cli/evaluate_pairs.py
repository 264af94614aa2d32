"""`answerable evaluate pairs`: answers by pairs beside other ways."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.evaluate_given import By, Cut, Drawn, Folder, Fresh, Kept, filled
from answerable.cli.shell import Shell, workspace_of
from answerable.errors import UsageError
from answerable.evaluation.names import PairSystemName

TIMED = 200
"""Questions that a system is timed with, three times over; the engine is timed by its run."""
USUAL = (
    PairSystemName.WORDS,
    PairSystemName.VECTORS,
    PairSystemName.RETRIEVE,
    PairSystemName.RERANK,
    PairSystemName.ENGINE,
)


def run(
    shell: Shell,
    drawn: Drawn,
    system: Annotated[
        list[PairSystemName] | None, typer.Option("--system", help="What answers; more than once for several.")
    ] = None,
    training: Annotated[
        Path | None, typer.Option("--training", metavar="F", help="Questions that stand in for pairs.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Go on to the engine below this; not given: as calibrated.")
    ] = None,
    report: Folder = None,
    by: By = "kind",
    fresh: Fresh = False,
) -> None:
    """Answers by pairs beside words, vectors and the engine: EM, speed, risk, coverage. The same command resumes."""
    from answerable.evaluation.qapairs.matching import Matching, evenly, rate
    from answerable.evaluation.qapairs.outcomes import Measured, coverage, markdown_of, outcomes, record_of
    from answerable.evaluation.qapairs.systems import Held, about, as_pairs, open_system, pairs_of
    from answerable.evaluation.report import write_both
    from answerable.evaluation.tasks.task import AT
    from answerable.evaluation.tasks.task import Data as Given

    survey, kept, cut = drawn.survey(), Kept(report=report, fresh=fresh), Cut(by=by)
    systems = tuple(dict.fromkeys(system)) if system else USUAL + ((PairSystemName.TRAINING,) if training else ())
    Matching.require(survey)
    if training is None and PairSystemName.TRAINING in systems:
        raise UsageError("there are no training questions", hint="--training FILE")
    timed = [one.question for one in evenly(list(survey.examples()), TIMED)]
    with workspace_of(shell, {"pairs.answer": False}) as opened:
        learned = as_pairs(Given(training).survey().examples()) if training else ()
        held = Held(opened, pairs_of(opened), learned)
        reports, ones, rates, told = {}, {}, {}, about(held)
        for name in (one.value for one in systems):
            task = Matching(open_system(PairSystemName(name), held), told)
            reports[name], path = filled(shell, task, survey, kept, cut, AT, f"pairs-{name}")
            ones[name] = outcomes(survey, path)
            # what is asked one question at a time by the times of its run, anything else the median of three times
            rates[name] = ones[name].rate if task.at_once == 1 else rate(task.system, timed)
        covered = coverage(survey.examples(), held.pairs)
        measured = Measured(reports, ones, rates, covered, len(held.pairs), threshold)
    record = record_of(measured, drawn.seed)
    text = markdown_of(record, measured)
    if report is not None:
        shell.note(f"report: {', '.join(map(str, write_both(report / 'pairs', text, record)))}")
    shell.emit(record)
    shell.say(text, wrap=False)
