"""`answerable evaluate navigating` and `conversing`: systems over long documents, side by side."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answerable.cli.evaluate_given import Drawn, Kept, place_of, resumable
from answerable.cli.progress import reporting
from answerable.cli.shell import Shell
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.evaluation.tasks.long import LongSurvey
    from answerable.evaluation.tasks.task import Task

CONVERSING = "conversing"


@dataclass(frozen=True, slots=True)
class Long:
    """Which long documents are read, and by what."""

    set: Annotated[str | None, typer.Option("--set", metavar="NAME", help="A data set of long documents.")] = None
    part: Annotated[str | None, typer.Option("--part", metavar="NAME", help="Which part of it; report.")] = None
    system: Annotated[list[str] | None, typer.Option("--system", metavar="NAME", help="Only these systems.")] = None
    navigator: Annotated[
        str | None, typer.Option("--navigator", metavar="NAME", help="What walks: skills, a folder.")
    ] = None
    reader: Annotated[str | None, typer.Option("--reader", metavar="NAME", help="As models.reader.")] = None


def run(shell: Shell, what: str, drawn: Drawn, kept: Kept, long: Long) -> None:
    """Survey the data, fill a run for each system, and print them side by side. Raises `UsageError` without a set."""
    from answerable.evaluation.runs import writing
    from answerable.evaluation.tasks import long as several
    from answerable.evaluation.tasks.task import fill_together, header

    if long.set is None:
        raise UsageError(f"{what} is measured on a data set of long documents", hint="name it with --set")
    survey, place = _survey(what, drawn, long), place_of(shell, kept.report)
    with resumable(shell), ExitStack() as stack:
        opened = []
        for system, task in _tasks(shell, what, drawn.data, survey, long):
            head = header(task, survey)
            path = place / f"{what}-{long.set}-{system}-{head.key[:8]}.jsonl"
            opened.append((system, task, head, path, stack.enter_context(writing(path, head, kept.fresh))))
        with reporting(shell) as progress:
            fill_together([(task, rows) for _, task, _, _, rows in opened], survey, progress)
    outcomes = [several.Outcome.of(system, task, head, survey, path) for system, task, head, path, _ in opened]
    record = several.told(outcomes)
    shell.note(f"runs: {', '.join(str(one.run) for one in outcomes)}")
    if kept.report is not None:
        shell.note(f"report: {', '.join(str(file) for file in several.write(record, kept.report))}")
    shell.emit(record)
    shell.say(several.markdown(record), wrap=False)


def _survey(what: str, drawn: Drawn, asked: Long) -> LongSurvey:
    from answerable.evaluation.tasks import conversing, long, navigating

    wanted = conversing.wanted if what == CONVERSING else navigating.wanted
    return long.survey(drawn.data, str(asked.set), asked.part or "report", wanted, drawn.limit, drawn.seed)


def _tasks(shell: Shell, what: str, data: Path, survey: LongSurvey, long: Long) -> list[tuple[str, Task]]:
    """A task for each system, by its name; all open their documents in one place."""
    from answerable.encoders.choose import SKILLS
    from answerable.evaluation.long import open as opening
    from answerable.evaluation.long.conversations import conversants
    from answerable.evaluation.long.load import load as load_long
    from answerable.evaluation.tasks.conversing import Conversing
    from answerable.evaluation.tasks.long import Shelves
    from answerable.evaluation.tasks.navigating import TWICE, Navigating
    from answerable.workspace.declarations import FILE_NAME
    from answerable.workspace.settings import load

    folder = shell.folder
    settings = load(folder if (folder / FILE_NAME).is_file() else None, os.environ).models
    reader, names = long.reader or settings.reader, long.system or []
    guide, models = opening.open_guide(long.navigator or SKILLS, reader, settings.threads)
    shelves = Shelves(guide.navigator)
    name = str(long.set)
    if what == CONVERSING:
        turned = opening.chosen(conversants(guide, load_long(data, name, "train")), names)
        return [(one.name, Conversing(one, shelves, models)) for one in turned]
    systems = opening.navigating(guide, names, name in TWICE, settings.threads)
    return [(one.name, Navigating(one, shelves, 2 if name in TWICE else 0, models)) for one in systems]
