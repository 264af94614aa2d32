"""`answerable find`: a whole set, each member with the sentences that show why it belongs."""

from __future__ import annotations

from typing import Annotated

import typer

from answerable.cli.keeping import Keeping, Written, show_news
from answerable.cli.options import QUOTES, AskerName, Narrowed, PrivacyMode, one_line
from answerable.cli.shell import Shell, print_raw, workspace_of
from answerable.cli.show import show_hops
from answerable.cli.show_finding import fitting, looked_at, show_finding, show_left_out
from answerable.errors import UsageError
from answerable.privacy.small_files import write_file, writing
from answerable.serialize import count_record, found_record, table
from answerable.workspace.saved_finds import save


def run(
    shell: Shell,
    narrowed: Narrowed,
    keeping: Keeping,
    written: Written,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUERY]...", help=f"What to find all of. {QUOTES}", show_default=False),
    ] = None,
    expression: Annotated[
        str | None,
        typer.Option("--expression", metavar="TREE", help='Go by this: ("tools" or "games") minus "for children".'),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Members to give, at most.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Look at all that could be a member.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Only say how many there are.")] = False,
    privacy: PrivacyMode = None,
    asker: AskerName = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what was left out, and every search made or refused.")
    ] = False,
) -> None:
    """Find everything that fits, with "and", "or" and "not".

    A member is a line with a sentence that shows it. Ends with 0, and with 3 when there is no member.
    """
    line, wanted = one_line(query), narrowed.filter
    if line is None and expression is None and not keeping.again:
        raise UsageError("there is no query", hint="answerable find QUERY, --expression or --again")
    files = written.files(shell.as_json, count)
    with workspace_of(shell) as opened:
        viewer, enclaves = opened.asker(asker), opened.enclaves()
        before = keeping.before(shell.folder, viewer.name, any((line, expression, wanted)), bool(limit or count))
        if before:
            line, expression, wanted = before.query, before.expression, before.filter
        finding = opened.find(line, expression, limit, viewer, privacy, not count, wanted, exhaustive=everything)
        readable = not (count or written.printed or shell.as_json)
        if readable:
            show_finding(shell, finding, opened.library.file, before.members if before else None, explain)
        found = finding.found
    if name := keeping.save or keeping.again:
        with writing(shell.folder):
            save(shell.folder, viewer.name, name, found, wanted)
    if count:
        shell.emit(count_record(found))
        shell.say(f"{found.count}\n{looked_at(found)}; {fitting(found)}")
    elif written.printed:
        print_raw(table(found))
    else:
        news = show_news(shell, found, before, viewer, enclaves) if before else {}
        shell.emit(found_record(found, viewer, enclaves, explain) | news)
    for target, made in files.items():
        with writing(target):
            write_file(target, made(found))
        shell.note(f"{len(found.members):,} members are in {target}")
    if explain and readable:
        show_left_out(shell, found)
        show_hops(shell, found.hops, found.seconds, viewer, enclaves, found.query)
    shell.abstain_without(found.count)
