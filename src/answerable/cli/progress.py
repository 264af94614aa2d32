"""Progress on standard error: a bar on a terminal, a line now and then elsewhere; with the rate, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.text import Text

from answerable.cli.shell import Shell

STAGES = {
    "ingest": "reading",
    "lexical": "words",
    "vectors": "vectors",
    "entities": "pages",
    "ann": "signs",
    "entity-ann": "signs of pages",
    "book": "paragraphs",
    "select": "passages",
    "generate": "questions",
    "filter": "filtering",
    "keep": "pairs",
    "pair-vectors": "vectors of questions",
    "pairs": "pairs",
    "pair-index": "index of pairs",
}
"""What the stages of `indexes.build`, and of what comes after, are called here."""
EVERY = 10.0  # seconds between lines where there is no terminal


class Reporter:
    """Called as `reporter(stage, done, total)` by long work; total 0 means not known yet."""

    def __init__(self, shell: Shell, bar: Progress | None) -> None:
        self._shell, self._bar = shell, bar
        self._tasks: dict[str, TaskID] = {}
        self._stage, self._started, self._spoken, self._before = "", 0.0, 0.0, 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note that `done` of `total` units of a stage are finished."""
        stage = STAGES.get(stage, stage)
        if self._bar is not None:
            if stage not in self._tasks:
                self._tasks[stage] = self._bar.add_task(stage, total=total or None)
            self._bar.update(self._tasks[stage], completed=done, total=total or None)
            return
        now = time.monotonic()
        began, finished = stage != self._stage, total > 0 and done >= total
        if began:
            self._stage, self._started, self._spoken, self._before = stage, now, now, done
        if began or finished or now - self._spoken >= EVERY:
            self._spoken = now
            self._shell.note(f"{stage}: {done}{f' of {total}' if total else ''}{self._left(done, total, now)}")

    def _left(self, done: int, total: int, now: float) -> str:
        """The rate of this stage, and when it will be done: what was done before it went on counts for neither."""
        fresh, seconds = done - self._before, now - self._started
        if not (fresh > 0 and seconds > 0 and done < total):
            return ""
        left = seconds / fresh * (total - done)
        return f", {_told(fresh / seconds, left)}"


def _told(rate: float, left: float) -> str:
    ends = time.strftime("%H:%M:%S", time.localtime(time.time() + left))
    return f"{rate:,.1f} a second, about {left:,.0f} s left, done at {ends}"


class _Rate(ProgressColumn):
    """How fast a stage goes, and when it will be done."""

    def render(self, task: Task) -> Text:
        """Nothing before that is known."""
        return Text(_told(task.speed, task.time_remaining) if task.speed and task.time_remaining else "", style="dim")


@contextmanager
def reporting(shell: Shell) -> Iterator[Reporter]:
    """A reporter for the length of one long command."""
    notes = shell.notes
    if not notes.is_terminal:
        yield Reporter(shell, None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate())
    with Progress(*columns, console=notes, transient=True) as bar:
        yield Reporter(shell, bar)
