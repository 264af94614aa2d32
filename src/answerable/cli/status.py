"""`answerable status`: what the workspace holds, and what indexing has still to do."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Column, Table
from rich.text import Text

from answerable.cli.shell import Shell, workspace_of
from answerable.workspace.settings import Settings
from answerable.workspace.status import EnclaveStatus, travels_as


def run(shell: Shell) -> None:
    """Count what the workspace holds."""
    with workspace_of(shell) as opened:
        status, settings = opened.status(), opened.settings
    states = {one.name: _state(one, settings) for one in status.enclaves}
    enclaves = [{**asdict(one), "state": states[one.name].plain} for one in status.enclaves]
    shell.emit(
        {"workspace": str(status.folder), "encoder": status.encoder, "bytes": status.bytes, "enclaves": enclaves}
    )
    shell.abstain_without(status.enclaves, f"{status.folder} is empty: answerable index PATH --enclave NAME")
    counts = ("documents", "passages", "vectors", *(("pages",) if any(one.pages for one in status.enclaves) else ()))
    table = Table("enclave", "kind", *counts, Column("state", overflow="fold"), box=None, header_style="bold")
    for one in status.enclaves:
        table.add_row(Text(one.name), one.kind, *(f"{getattr(one, count):,}" for count in counts), states[one.name])
    shell.out.print(table)
    shell.say(f"{status.folder}: {status.bytes / 1e6:,.1f} MB, encoder {status.encoder}")


def _state(one: EnclaveStatus, settings: Settings) -> Text:
    if one.problem:
        return Text(one.problem, style="red")
    if one.remote:
        return Text(f"ready at {one.remote}, asked by {travels_as(one, settings)}", style="green")
    if one.vectors < one.passages:
        return Text("vectors unfinished: run the same index command again", style="yellow")
    if not one.documents:
        return Text("nothing is indexed in it", style="yellow")
    return Text("ready", style="green")
