"""`answerable enclaves`: what is declared, who may read it, and what each may be sent."""

from __future__ import annotations

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.shell import Exit, Folder, Json, Shell, workspace_of
from answerable.privacy.enclaves import QUESTION
from answerable.types import EVERYTHING, Label

NAME = "enclaves"


def run(context: typer.Context, workspace: Folder = None, as_json: Json = False) -> None:
    """List the enclaves and the askers."""
    shell = Shell.of(context, workspace, as_json)
    with workspace_of(shell) as opened:
        enclaves, askers = opened.enclaves(), opened.settings.askers
        kinds = {name: one.kind for name, one in opened.settings.enclaves.items()}
    shell.emit(
        {
            "enclaves": [
                {"name": e.name, "kind": kinds[e.name], "label": sorted(e.label), "admits": sorted(e.admits)}
                for e in enclaves.values()
            ],
            "askers": [
                {"name": a.name, "clearance": sorted(a.clearance or ()), "label": sorted(a.label)}
                for a in askers.values()
            ],
        }
    )
    if not enclaves:
        shell.say("No enclave yet: answerable index PATH --enclave NAME")
        raise typer.Exit(Exit.ABSTAINED)
    table = Table("enclave", "kind", "reading it makes the query", "may be sent", box=None, header_style="bold")
    for enclave in enclaves.values():
        label = ", ".join(sorted(enclave.label)) or "nothing more (public)"
        table.add_row(Text(enclave.name), kinds[enclave.name], label, _sent(enclave.admits))
    shell.out.print(table)
    for asker in askers.values():
        names = ", ".join(sorted(asker.clearance or ())) or "nothing"
        shell.say(f"asker {asker.name} may read {names}")


def _sent(admits: Label) -> str:
    if admits == EVERYTHING:
        return "everything: it is on your own machine"
    if not admits:
        return "public queries only"
    return ", ".join("private questions" if one == QUESTION else one for one in sorted(admits))
