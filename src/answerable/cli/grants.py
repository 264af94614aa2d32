"""`answerable grants`: what the user lets be sent besides, until when, and taking it back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.options import AskerName, command
from answerable.cli.shell import Shell, workspace_of
from answerable.errors import UsageError
from answerable.privacy.grants import Grant
from answerable.serialize import rule_record
from answerable.workspace.trust import by_hand

app = typer.Typer(help="Let an enclave be sent what it would not admit, for a while.", no_args_is_help=True)


@app.command()
@command
def add(
    shell: Shell,
    lift: Annotated[
        list[str],
        typer.Option("--lift", metavar="NAME", help="The private enclave whose text may be sent, or question."),
    ],
    to: Annotated[str, typer.Option("--to", metavar="ENCLAVE", help="The enclave it may be sent to.")],
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="The last day (2026-05-31), or a time; else one day.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for whoever reads the journal.")] = "",
    asker: AskerName = None,
) -> None:
    """Let questions carry private text to an enclave.

    It lets more be sent, never more be read. It is in the journal, and ends by itself.
    """
    ends = _end(until) if until else None
    with workspace_of(shell) as opened, by_hand(opened.folder, lambda: opened.settings):
        made = opened.grant(lift, to, asker, ends, reason)
    shell.emit(rule_record(made, datetime.now(UTC)))
    shell.say(Text(made.id, style="bold"), f": {_told(made)}, until {_local(made.until)}")


@app.command("list")
@command
def listed(shell: Shell, asker: AskerName = None) -> None:
    """List the grants there are and were."""
    now = datetime.now(UTC)
    with workspace_of(shell) as opened:
        who = opened.asker(asker)
        grants = [one for one in opened.grants() if asker is None or one.asker == who.name]
    shell.emit({"grants": [rule_record(one, now) for one in grants]})
    shell.abstain_without(grants, "There are no grants: nothing is sent but what the enclaves admit.")
    table = Table("grant", "asker", "lifts", "to", "until", "state", "reason", box=None, header_style="bold")
    for one in grants:
        words, until = ", ".join(sorted(one.lifts)), _local(one.until)
        table.add_row(one.id, one.asker, words, one.to, until, _state(one, now), Text(one.reason))
    shell.out.print(table)


@app.command()
@command
def revoke(
    shell: Shell,
    grant: Annotated[str, typer.Argument(help="The grant's id, as `grants list` shows it.", show_default=False)],
) -> None:
    """Take a grant back, at once and for good."""
    with workspace_of(shell) as opened:
        revoked = opened.revoke(grant)
    shell.emit(rule_record(revoked, datetime.now(UTC)))
    shell.say(f"Revoked {revoked.id}: {_told(revoked)}")


def _end(text: str) -> datetime:
    """The moment after a day that is named, or the moment itself. Raises `UsageError`."""
    try:
        if len(text) == len("2026-05-31"):
            return datetime.combine(date.fromisoformat(text) + timedelta(days=1), time()).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"{text!r} is no date", hint="such as 2026-05-31 or 2026-05-31T18:00") from None


def _told(grant: Grant) -> str:
    return f"{', '.join(sorted(grant.lifts))} of {grant.asker} may go to {grant.to}"


def _state(grant: Grant, now: datetime) -> Text:
    if grant.revoked:
        return Text("revoked", style="red")
    return Text("in force", style="green") if grant.in_force(now) else Text("over", style="dim")


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
