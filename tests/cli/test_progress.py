"""Progress, as lines and as a bar."""

from __future__ import annotations

from typing import Any

import pytest
from rich.progress import Progress

from answerable.cli import progress
from answerable.cli.progress import Reporter, _Rate


class Noted:
    """A shell that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress.time, "time", lambda: now[0])
    monkeypatch.setattr(progress.time, "localtime", progress.time.gmtime)
    return now


def test_a_stage_is_told_when_it_begins_and_then_with_its_rate_and_its_end(clock: list[float]) -> None:
    shell: Any = Noted()
    told = Reporter(shell, None)
    told("filter", 20, 80)  # 20 were done before it went on, and count for no rate
    clock[0] += 2
    told("filter", 25, 80)
    clock[0] += 8
    told("filter", 40, 80)
    clock[0] += 1
    told("filter", 80, 80)
    told("keep", 0, 80)
    assert shell.lines == [
        "filtering: 20 of 80",
        "filtering: 40 of 80, 2.0 a second, about 20 s left, done at 00:02:10",
        "filtering: 80 of 80",
        "pairs: 0 of 80",
    ]


def test_the_bar_says_nothing_before_it_knows() -> None:
    bar = Progress()
    bar.add_task("filter", total=10)
    assert _Rate().render(bar.tasks[0]).plain == ""
