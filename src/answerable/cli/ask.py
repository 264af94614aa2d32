"""`answerable ask`: one question, answered with evidence or not at all."""

from __future__ import annotations

from typing import Annotated

import typer

from answerable.cli.shell import Exit, Folder, Json, Shell, workspace_of
from answerable.cli.show import show_answer, show_trace
from answerable.records import answer_record
from answerable.types import Privacy

NAME = "ask"


def run(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)],
    privacy: Annotated[
        Privacy | None,
        typer.Option("--privacy", help="What no outside enclave may be told: nothing, private text, the question too."),
    ] = None,
    hops: Annotated[int | None, typer.Option("--hops", help="Passages to follow one from another.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Passages to take from each search.")] = None,
    asker: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Ask as an asker of answerable.toml.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every search made or refused.")] = False,
    workspace: Folder = None,
    as_json: Json = False,
) -> None:
    """Ask a question and see the sources.

    Each source is cited word for word. Ends with 0 when answered and 3 when there is no answer good enough to give.
    """
    shell = Shell.of(context, workspace, as_json)
    with workspace_of(shell) as opened:
        viewer, table = opened.asker(asker), opened.enclaves()
        answer = opened.ask(question, viewer, privacy, hops, k)
    if shell.as_json:
        shell.emit(answer_record(answer, viewer, table))
    else:
        show_answer(shell, answer)
        if explain:
            show_trace(shell, answer, viewer, table)
    if answer.text is None:
        raise typer.Exit(Exit.ABSTAINED)
