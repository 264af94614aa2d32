"""The command line of benchmarks: options that stand twice, and how a build is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Shell
from answerable.errors import UsageError
from answerable.remote.chat import read_key
from answerable_bench.stages import Done, Progress

if TYPE_CHECKING:
    from answerable_bench.endpoint import Endpoints


@dataclass(frozen=True, slots=True)
class Sent:
    """What a model is sent, and where it is. Raises `UsageError` where something is said of no endpoint."""

    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="A model to be sent PUBLIC text, at .../v1.")
    ] = None
    private_endpoint: Annotated[
        str | None, typer.Option("--private-endpoint", metavar="URL", help="A model that may be sent PRIVATE text.")
    ] = None
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model's name there.")] = ""
    key_file: Annotated[
        Path | None, typer.Option("--key-file", metavar="FILE", help="A file with the key for the endpoint.")
    ] = None

    def __post_init__(self) -> None:
        if (self.model or self.key_file) and not self.named:
            raise UsageError(
                "--model and --key-file are for an endpoint", hint="--endpoint URL or --private-endpoint URL"
            )

    @property
    def named(self) -> bool:
        """Whether an endpoint is."""
        return bool(self.endpoint or self.private_endpoint)

    @property
    def endpoints(self) -> Endpoints | None:
        """Where a model is asked; None where no endpoint is named. Raises `UsageError` for an address that is none."""
        from answerable_bench.endpoint import Endpoints

        key = read_key(self.key_file) if self.key_file else None
        return Endpoints(self.model, self.endpoint, self.private_endpoint, key) if self.named else None


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
