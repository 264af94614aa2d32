"""What evaluations share on the command line: the questions, where a run is kept, how it is sliced and cut; and the
way from there to a report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Shell, stoppable
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.evaluation.report import Report
    from answerable.evaluation.tasks.task import SliceOf, Survey, Task

Data = Annotated[
    Path, typer.Option("--data", metavar="F", exists=True, help="Questions with answers: a file or a folder.")
]
Form = Annotated[str | None, typer.Option("--format", metavar="NAME", help="The data's form, if not found out.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Questions to draw from the data.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the same questions, and the same intervals.")]
Folder = Annotated[Path | None, typer.Option("--report", metavar="DIR", help="Write tables there.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Drop what the run file holds.")]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Which questions are asked."""

    data: Data
    form: Form = None
    limit: Limit = None
    seed: Seed = 0

    def survey(self) -> Survey:
        """What the data holds, and which of it is drawn. Raises `UsageError` where that is nothing."""
        from answerable.evaluation.tasks.task import Data

        return Data(self.data, self.form, self.limit, self.seed).survey()


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a run is kept, and what is written of it."""

    run: Annotated[
        Path | None, typer.Option("--run", metavar="FILE", help="Where the run is kept, and resumed from.")
    ] = None
    report: Folder = None
    fresh: Fresh = False


@dataclass(frozen=True, slots=True)
class Cut:
    """Where rankings are cut, and how questions are sliced."""

    at: Annotated[str | None, typer.Option("--at", metavar="K,K", help="Where recall is cut.")] = None
    by: Annotated[str, typer.Option("--by", help="Slice by `kind` or a field of the data's own.")] = "kind"
    slices: Annotated[Path | None, typer.Option("--slices", metavar="DIR", help="Slice by a split's hops.")] = None

    def places(self, usual: tuple[int, ...]) -> tuple[int, ...]:
        """Places to cut a ranking at, from "1,5,20". Raises `UsageError` for what is none."""
        from answerable.evaluation.tasks.task import cuts

        return cuts(_number(part) for part in self.at.split(",")) if self.at else usual


def place_of(shell: Shell, report: Path | None) -> Path:
    """Where a run is kept that was given no place: with the report, in the workspace, or in ./runs."""
    if report is not None:
        return report
    return shell.folder / "runs" if shell.there else Path("runs")


def sliced(by: str, split: Path | None = None) -> SliceOf:
    """How questions are sliced: by a split's hops, by kind, or by a field of the data's own."""
    if split is not None:
        from answerable.evaluation.enclave_splits import labels

        named = labels(split)
        return lambda example: named.get(example.id, "")
    return lambda example: example.kind if by == "kind" else str(example.meta.get(by, ""))


def _number(part: str) -> int:
    try:
        return int(part)
    except ValueError:
        raise UsageError(f"{part!r} is no whole number", hint="--at 1,5,20") from None


def resumable(shell: Shell) -> AbstractContextManager[None]:
    """Stopped by hand, it says how to go on."""
    return stoppable(shell, "every question answered is kept. The same command resumes.")


def filled(
    shell: Shell, task: Task, survey: Survey, kept: Kept, cut: Cut, at: tuple[int, ...], name: str
) -> tuple[Report, Path]:
    """The report of a run and its file, once it is finished: what it holds already is not asked again."""
    from answerable.evaluation.report import Report
    from answerable.evaluation.runs import writing
    from answerable.evaluation.tasks.task import fill, header, measure

    head, slice_of = header(task, survey), sliced(cut.by, cut.slices)
    path = kept.run or place_of(shell, kept.report) / f"{name}-{head.key[:8]}.jsonl"
    with resumable(shell), writing(path, head, kept.fresh) as rows, reporting(shell) as progress:
        fill(task, survey, rows, progress)
    measures = measure(task, survey, path, at, slice_of)
    shell.note(f"run: {path}")
    return Report.of(head, path, measures), path


def tell_report(shell: Shell, report: Report, folder: Path | None) -> None:
    """A report as `tell` does, under the name of its task."""
    from answerable.evaluation.report import as_record, markdown

    tell(shell, as_record(report), markdown(report), folder, report.header.task)


def tell(shell: Shell, record: Mapping[str, Any], text: str, folder: Path | None, name: str) -> None:
    """One JSON object, or the tables; and the files of `--report`, under this name."""
    from answerable.evaluation.report import write_both

    if folder is not None:
        shell.note(f"report: {', '.join(map(str, write_both(folder / name, text, record)))}")
    shell.emit(record)
    shell.say(text, wrap=False)
