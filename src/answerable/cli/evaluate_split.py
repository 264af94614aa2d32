"""`answerable evaluate split`: a corpus as a private and a public enclave, and its questions by the hops they need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Json, Shell
from answerable.errors import UsageError

NAME = "split"


def run(
    context: typer.Context,
    corpus: Annotated[
        list[Path], typer.Argument(metavar="CORPUS...", help="JSONL, a passage or table a line.", show_default=False)
    ],
    questions: Annotated[Path, typer.Option("--questions", metavar="FILE", help="A data set with gold passages.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
    share: Annotated[float | None, typer.Option("--share", help="Share of articles made private (0.5).")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Another seed, another split (1).")] = None,
    private: Annotated[
        list[Path] | None,
        typer.Option("--private", metavar="FILE", help="Split by source: this file private, CORPUS public."),
    ] = None,
    form: Annotated[str | None, typer.Option("--form", metavar="NAME", help="Form of the questions.")] = None,
    as_json: Json = False,
) -> None:
    """Put a corpus's documents into a private and a public enclave.

    At random by article, or by source with --private. Questions get a slice: PG means that a private passage leads to
    a public one.
    """
    from answerable.datasets.load import load
    from answerable.evaluation.enclave_splits import FILES, PRIVATE, PUBLIC, Plan, require_room, split

    shell = Shell.of(context, None, as_json)
    if private and (share is not None or seed is not None):
        raise UsageError("with --private nothing is drawn", hint="leave out --share and --seed")
    plan = Plan(0.5 if share is None else share, 1 if seed is None else seed, tuple(private or ()))
    require_room(out, [questions])
    with reporting(shell) as progress:
        done = split(corpus, load(questions, form), out, plan, progress)
    counts = {FILES[domain]: count for domain, count in done.documents.items()}
    slices = dict(sorted(done.slices.items()))
    shell.emit({"folder": str(out), "documents": counts, "questions": slices,
                "order": dict(sorted(done.known.items())), "left_out": done.left_out})  # fmt: skip
    shell.say(f"{done.documents[PRIVATE]:,} documents private, {done.documents[PUBLIC]:,} public, in {out}")
    shell.say("questions: " + (", ".join(f"{name} {count:,}" for name, count in slices.items()) or "none"))
    if done.left_out:
        shell.note(f"{done.left_out:,} questions left out: a passage they need is not in the corpus", style="yellow")
    if not slices:
        raise typer.Exit(Exit.ABSTAINED)
