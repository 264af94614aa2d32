"""`answerable evaluate navigating` and `conversing`: systems over long documents, side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Shell
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.evaluation.tasks.long import LongSurvey
    from answerable.evaluation.tasks.task import Task

SetName = Annotated[str | None, typer.Option("--set", metavar="NAME", help="A data set of long documents.")]
PartName = Annotated[str | None, typer.Option("--part", metavar="NAME", help="Which part of it; report.")]
SystemNames = Annotated[list[str] | None, typer.Option("--system", metavar="NAME", help="Only these systems.")]
NavigatorName = Annotated[str | None, typer.Option("--navigator", metavar="NAME", help="What walks: skills, a folder.")]
ReaderName = Annotated[str | None, typer.Option("--reader", metavar="NAME", help="As models.reader.")]
OPTIONS = frozenset({"set", "part", "system", "navigator", "reader"})
"""What only these tasks take."""
CONVERSING = "conversing"


def run(
    shell: Shell,
    what: str,
    data: Path,
    options: Mapping[str, Any],
    drawn: tuple[int | None, int],
    report: Path | None,
    place: Path,
    fresh: bool,
) -> None:
    """Survey the data, fill a run for each system in the folder `place`, and print them side by side.

    `options` are those of `OPTIONS` that were given, `drawn` the limit and the seed. Raises `UsageError` without a
    data set.
    """
    from answerable.evaluation.runs import writing
    from answerable.evaluation.tasks import several
    from answerable.evaluation.tasks.task import fill_together, header

    survey = _survey(what, data, options, drawn)
    with ExitStack() as stack:
        opened = []
        for system, task in _tasks(shell, what, data, survey, options):
            head = header(task, survey)
            path = place / f"{what}-{options['set']}-{system}-{head.key[:8]}.jsonl"
            opened.append((system, task, head, path, stack.enter_context(writing(path, head, fresh))))
        with reporting(shell) as progress:
            fill_together([(task, kept) for _, task, _, _, kept in opened], survey, progress)
    outcomes = [several.Outcome.of(system, task, head, survey, path) for system, task, head, path, _ in opened]
    record = several.told(outcomes)
    shell.note(f"runs: {', '.join(str(one.run) for one in outcomes)}")
    if report is not None:
        shell.note(f"report: {', '.join(str(file) for file in several.write(record, report))}")
    shell.emit(record)
    shell.say(several.markdown(record), wrap=False)


def _survey(what: str, data: Path, options: Mapping[str, Any], drawn: tuple[int | None, int]) -> LongSurvey:
    from answerable.evaluation.tasks import conversing, long, navigating

    if "set" not in options:
        raise UsageError(f"{what} is measured on a data set of long documents", hint="name it with --set")
    wanted = conversing.wanted if what == CONVERSING else navigating.wanted
    return long.survey(data, options["set"], options.get("part", "report"), wanted, *drawn)


def _tasks(
    shell: Shell, what: str, data: Path, survey: LongSurvey, options: Mapping[str, Any]
) -> list[tuple[str, Task]]:
    """A task for each system, by its name; all open their documents in one place."""
    from answerable.encoders.choose import SKILLS
    from answerable.evaluation.long import open as opening
    from answerable.evaluation.long.conversations import conversants
    from answerable.evaluation.long.load import load as load_long
    from answerable.evaluation.tasks.conversing import Conversing
    from answerable.evaluation.tasks.long import Shelves
    from answerable.evaluation.tasks.navigating import TWICE, Navigating
    from answerable.settings import FILE_NAME, load

    folder = shell.folder
    settings = load(folder if (folder / FILE_NAME).is_file() else None, os.environ).models
    reader, names = options.get("reader", settings.reader), options.get("system", [])
    guide, models = opening.open_guide(options.get("navigator", SKILLS), reader, settings.threads)
    shelves = Shelves(guide.navigator)
    name = options["set"]
    if what == CONVERSING:
        turned = opening.chosen(conversants(guide, load_long(data, name, "train")), names)
        return [(one.name, Conversing(one, shelves, models)) for one in turned]
    systems = opening.navigating(guide, names, name in TWICE, settings.threads)
    return [(one.name, Navigating(one, shelves, 2 if name in TWICE else 0, models)) for one in systems]
