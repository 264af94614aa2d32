"""`answerable journal`: every search that left for an enclave or was refused, and whether the record of it is whole."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from answerable.cli.options import AskerName
from answerable.cli.shell import Exit, Shell, workspace_of
from answerable.printing import counted
from answerable.privacy.audit_records import Verdict
from answerable.types import Asker


def run(
    shell: Shell,
    last: Annotated[int, typer.Option("--last", min=0, help="Show so many of the latest records; 0: all.")] = 50,
    asker: AskerName = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check that no record was changed or taken out.")] = False,
    noted: Annotated[
        str | None, typer.Option("--noted", metavar="HASH", help="Check it against a last hash noted earlier, too.")
    ] = None,
) -> None:
    """Show what was sent where.

    With --verify or --noted ends with 0 when the journal is whole and 1 when it is not. Without these, 3 when there is
    nothing to show.
    """
    verify = verify or noted is not None
    with workspace_of(shell) as opened:
        viewer, journal = opened.asker(asker), opened.journal
        verdict = journal.verified(noted) if verify else None
        entries = [] if verify else journal.shown(viewer, opened.settings.hosts(), last)
        kept = journal.kept
    if verdict:
        _show_verdict(shell, verdict, viewer)
        return
    shell.emit({"records": entries})
    for entry in entries:
        _show(shell, entry)
    if not kept:
        shell.note("the journal is not kept: see keep under [journal], and whether the folder can be written")
    shell.abstain_without(entries, "The journal holds nothing to show.")


def _show_verdict(shell: Shell, verdict: Verdict, viewer: Asker) -> None:
    """How many lines there are is told only to whoever may read everything."""
    record: dict[str, Any] = {"whole": verdict.broken is None, "broken": verdict.broken, "torn": verdict.torn}
    if viewer.clearance is None:
        shell.emit({**record, "lines": verdict.lines, "hash": verdict.head})
        told = f": {counted(verdict.lines, 'line')}, the last hash is {verdict.head}"
    else:
        shell.emit({"whole": verdict.broken is None})
        told = ""
    if verdict.broken is None:
        shell.say(Text("The journal is whole", style="bold green"), told)
    else:
        shell.say(Text("The journal is not whole", style="bold red"), f": {verdict.broken}" if told else "")
    if verdict.torn and told:
        torn = counted(verdict.torn, "byte")
        shell.say(f"A crash left {torn} of a last line; the next record takes their place and says so.")
    if verdict.broken:
        raise typer.Exit(Exit.ERROR)


def _show(shell: Shell, entry: dict[str, Any]) -> None:
    """One record: when, who, where, and why or why not."""
    head = Text(f"{entry['at'][:19].replace('T', ' ')}  ", style="dim")
    if entry["kind"] == "torn":
        shell.say(head, f"a crash tore off the end of a line: {counted(entry['bytes'], 'byte')}")
        return
    if entry["kind"] in ("grant", "revoke"):
        words, asker, to = ", ".join(entry["lifts"]), entry["asker"], entry["to"]
        what = "granted" if entry["kind"] == "grant" else "revoked"
        shell.say(head, Text(f"{what} {entry['id']}", style="bold"), f": {words} of {asker} to {to}")
        return
    name = Text(entry["enclave"], style="cyan")
    label = ", ".join(entry["label"]) or "nothing private"
    asked = f"hop {entry['hop']}, {entry['skill']}, for {entry['asker']}, carrying {label}"
    if entry["allowed"]:
        back = "nothing came back" if entry["hits"] is None else counted(entry["hits"], "hit")
        sent = f": {counted(entry['bytes'], 'byte')}, sha256 {entry['sha256'][:12]}, {back}"
        shell.say(head, name, f" ({entry['host']}) was sent {asked}{sent}")
    else:
        shell.say(head, name, Text(" was not asked", style="bold red"), f" {asked}")
    shell.say(Text(f"why: {entry['rule']}", style="dim"), indent=21)
    if "shards" in entry:
        shell.say(Text(f"at: {', '.join(entry['shards'])}", style="dim"), indent=21)
    if "silent" in entry:
        shell.say(Text(f"nothing came back from {', '.join(entry['silent'])}", style="dim"), indent=21)
    if "text" in entry:
        shell.say(Text(f"sent: {entry['text']}", style="dim"), indent=21)
