"""The command line of benchmarks: options that stand twice, and how a build is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Shell
from answerable.errors import UsageError
from answerable_bench.stages import Done, Progress

Endpoint = Annotated[
    str | None, typer.Option("--endpoint", metavar="URL", help="A model to be sent PUBLIC text, at .../v1.")
]
PrivateEndpoint = Annotated[
    str | None, typer.Option("--private-endpoint", metavar="URL", help="A model that may be sent PRIVATE text.")
]
Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The model's name there.")]
KeyFile = Annotated[
    Path | None, typer.Option("--key-file", metavar="FILE", help="A file with the key for the endpoint.")
]
Export = Annotated[
    Path | None, typer.Option("--export", metavar="FILE", help="Write a table, or a page where it ends in .html.")
]


def asked_for(endpoint: str | None, private_endpoint: str | None, model: str, key_file: Path | None) -> bool:
    """Whether an endpoint is named. Raises `UsageError` where none is and something is said of it."""
    named = bool(endpoint or private_endpoint)
    if (model or key_file) and not named:
        raise UsageError("--model and --key-file are for an endpoint", hint="--endpoint URL or --private-endpoint URL")
    return named


def given_out(export: Path | None, take: Path | list[Path] | None, what: str) -> bool:
    """Whether a review or a round is given out, not taken in. Raises `UsageError` for neither and for both."""
    if (export is None) == (not take):
        raise UsageError(f"a {what} is either given out or taken in", hint="--export FILE or --import FILE")
    return export is not None


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
    counted: str,
) -> None:
    """What each stage counted, and the tables. Raises `typer.Exit` where there is nothing that is `counted`."""
    told = json.loads((out / statistics).read_text("utf-8"))
    stages = {one.name: {**one.counts, "seconds": one.seconds} for one in done}
    shell.emit({"folder": str(out), "stages": stages, "statistics": told})
    for one in done:
        shell.say(f"{one.name}{' (kept)' if one.resumed else ''}: {listed(one.counts)}; {one.seconds:.0f} s")
    shell.say("\n" + markdown(told), wrap=False)
    if not told[counted]:
        raise typer.Exit(Exit.ABSTAINED)


def listed(counts: Mapping[str, int]) -> str:
    """Counts on one line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
