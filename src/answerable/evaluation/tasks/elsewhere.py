"""A task over a workspace, done by other processes, each of which opens the same workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.task import Elsewhere, Task, records_of
from answerable.work.spread import ALONE
from answerable.workspace.settings import Settings
from answerable.workspace.spreading import label_of_all
from answerable.workspace.workspace import Workspace


def over(workspace: Workspace, make: Callable[[Workspace], Task]) -> Elsewhere | None:
    """How else a task is done that `make`, which is picklable, makes of a workspace; None where parts were handed in.

    Whoever does it must be able to read the folder, or its database, and be cleared for all that lies there.
    """
    given, folder = workspace.settings, workspace.folder.absolute()
    if given.own:
        return None
    there = replace(given, models=replace(given.models, threads=1), work=ALONE, folder=given.folder and folder)
    return Elsewhere(given.work, partial(_opened, make, folder, there), label_of_all(given))


def _opened(
    make: Callable[[Workspace], Task], folder: Path, settings: Settings
) -> Callable[[Sequence[Example]], list[Record]]:
    return records_of(make(Workspace(folder, settings)))
