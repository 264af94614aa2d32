"""`answerable remembered`: the answers that were called good or bad."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from answerable.cli.options import AskerName
from answerable.cli.shell import Shell, workspace_of
from answerable.serialize import judged_record


def run(
    shell: Shell,
    forget: Annotated[
        str | None, typer.Option("--forget", metavar="ID", help="Take back what was said of one answer.")
    ] = None,
    asker: AskerName = None,
) -> None:
    """List the answers that were called good or bad, or take one back."""
    with workspace_of(shell) as opened:
        who = opened.asker(asker)
        if forget is not None:
            gone = opened.remembered.forget(who, forget)
            shell.emit({"forgotten": judged_record(gone)})
            return shell.say(f"Forgotten: {gone.question}")
        said = opened.remembered.of(who)
    shell.emit({"remembered": [judged_record(one) for one in said]})
    for one in said:
        mark = Text("good", style="green") if one.good else Text("bad ", style="red")
        shell.say(Text(f"{one.id}  ", style="dim"), mark, f"  {one.question} ", Text(one.answer, style="cyan"))
    shell.abstain_without(said, "Nothing is remembered: answerable good, after an answer, remembers it.")
