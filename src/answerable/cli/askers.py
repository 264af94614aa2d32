"""`answerable askers`: who may ask over HTTP, what they may read, and until when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.options import command
from answerable.cli.shell import Shell, workspace_of
from answerable.workspace.askers import DAYS, Admitted
from answerable.workspace.trust import by_hand

app = typer.Typer(help="Let others ask over HTTP, each by a token of their own.", no_args_is_help=True)


@app.command()
@command
def add(
    shell: Shell,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who asks.", show_default=False)],
    reads: Annotated[
        str | None, typer.Option("--reads", metavar="ENCLAVE,...", help="The enclaves that they may read.")
    ] = None,
    owner: Annotated[bool, typer.Option("--owner", help="They may read and change everything, as you may.")] = False,
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="For how long the token counts.")] = DAYS,
) -> None:
    """Add an asker, and print their token once.

    An asker of answerable.toml reads what is declared there. Once there is an asker, `answerable serve` answers nobody
    without a token.
    """
    given = None if reads is None else [one.strip() for one in reads.split(",") if one.strip()]
    with workspace_of(shell) as opened, by_hand(opened.folder, lambda: opened.settings):
        made, token = opened.askers.add(opened.settings, name, given, owner, days)
        record = _record(opened.settings, made)
    shell.emit({**record, "token": token})
    shell.say(token)
    shell.note(f"the token of {name}, shown this once: they may read {_reads(record)} until {made.until:%Y-%m-%d}")


@app.command("list")
@command
def listed(shell: Shell) -> None:
    """List the askers there are and were."""
    with workspace_of(shell) as opened:
        records = [_record(opened.settings, one) for one in opened.askers.all()]
    shell.emit({"askers": records})
    shell.abstain_without(records, "There are no askers: `answerable serve` answers this machine alone.")
    table = Table("asker", "reads", "until", "state", box=None, header_style="bold")
    for one in records:
        table.add_row(Text(one["name"]), _reads(one), one["until"][:10], one["state"])
    shell.out.print(table)


@app.command()
@command
def revoke(
    shell: Shell, name: Annotated[str, typer.Argument(metavar="NAME", help="Who asks no more.", show_default=False)]
) -> None:
    """Take an asker's token back, at once and for good."""
    with workspace_of(shell) as opened:
        record = _record(opened.settings, opened.askers.revoke(name))
    shell.emit(record)
    shell.say(f"Revoked the token of {name}.")


def _record(settings: Any, one: Admitted) -> dict[str, Any]:
    state = "in force" if one.in_force(datetime.now(UTC)) else "revoked" if one.revoked else "over"
    cleared = one.asker(settings).clearance
    reads = None if cleared is None else sorted(cleared)
    return {"name": one.name, "owner": one.owner, "reads": reads, "until": one.until.isoformat(), "state": state}


def _reads(record: dict[str, Any]) -> str:
    return "everything" if record["reads"] is None else ", ".join(record["reads"]) or "nothing"
