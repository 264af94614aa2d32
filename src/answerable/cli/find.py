"""`answerable find`: a whole set, each member with the sentences that show why it belongs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.options import QUOTES, AskerName, Narrowed, PrivacyMode, one_line
from answerable.cli.shell import Exit, Shell, print_raw, workspace_of
from answerable.cli.show import show_hops
from answerable.cli.saved_finds import Saved, save, saved, write
from answerable.cli.show_finding import looked_at, place, show_finding, show_left_out
from answerable.errors import UsageError
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import readable
from answerable.serialize import count_record, found_record, table
from answerable.sets.members import Found
from answerable.types import Asker

NAME = "find"


def run(
    shell: Shell,
    narrowed: Narrowed,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUERY]...", help=f"What to find all of. {QUOTES}", show_default=False),
    ] = None,
    expression: Annotated[
        str | None,
        typer.Option("--expression", metavar="TREE", help='Go by this: ("tools" or "games") minus "for children".'),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Members to give, at most.")] = None,
    count: Annotated[bool, typer.Option("--count", help="Only say how many there are.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Look at all that could be a member.")] = False,
    name: Annotated[str | None, typer.Option("--save", metavar="NAME", help="Keep the query and its members.")] = None,
    again: Annotated[
        str | None, typer.Option("--again", metavar="NAME", help="Find what was saved, and say what is new.")
    ] = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write the members as CSV; - prints it.")
    ] = None,
    privacy: PrivacyMode = None,
    asker: AskerName = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what was left out, and every search made or refused.")
    ] = False,
) -> None:
    """Find everything that fits, with "and", "or" and "not".

    Each member is shown with a sentence; --explain shows one for each constraint. Ends with 0, and with 3 when there is
    no member.
    """
    line, wanted = one_line(query), narrowed.filter
    before = saved(shell.folder, again) if again else None
    if before:
        if line or expression or wanted or limit:
            raise UsageError("--again takes the query as it was saved", hint="leave out the query, its filters and --limit")
        line, expression, wanted = before.query, before.expression, before.filter
    if line is None and expression is None:
        raise UsageError("there is no query", hint="answerable find QUERY, --expression or --again")
    if (name or again) and (limit or count):
        raise UsageError("a find is saved whole", hint="leave out --limit and --count")
    target = _target(csv, shell.as_json, count)
    with workspace_of(shell) as opened:
        viewer, enclaves = opened.asker(asker), opened.enclaves()
        finding = opened.find(line, expression, limit, viewer, privacy, not count, wanted, everything)
        quiet = count or csv == "-"
        if not quiet and not shell.as_json:
            known = before.members if before else None
            show_finding(shell, finding, lambda one: opened.file_of(one.enclave, one.source), known, explain)
        found = finding.found
        changed = _changed(found, before, viewer, enclaves) if before else {}
    if name or again:
        save(shell.folder, name or again or "", found, wanted)
    if count:
        shell.emit(count_record(found))
        low, high = found.interval
        shell.say(f"{found.count}")
        shell.say(f"{looked_at(found)}; of these about {found.expected:.1f} fit ({low:,} to {high:,})")
    elif csv == "-":
        print_raw(table(found))
    else:
        shell.emit(found_record(found, viewer, enclaves, explain) | changed)
        if before:
            new, gone = changed["new"], changed["gone"]
            shell.say(f"{len(new):,} new since the last time, {len(gone):,} gone{': ' * bool(gone)}{', '.join(gone)}")
    if target is not None:
        write(target, table(found))
        shell.note(f"{len(found.members):,} members are in {target}")
    if explain and not quiet and not shell.as_json:
        show_left_out(shell, found)
        show_hops(shell, found.hops, found.seconds, viewer, enclaves)
    if not found.count:
        raise typer.Exit(Exit.ABSTAINED)


def _changed(found: Found, before: Saved, viewer: Asker, enclaves: EnclaveTable) -> dict[str, list[str]]:
    """The documents that are members since the last time, and those that are none any more and may be told of."""
    now = {place(one) for one in found.members}
    gone = [one for one in before.members if one not in now and one[0] in enclaves and readable(viewer, enclaves[one[0]]).allowed]
    return {"new": [id for _, id in sorted(now.difference(before.members))], "gone": [id for _, id in gone]}


def _target(csv: str | None, as_json: bool, count: bool) -> Path | None:
    """The file to write, known to be one before anything is searched. Raises `UsageError` where it cannot be."""
    if csv is None:
        return None
    if count:
        raise UsageError("--count gives no members to write", hint="leave out --csv or --count")
    if csv == "-":
        if as_json:
            raise UsageError("--csv - and --json both want standard output", hint="name a file for --csv")
        return None
    path = Path(csv)
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in no folder that exists"
        raise UsageError(f"{path} {what}", hint="name a file for --csv")
    return path
