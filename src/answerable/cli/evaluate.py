"""`answerable evaluate`: measure a task on a data set, compare two runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli import evaluate_sets, evaluate_split
from answerable.cli.evaluate_given import Cut, Drawn, Folder, Kept, Seed, filled, sliced, tell_report
from answerable.cli.evaluate_long import conversing, navigating
from answerable.cli.options import Hits, Hops, PrivacyMode, command
from answerable.cli.shell import Mode, Plain, Shell, workspace_of

if TYPE_CHECKING:
    from answerable.evaluation.tasks.task import Survey, Task

NAME = "evaluate"
RESUMES = "Interrupted, the same command resumes."
Threshold = Annotated[float | None, typer.Option("--threshold", help="Least confidence of an answer.")]


@dataclass(frozen=True, slots=True)
class Search:
    """How the workspace is searched, where it is not as the settings say."""

    privacy: PrivacyMode = None
    hops: Hops = None
    k: Hits = None
    width: Annotated[int | None, typer.Option("--width", help="Chains kept for each label.")] = None
    mode: Annotated[Mode | None, typer.Option("--mode", help="Rank by words, vectors or both.")] = None

    def settings(self) -> dict[str, Any]:
        """The settings that say so."""
        beam = {f"beam.{name}": getattr(self, name) for name in ("hops", "k", "width")}
        return {"ask.privacy": self.privacy, **beam, "search.mode": self.mode and self.mode.value}


def _measure(shell: Shell, drawn: Drawn, kept: Kept, cut: Cut, task: Callable[[Survey, ExitStack], Task]) -> None:
    """Survey the data, fill the run, measure it, print and write the report."""
    from answerable.evaluation.tasks.task import AT

    at, survey = cut.places(AT), drawn.survey()
    with ExitStack() as stack:
        made = task(survey, stack)
        report, _ = filled(shell, made, survey, kept, cut, at, made.name)
    tell_report(shell, report, kept.report)


def reading(shell: Shell, drawn: Drawn, kept: Kept, cut: Cut, threshold: Threshold = None) -> None:
    """The reader alone, over the passages given with each question."""

    def task(survey: Survey, _: ExitStack) -> Task:
        from answerable.evaluation.tasks.asking import Reading, named_reader

        return Reading(*named_reader(shell.settings()), survey, threshold)

    _measure(shell, drawn, kept, cut, task)


def asking(shell: Shell, drawn: Drawn, kept: Kept, cut: Cut, search: Search, threshold: Threshold = None) -> None:
    """Questions over a workspace: what was found, said, how sure, how long, and what leaked."""

    def task(survey: Survey, stack: ExitStack) -> Task:
        from answerable.evaluation.tasks.asking import Asking

        opened = stack.enter_context(workspace_of(shell, search.settings() | {"ask.threshold": threshold}))
        Asking.require(survey)
        return Asking(opened)

    _measure(shell, drawn, kept, cut, task)


def retrieval(shell: Shell, drawn: Drawn, kept: Kept, cut: Cut, search: Search) -> None:
    """What is found in a workspace, unread."""

    def task(survey: Survey, stack: ExitStack) -> Task:
        from answerable.evaluation.tasks.retrieval import Retrieval

        # where there is one hop it may look deeper than an ask
        opened = stack.enter_context(workspace_of(shell, search.settings() | {"beam.k": None}))
        Retrieval.require(survey)
        return Retrieval(opened, search.k)

    _measure(shell, drawn, kept, cut, task)


def calibration(
    shell: Shell,
    drawn: Drawn,
    cut: Cut,
    run: Annotated[Path, typer.Option("--run", metavar="FILE", help="A run of asking or reading.")],
    report: Folder = None,
) -> None:
    """Whether confidences mean what they say, from a run of asking or reading."""
    from answerable.evaluation.report import Report
    from answerable.evaluation.runs import scored
    from answerable.evaluation.slices import sure_by_slice
    from answerable.evaluation.tasks.asking import Calibration
    from answerable.evaluation.tasks.task import AT, measure

    at, survey, slice_of = cut.places(AT), drawn.survey(), sliced(cut.by, cut.slices)
    scorer = Calibration(run, survey)
    found = Report.of(scorer.header, run, measure(scorer, survey, run, at, slice_of))
    named = {example.id: slice_of(example) for example in survey.examples()}
    tell_report(shell, replace(found, methods=sure_by_slice(named, scored(run))), report)


def compare(
    shell: Plain,
    first: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="A run of the same task.", show_default=False)],
    report: Folder = None,
    seed: Seed = 0,
) -> None:
    """Give the difference between two runs, with its interval, and the questions that differ."""
    from answerable.evaluation import compare as comparing
    from answerable.evaluation.report import write_text

    comparison = comparing.compare(first, second, seed)
    text = comparing.markdown(comparison)
    if report is not None:
        shell.note(f"report: {write_text(report / 'compare.md', text)}")
    shell.emit(asdict(comparison))
    shell.say(text, wrap=False)


app = typer.Typer(help="Measure on questions with known answers; compare two runs.", no_args_is_help=True)
for _task in (reading, asking, retrieval, navigating, conversing, calibration):
    app.command(_task.__name__, help=f"{_task.__doc__} {RESUMES}")(command(_task))
TASKS: dict[str, Callable[..., None]] = {
    "finding": evaluate_sets.run,
    "compare": compare,
    "split": evaluate_split.split,
    "slices": evaluate_split.slices,
}
for _name, _run in TASKS.items():
    app.command(_name)(command(_run))
