"""`answerable evaluate pairs` and `evaluate judged`: answers by pairs beside other ways, and what people judged."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
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
from answerable.cli.shell import Json, Shell, workspace_of
from answerable.errors import UsageError
from answerable.evaluation.names import PairSystemName

if TYPE_CHECKING:
    from answerable.evaluation.qapairs.matching import Matching
    from answerable.evaluation.qapairs.outcomes import Measured
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


@dataclass(frozen=True, slots=True)
class Given:
    """One command."""

    shell: Shell
    survey: Survey
    systems: tuple[PairSystemName, ...]
    training: Path | None
    threshold: float | None
    sample: int
    seed: int
    kept: Kept
    cut: Cut


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
    survey, kept, cut = drawn.survey(), Kept(report=report, fresh=fresh), Cut(by=by)
    if predictions is not None:
        found, _ = filled(shell, predicted("pairs", survey, predictions), survey, kept, cut, (), "pairs")
        return tell(shell, found, report)
    systems = tuple(dict.fromkeys(system)) if system else USUAL + ((PairSystemName.TRAINING,) if training else ())
    given = Given(shell, survey, systems, training, threshold, sample, drawn.seed, kept, cut)
    _evaluate(given)


def _evaluate(given: Given) -> None:
    """Fill a run for each system, measure them together, print it and write the report."""
    from answerable.evaluation.qapairs.matching import Matching
    from answerable.evaluation.qapairs.outcomes import markdown_of, record_of
    from answerable.evaluation.qapairs.systems import Held, as_pairs, pairs_of
    from answerable.evaluation.report import write_both
    from answerable.evaluation.tasks.task import Data

    Matching.require(given.survey)
    if given.training is None and PairSystemName.TRAINING in given.systems:
        raise UsageError("there are no training questions", hint="--training FILE")
    with ExitStack() as stack:
        opened = stack.enter_context(workspace_of(given.shell, {"pairs.answer": False}))
        learned = as_pairs(Data(given.training).survey().examples()) if given.training else ()
        held = Held(opened, pairs_of(opened), learned)
        measured, runs = _measured(given, held)
        files = _samples(given, held, runs) if given.sample else {}
    record = {**record_of(measured, given.seed), "samples": {name: str(path) for name, path in files.items()}}
    text = markdown_of(record, measured, files)
    if given.kept.report is not None:
        given.shell.note(f"report: {', '.join(map(str, write_both(given.kept.report / 'pairs', text, record)))}")
    given.shell.emit(record)
    given.shell.say(text, wrap=False)


def _measured(given: Given, held: Held) -> tuple[Measured, dict[str, Path]]:
    """Every system, one after another, and where its run lies."""
    from answerable.evaluation.qapairs.matching import Matching
    from answerable.evaluation.qapairs.outcomes import Measured, coverage, outcomes
    from answerable.evaluation.qapairs.systems import about, open_system
    from answerable.evaluation.tasks.task import AT

    survey, reports, found, rates, runs = given.survey, {}, {}, {}, {}
    told = about(held)
    for name in given.systems:
        task = Matching(open_system(name, held), told)
        called = f"pairs-{name.value}"
        reports[name.value], path = filled(given.shell, task, survey, given.kept, given.cut, AT, called)
        runs[name.value], found[name.value] = path, outcomes(survey, path)
        rates[name.value] = _rate(given, task, found[name.value].rate)
    covered = coverage(survey.examples(), held.pairs)
    return Measured(reports, found, rates, covered, len(held.pairs), given.threshold), runs


def _rate(given: Given, task: Matching, of_run: float) -> float:
    """Questions a second: of the run, for what is asked one at a time; else the median of three times."""
    from answerable.evaluation.qapairs.matching import evenly, rate

    if task.system.at_once == 1:
        return of_run
    return rate(task.system, [one.question for one in evenly(list(given.survey.examples()), TIMED)])


def _samples(given: Given, held: Held, runs: dict[str, Path]) -> dict[str, Path]:
    """Pairs, and questions that pairs answered, for people to judge."""
    from answerable.evaluation.qapairs.outcomes import LEADING
    from answerable.evaluation.qapairs.review import drawn, write_made, write_matched
    from answerable.evaluation.qapairs.systems import passages_of
    from answerable.evaluation.tasks.task import pairs

    folder = place_of(given.shell, given.kept.report)
    chosen = drawn(held.pairs, given.sample, given.seed)
    files = {"pairs": write_made(chosen, passages_of(held.workspace, chosen), folder / PAIRS_FILE)}
    first = next((name for name in LEADING if name in runs), None)
    if first is not None:
        asked = [one for one in pairs(given.survey, runs[first]) if one[1]["pair"] and one[0].answers]
        files["matched"] = write_matched(drawn(asked, given.sample, given.seed), folder / MATCHED_FILE)
    return files


def judged(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table of cases, filled in.", show_default=False)],
    as_json: Json = False,
) -> None:
    """The shares of what people judged in a file that `evaluate pairs --sample` wrote (PAQ, table 2)."""
    from answerable.evaluation.qapairs.review import read_judged
    from answerable.evaluation.report import table

    shell = Shell.of(context, None, as_json)
    shares = read_judged(file)
    rows = []
    for one in (*shares["verdicts"], shares["whole"]):
        share, low, high = (f"{100 * one[name]:.1f}" for name in ("share", "low", "high"))
        rows.append([one["verdict"], f"{one['count']:,}", share, f"{low} to {high}"])
    shell.emit(shares)
    shell.say(f"{shares['judged']:,} cases judged, {shares['unjudged']:,} not yet", indent=0)
    shell.say(table(("verdict", "cases", "%", "95 % interval"), rows), wrap=False)
