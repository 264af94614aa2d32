"""`answerable find`: a whole set, each member with the sentences that show why it belongs.

A find is kept by a name (`--save`), so that what is new in it can be told (`--again`); its members go to files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.options import QUOTES, AskerName, Narrowed, PrivacyMode, unquoted
from answerable.cli.shell import Shell, print_raw, workspace_of
from answerable.cli.show import show_hops, show_unnamed
from answerable.cli.show_finding import fitting, looked_at, show_finding, show_left_out
from answerable.errors import MissingExtraError, UsageError
from answerable.printing import counted
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import readable
from answerable.privacy.small_files import write_file, writing
from answerable.serialize import count_record, found_record, table, workbook
from answerable.sets.members import Found
from answerable.types import Asker
from answerable.workspace.saved_finds import Saved, save, saved


@dataclass(frozen=True, slots=True)
class Keeping:
    """Whether a find is kept, or is one that was."""

    save: Annotated[
        str | None, typer.Option("--save", metavar="NAME", help="Keep the query and its members in the workspace.")
    ] = None
    again: Annotated[
        str | None, typer.Option("--again", metavar="NAME", help="Find what was saved, and say what is new.")
    ] = None

    def before(self, folder: Path, asker: str, asked: bool, partly: bool) -> Saved | None:
        """What the asker saved, if wanted again. Raises `UsageError` where it is not there, where something else is
        `asked` beside it, and where a find of a part would be kept; and as `saved`."""
        if (self.save or self.again) and partly:
            raise UsageError("a find is saved whole", hint="leave out --limit and --count")
        if not self.again:
            return None
        if asked:
            raise UsageError("--again takes the query as it was saved", hint="leave out the query and its filters")
        held = saved(folder, asker)
        if self.again not in held:
            hint = f"saved: {', '.join(sorted(held)) or 'none'}"
            raise UsageError(f"no find is saved as {self.again!r}", hint=hint)
        return held[self.again]


@dataclass(frozen=True, slots=True)
class Written:
    """What the members are written to."""

    csv: Annotated[str | None, typer.Option("--csv", metavar="FILE", help="Write the members as CSV; - prints it.")] = (
        None
    )
    xlsx: Annotated[
        str | None, typer.Option("--xlsx", metavar="FILE", help="Write them as a workbook (extra xlsx).")
    ] = None

    @property
    def printed(self) -> bool:
        """Whether they are printed instead."""
        return self.csv == "-"

    def files(self, as_json: bool, count: bool) -> dict[Path, Callable[[Found], str | bytes]]:
        """The files to write, each with what makes it, known to be possible before anything is searched.

        Raises `UsageError` where they are not, and `MissingExtraError` for a workbook without the extra.
        """
        if count and (self.csv or self.xlsx):
            raise UsageError("--count gives no members to write", hint="leave out --count, or --csv and --xlsx")
        if self.printed and as_json:
            raise UsageError("--csv - and --json both want standard output", hint="name a file for --csv")
        named: dict[Path, Callable[[Found], str | bytes]] = {}
        if self.csv and self.csv == self.xlsx:
            raise UsageError("--csv and --xlsx name one file", hint="give each a file of its own")
        if self.csv and not self.printed:
            named[_file(self.csv, "--csv")] = table
        if self.xlsx:
            if find_spec("xlsxwriter") is None:
                raise MissingExtraError("--xlsx", "xlsx")
            named[_file(self.xlsx, "--xlsx")] = workbook
        return named


def run(
    shell: Shell,
    narrowed: Narrowed,
    keeping: Keeping,
    written: Written,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help=f"What to find all of. {QUOTES}", show_default=False),
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
    line, wanted = unquoted(query), narrowed.filter
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
        show_unnamed(shell, [] if found.count else opened.library.unnamed(viewer, wanted))
    if name := keeping.save or keeping.again:
        with writing(shell.folder):
            save(shell.folder, viewer.name, name, found, finding.among)
    if count:
        shell.emit(count_record(found))
        shell.say(f"{found.count}\n{looked_at(found)}; {fitting(found)}")
    elif written.printed:
        print_raw(table(found))
    else:
        news = _news(shell, found, before, viewer, enclaves) if before else {}
        shell.emit(found_record(found, viewer, enclaves, explain) | news)
    for target, made in files.items():
        with writing(target):
            write_file(target, made(found))
        shell.note(f"{counted(len(found.members), 'member is', 'members are')} in {target}")
    if explain and readable:
        show_left_out(shell, found)
        show_hops(shell, found.hops, found.seconds, viewer, enclaves, found.query)
    shell.abstain_without(found.count)


def _file(name: str, option: str) -> Path:
    path = Path(name)
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in no folder that exists"
        raise UsageError(f"{path} {what}", hint=f"name a file for {option}")
    return path


def _news(shell: Shell, found: Found, before: Saved, viewer: Asker, enclaves: EnclaveTable) -> dict[str, list[str]]:
    """Say and give the documents that are members since the last time, and those of enclaves that may be told of that
    are none any more."""
    now = {one.place: f"{one.document}, {one.row.place}" if one.row else one.document for one in found.members}
    told = [enclave for enclave, one in enclaves.items() if readable(viewer, one).allowed]
    new = [named for at, named in now.items() if at not in before.members]
    gone = [at[1] for at in before.members if at not in now and at[0] in told]
    shell.say(f"{len(new):,} new since the last time, {len(gone):,} gone{': ' * bool(gone)}{', '.join(gone)}")
    return {"new": new, "gone": gone}
