"""`answerable evaluate pairs` and `evaluate judged`: answers by pairs beside other ways, and what people judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answerable.cli.evaluate_given import (
    By,
    Cut,
    Drawn,
    Folder,
    Fresh,
    Kept,
    Predictions,
    filled,
    place_of,
    predicted,
    tell,
)
from answerable.cli.shell import Plain, Shell, workspace_of
from answerable.errors import UsageError
from answerable.evaluation.names import PairSystemName
from answerable.printing import counted

if TYPE_CHECKING:
    from answerable.evaluation.qapairs.systems import Held
    from answerable.evaluation.tasks.task import Survey

TIMED = 200
"""Questions that a system is timed with, three times over; the engine is timed by its run."""
PAIRS_FILE, MATCHED_FILE = "pairs-to-judge.csv", "matched-to-judge.csv"
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
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="Write so many cases for people to judge.")
    ] = 0,
    predictions: Predictions = None,
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
    if predictions is not None:
        found, _ = filled(shell, predicted("pairs", survey, predictions), survey, kept, cut, (), "pairs")
        return tell(shell, found, report)
    systems = tuple(dict.fromkeys(system)) if system else USUAL + ((PairSystemName.TRAINING,) if training else ())
    Matching.require(survey)
    if training is None and PairSystemName.TRAINING in systems:
        raise UsageError("there are no training questions", hint="--training FILE")
    timed = [one.question for one in evenly(list(survey.examples()), TIMED)]
    with workspace_of(shell, {"pairs.answer": False}) as opened:
        learned = as_pairs(Given(training).survey().examples()) if training else ()
        held = Held(opened, pairs_of(opened), learned)
        reports, ones, rates, runs, told = {}, {}, {}, {}, about(held)
        for name in (one.value for one in systems):
            task = Matching(open_system(PairSystemName(name), held), told)
            reports[name], runs[name] = filled(shell, task, survey, kept, cut, AT, f"pairs-{name}")
            ones[name] = outcomes(survey, runs[name])
            # what is asked one question at a time by the times of its run, anything else the median of three times
            rates[name] = ones[name].rate if task.at_once == 1 else rate(task.system, timed)
        covered = coverage(survey.examples(), held.pairs)
        measured = Measured(reports, ones, rates, covered, len(held.pairs), threshold)
        files = _samples(held, survey, runs, sample, drawn.seed, place_of(shell, report)) if sample else {}
    record = {**record_of(measured, drawn.seed), "samples": {name: str(path) for name, path in files.items()}}
    text = markdown_of(record, measured, files)
    if report is not None:
        shell.note(f"report: {', '.join(map(str, write_both(report / 'pairs', text, record)))}")
    shell.emit(record)
    shell.say(text, wrap=False)


def _samples(
    held: Held, survey: Survey, runs: Mapping[str, Path], count: int, seed: int, folder: Path
) -> dict[str, Path]:
    """Pairs, and questions that pairs answered, for people to judge."""
    from answerable.evaluation.qapairs.outcomes import LEADING
    from answerable.evaluation.qapairs.review import drawn, write_made, write_matched
    from answerable.evaluation.qapairs.systems import passages_of
    from answerable.evaluation.tasks.task import pairs

    chosen = drawn(held.pairs, count, seed)
    files = {"pairs": write_made(chosen, passages_of(held.workspace, chosen), folder / PAIRS_FILE)}
    first = next((name for name in LEADING if name in runs), None)
    if first is not None:
        asked = [one for one in pairs(survey, runs[first]) if one[1]["pair"] and one[0].answers]
        files["matched"] = write_matched(drawn(asked, count, seed), folder / MATCHED_FILE)
    return files


def judged(
    shell: Plain,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table of cases, filled in.", show_default=False)],
) -> None:
    """The shares of what people judged in a file that `evaluate pairs --sample` wrote (PAQ, table 2)."""
    from answerable.evaluation.qapairs.review import read_judged
    from answerable.evaluation.report import table

    shares = read_judged(file)
    rows = []
    for one in (*shares["verdicts"], shares["whole"]):
        share, low, high = (f"{100 * one[name]:.1f}" for name in ("share", "low", "high"))
        rows.append([one["verdict"], f"{one['count']:,}", share, f"{low} to {high}"])
    shell.emit(shares)
    shell.say(f"{counted(shares['judged'], 'case')} judged, {shares['unjudged']:,} not yet", indent=0)
    shell.say(table(("verdict", "cases", "%", "95 % interval"), rows), wrap=False)
