"""`answerable evaluate navigating` and `conversing`: systems over long documents, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from answerable.cli.evaluate_given import Data, Folder, Fresh, Limit, Seed, place_of, resumable, tell
from answerable.cli.progress import reporting
from answerable.cli.shell import Shell

if TYPE_CHECKING:
    from answerable.documents.reader import Guide
    from answerable.evaluation.long.asked import LongQuestion
    from answerable.evaluation.tasks.long import Shelves
    from answerable.evaluation.tasks.task import Task

    Tasks = Callable[[Guide, Shelves, dict[str, str], int], Iterable[tuple[str, Task]]]


@dataclass(frozen=True, slots=True)
class Long:
    """Which long documents are read, by what, and what is written of it."""

    data: Data
    set: Annotated[str, typer.Option("--set", metavar="NAME", help="A data set of long documents.")]
    part: Annotated[str, typer.Option("--part", metavar="NAME", help="Which part of it.")] = "report"
    system: Annotated[list[str] | None, typer.Option("--system", metavar="NAME", help="Only these systems.")] = None
    navigator: Annotated[
        str | None, typer.Option("--navigator", metavar="NAME", help="What walks: skills, a folder.")
    ] = None
    reader: Annotated[str | None, typer.Option("--reader", metavar="NAME", help="As models.reader.")] = None
    limit: Limit = None
    seed: Seed = 0
    report: Folder = None
    fresh: Fresh = False


def navigating(shell: Shell, long: Long) -> None:
    """Questions on long documents: systems side by side, by answers, evidence and time."""
    from answerable.evaluation.long import open as opening
    from answerable.evaluation.tasks.navigating import TWICE, Navigating, wanted

    def tasks(guide: Guide, shelves: Shelves, models: dict[str, str], threads: int) -> Iterable[tuple[str, Task]]:
        twice = long.set in TWICE
        for one in opening.navigating(guide, long.system or [], twice, threads):
            yield one.name, Navigating(one, shelves, 2 if twice else 0, models)

    _run(shell, "navigating", long, wanted, tasks)


def conversing(shell: Shell, long: Long) -> None:
    """Conversations about rules: systems side by side, by decisions, evidence and time."""
    from answerable.evaluation.long.conversations import conversants
    from answerable.evaluation.long.load import load
    from answerable.evaluation.long.open import chosen
    from answerable.evaluation.tasks.conversing import Conversing, wanted

    def tasks(guide: Guide, shelves: Shelves, models: dict[str, str], _: int) -> Iterable[tuple[str, Task]]:
        for one in chosen(conversants(guide, load(long.data, long.set, "train")), long.system or []):
            yield one.name, Conversing(one, shelves, models)

    _run(shell, "conversing", long, wanted, tasks)


def _run(shell: Shell, what: str, long: Long, wanted: Callable[[LongQuestion], bool], tasks: Tasks) -> None:
    """Survey the data, fill a run for each system, all of which open their documents in one place, and print them side
    by side."""
    from answerable.encoders.choose import SKILLS
    from answerable.evaluation.long.open import open_guide
    from answerable.evaluation.runs import writing
    from answerable.evaluation.tasks import long as several
    from answerable.evaluation.tasks.task import fill_together, header

    survey = several.survey(long.data, long.set, long.part, wanted, long.limit, long.seed)
    place, settings = place_of(shell, long.report), shell.settings()
    threads = settings.models.threads
    guide, models = open_guide(long.navigator or SKILLS, long.reader or settings.reader, threads)
    with resumable(shell), ExitStack() as stack:
        opened = []
        for system, task in tasks(guide, several.Shelves(guide.navigator), models, threads):
            head = header(task, survey)
            path = place / f"{what}-{long.set}-{system}-{head.key[:8]}.jsonl"
            opened.append((system, task, head, path, stack.enter_context(writing(path, head, long.fresh))))
        with reporting(shell) as progress:
            fill_together([(task, rows) for _, task, _, _, rows in opened], survey, progress)
    outcomes = [several.Outcome.of(system, task, head, survey, path) for system, task, head, path, _ in opened]
    record = several.told(outcomes)
    shell.note(f"runs: {', '.join(str(one.run) for one in outcomes)}")
    tell(shell, record, several.markdown(record), long.report, f"{what}-{long.set}")
