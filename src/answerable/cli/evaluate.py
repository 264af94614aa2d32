"""`answerable evaluate`: measure a task on a data set, score predictions made elsewhere, compare two runs.

Tasks share one function, since they share their options; each is a command of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli import (
    evaluate_long,
    evaluate_overlap,
    evaluate_pairs,
    evaluate_sets,
    evaluate_slices,
    evaluate_split,
)
from answerable.cli.evaluate_given import cuts_of, place_of, sliced
from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Folder, Json, Mode, Shell, workspace_of
from answerable.errors import UsageError
from answerable.types import Privacy

if TYPE_CHECKING:
    from answerable.evaluation.report import Report
    from answerable.evaluation.tasks.data import Survey
    from answerable.evaluation.tasks.task import Task

NAME = "evaluate"


class What(StrEnum):
    """The tasks."""

    READING = "reading"
    ASKING = "asking"
    RETRIEVAL = "retrieval"
    TABLES = "tables"
    NAVIGATING = "navigating"
    CONVERSING = "conversing"
    CALIBRATION = "calibration"


ABOUT: Mapping[What, str] = {
    What.READING: "The reader alone, over the passages given with each question.",
    What.ASKING: "Questions over a workspace: what was found, said, how sure, how long, and what leaked.",
    What.RETRIEVAL: "What is found in a workspace, unread.",
    What.TABLES: "Questions over tables; so far, predictions made elsewhere.",
    What.NAVIGATING: "Questions on long documents: systems side by side, by answers, evidence and time.",
    What.CONVERSING: "Conversations about rules: systems side by side, by decisions, evidence and time.",
    What.CALIBRATION: "Whether confidences mean what they say, from a run of asking or reading.",
}
"""What each measures, for the help."""


Form = Annotated[str | None, typer.Option("--format", metavar="NAME", help="The data's form, if not found out.")]
_ASKING = frozenset({"privacy", "hops", "k", "width", "mode"})
_TAKES: Mapping[What, frozenset[str]] = {
    What.READING: frozenset({"threshold"}),
    What.ASKING: _ASKING | {"threshold", "decompose"},
    What.RETRIEVAL: _ASKING,
    What.NAVIGATING: evaluate_long.OPTIONS,
    What.CONVERSING: evaluate_long.OPTIONS,
}
"""Options that mean something to some tasks only, and never where predictions are scored."""

_LONG = frozenset({What.NAVIGATING, What.CONVERSING})


@dataclass(frozen=True, slots=True)
class Given:
    """The options of one command. `engine` holds those of `_TAKES` that were given."""

    shell: Shell
    what: What
    data: Path
    form: str | None
    limit: int | None
    seed: int
    run: Path | None
    report: Path | None
    predictions: Path | None
    at: str | None
    by: str
    slices: Path | None
    fresh: bool
    engine: Mapping[str, Any]


def run(
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="F", help="Questions: a file or a folder.")],
    form: Form = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Questions to draw from the data.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the same questions, and the same intervals.")] = 0,
    run: Annotated[
        Path | None, typer.Option("--run", metavar="FILE", help="Where the run is kept, and resumed from.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="DIR", help="Write tables and plots there.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", metavar="FILE", help="Score these instead of asking.")
    ] = None,
    privacy: Annotated[Privacy | None, typer.Option("--privacy", help="As for ask.")] = None,
    hops: Annotated[int | None, typer.Option("--hops", help="Passages to follow one from another.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Passages to take from each search.")] = None,
    width: Annotated[int | None, typer.Option("--width", help="Chains kept for each label.")] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Rank by words, vectors or both.")] = None,
    threshold: Annotated[float | None, typer.Option("--threshold", help="Least confidence of an answer.")] = None,
    decompose: Annotated[
        bool, typer.Option("--decompose", help="Let the parts of a question travel that may not travel whole.")
    ] = False,
    at: Annotated[str | None, typer.Option("--at", metavar="K,K", help="Where recall is cut.")] = None,
    by: Annotated[str, typer.Option("--by", help="Slice by `kind` or a field of the data's own.")] = "kind",
    slices: Annotated[Path | None, typer.Option("--slices", metavar="DIR", help="Slice by a split's hops.")] = None,
    set_: evaluate_long.SetName = None,
    part: evaluate_long.PartName = None,
    system: evaluate_long.SystemNames = None,
    navigator: evaluate_long.NavigatorName = None,
    reader: evaluate_long.ReaderName = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Drop what the run file holds.")] = False,
    workspace: Folder = None,
    as_json: Json = False,
) -> None:
    """Measure a task on questions with known answers. Interrupted, the same command resumes."""
    shell = Shell.of(context, workspace, as_json)
    options = {
        "privacy": privacy,
        "hops": hops,
        "k": k,
        "width": width,
        "mode": mode and mode.value,
        "threshold": threshold,
        "decompose": decompose or None,
        "set": set_,
        "part": part,
        "system": system or None,
        "navigator": navigator,
        "reader": reader,
    }
    engine = {name: value for name, value in options.items() if value is not None}
    what = What(str(context.info_name))
    given = Given(shell, what, data, form, limit, seed, run, report, predictions, at, by, slices, fresh, engine)
    try:
        _evaluate(given)
    except KeyboardInterrupt:
        shell.note("stopped; every question answered is kept. The same command resumes.", style="yellow")
        raise typer.Exit(Exit.INTERRUPTED) from None


def _evaluate(given: Given) -> None:
    """Survey the data, fill the run, measure it, print and write the report."""
    from answerable.evaluation.methods import by_slice
    from answerable.evaluation.report import Report
    from answerable.evaluation.runs import scored, writing
    from answerable.evaluation.tasks.calibration import Calibration
    from answerable.evaluation.tasks.data import Data
    from answerable.evaluation.tasks.task import AT, fill, header, measure

    _check(given)
    if given.what in _LONG and given.predictions is None:
        drawn = given.limit, given.seed
        evaluate_long.run(
            given.shell,
            given.what,
            given.data,
            given.engine,
            drawn,
            given.report,
            place_of(given.shell, given.report),
            given.fresh,
        )
        return
    at = cuts_of(given.at, AT)
    survey = Data(given.data, given.form, given.limit, given.seed).survey()
    slice_of = sliced(given.by, given.slices)
    if given.what is What.CALIBRATION:
        assert given.run is not None
        scorer = Calibration.of(given.run, survey)
        measures = measure(scorer, survey, given.run, at, slice_of)
        named = {example.id: slice_of(example) for example in survey.examples()}
        report = Report.of(scorer.header, given.run, measures)
        _tell(given, replace(report, methods=by_slice(named, scored(given.run))))
        return
    with ExitStack() as stack:
        task = _task(given, survey, stack)
        head = header(task, survey)
        path = given.run or place_of(given.shell, given.report) / f"{task.name}-{head.key[:8]}.jsonl"
        with writing(path, head, given.fresh) as kept, reporting(given.shell) as progress:
            fill(task, survey, kept, progress)
        measures = measure(task, survey, path, at, slice_of)
    given.shell.note(f"run: {path}")
    _tell(given, Report.of(head, path, measures))


def _check(given: Given) -> None:
    """Raise `UsageError` for options that are missing or do not go together."""
    what = given.what
    if what is What.CALIBRATION and given.run is None:
        raise UsageError("calibration is measured on a run of asking that is there", hint="--run FILE")
    takes = frozenset() if given.predictions else _TAKES.get(what, frozenset())
    for name in given.engine:
        if name not in takes:
            beside = " with --predictions" if given.predictions else ""
            raise UsageError(f"evaluate {what} takes no --{name}{beside}", hint="leave it out")
    if what in _LONG and given.predictions is None:
        others = {"format": given.form, "run": given.run, "at": given.at, "slices": given.slices}
        for name, value in others.items():
            if value is not None:
                raise UsageError(f"evaluate {what} takes no --{name} without --predictions", hint="leave it out")


def _task(given: Given, survey: Survey, stack: ExitStack) -> Task:
    """What was asked for, with the workspace or the reader it needs."""
    from answerable.evaluation.tasks import predictions, scored

    what = given.what
    if given.predictions is not None:
        said = predictions.read(given.predictions)
        task = scored.predicted(what.value, said)
        said.require(survey.examples())
        return task
    if what not in _TAKES:
        raise scored.not_yet(what.value)
    if what is What.READING:
        from answerable.evaluation.tasks.reading import Reading, named_reader
        from answerable.settings import FILE_NAME, load

        folder = given.shell.folder
        settings = load(folder if (folder / FILE_NAME).is_file() else None, os.environ)
        return Reading(*named_reader(settings), survey, given.engine.get("threshold"))
    paths = {"privacy": "ask", "threshold": "ask", "hops": "beam", "k": "beam", "width": "beam", "mode": "search"}
    chosen = {f"{paths[name]}.{name}": value for name, value in given.engine.items() if name in paths}
    if what is What.RETRIEVAL:
        chosen.pop("beam.k", None)  # where there is one hop it may look deeper than an ask
    opened = stack.enter_context(workspace_of(given.shell, chosen))
    if what is What.RETRIEVAL:
        from answerable.evaluation.tasks.retrieval import Retrieval

        Retrieval.require(survey)
        return Retrieval(opened, given.engine.get("k"))
    from answerable.evaluation.tasks.asking import Asking

    Asking.require(survey)
    return Asking(opened, bool(given.engine.get("decompose")))


def _tell(given: Given, report: Report) -> None:
    """One JSON object, or the tables; and the files of `--report`."""
    from answerable.evaluation.report import as_record, markdown, write

    if given.report is not None:
        files, missing = write(report, given.report)
        if missing:
            given.shell.note(f"no plots: {missing}", style="yellow")
        given.shell.note(f"report: {', '.join(str(file) for file in files)}")
    given.shell.emit(as_record(report))
    given.shell.say(markdown(report), wrap=False)


def compare(
    context: typer.Context,
    first: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="A run of the same task.", show_default=False)],
    report: Annotated[Path | None, typer.Option("--report", metavar="DIR", help="Write the tables there.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the same intervals.")] = 0,
    as_json: Json = False,
) -> None:
    """Give the difference between two runs, with its interval, and the questions that differ."""
    from answerable.evaluation import compare as comparing
    from answerable.evaluation.report import write_text

    shell = Shell.of(context, None, as_json)
    comparison = comparing.compare(first, second, seed)
    text = comparing.markdown(comparison)
    if report is not None:
        shell.note(f"report: {write_text(report / 'compare.md', text)}")
    shell.emit(comparing.as_record(comparison))
    shell.say(text, wrap=False)


app = typer.Typer(help="Measure on questions with known answers; compare two runs.", no_args_is_help=True)
for _task_name, _about in ABOUT.items():
    app.command(_task_name.value, help=f"{_about} Interrupted, the same command resumes.")(run)
app.command("finding")(evaluate_sets.run)
app.command("threshold")(evaluate_sets.threshold)
app.command("pairs")(evaluate_pairs.run)
app.command("judged")(evaluate_pairs.judged)
app.command("compare")(compare)
app.command(evaluate_overlap.CLOSED_BOOK)(evaluate_overlap.closed_book)
app.command(evaluate_overlap.OVERLAP)(evaluate_overlap.overlap)
for _module in (evaluate_split, evaluate_slices):
    app.command(_module.NAME)(_module.run)
