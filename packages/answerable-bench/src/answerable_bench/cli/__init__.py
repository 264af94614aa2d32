"""The command line of benchmarks: options that stand twice, and how a build is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Shell
from answerable.errors import UsageError
from answerable_bench.stages import Done, Progress


def given_out(export: Path | None, take: Path | list[Path] | None, what: str) -> None:
    """Raise `UsageError` unless a review or a round is either given out or taken in."""
    if (export is None) == (not take):
        raise UsageError(f"a {what} is either given out or taken in", hint="--export FILE or --import FILE")


@contextmanager
def resumable(shell: Shell) -> Iterator[Progress]:
    """Report a build's progress; an interruption keeps what was finished. Raises `typer.Exit`."""
    try:
        with reporting(shell) as progress:
            yield progress
    except KeyboardInterrupt:
        shell.note("stopped; the stages that were finished are kept. The same command resumes.", style="yellow")
        raise typer.Exit(Exit.INTERRUPTED) from None


def tell(
    shell: Shell,
    out: Path,
    done: Sequence[Done],
    statistics: str,
    markdown: Callable[[Mapping[str, Any]], str],
) -> Mapping[str, Any]:
    """Say what each stage counted, and the tables; the statistics that they are of."""
    told: Mapping[str, Any] = json.loads((out / statistics).read_text("utf-8"))
    stages = {one.name: {**one.counts, "seconds": one.seconds} for one in done}
    shell.emit({"folder": str(out), "stages": stages, "statistics": told})
    for one in done:
        shell.say(f"{one.name}{' (kept)' if one.resumed else ''}: {listed(one.counts)}; {one.seconds:.0f} s")
    shell.say("\n" + markdown(told), wrap=False)
    return told


def counted(shell: Shell, folder: Path, **counts: Mapping[str, int]) -> None:
    """Say what was counted in a benchmark, a line for each."""
    shell.emit({"folder": str(folder), **counts})
    for one in counts.values():
        shell.say(listed(one))


def exported(shell: Shell, folder: Path, count: int, file: Path, what: str) -> None:
    """Say how many pairs, questions or tasks of a benchmark a file has."""
    shell.emit({"folder": str(folder), "exported": count, "file": str(file)})
    shell.say(f"{count:,} {what} in {file}")


def listed(counts: Mapping[str, int]) -> str:
    """Counts on one line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
