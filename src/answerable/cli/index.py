"""`answerable index`: add or update files, folders, mailboxes and JSONL."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from getpass import getpass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answerable.cli.options import OfKind
from answerable.cli.progress import reporting
from answerable.cli.shell import Shell, stoppable, workspace_of
from answerable.errors import AnswerableError, MissingExtraError, UsageError
from answerable.printing import counted

if TYPE_CHECKING:
    from answerable.corpora.imap import Mailbox
    from answerable.workspace.status import Indexed

SHOWN = 20  # skipped files listed one by one
AGAIN = 5.0
"""Seconds after which what could not be indexed is tried again."""
CHANGES = ("added", "replaced", "removed", "gone")


def run(
    shell: Shell,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files and folders, or imap://NAME@HOST/BOX.")],
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="Where their text will live.")],
    kind: OfKind,
    elsewhere: Annotated[
        bool,
        typer.Option("--as-if-elsewhere", help="For experiments: send it only what a stranger's machine may be sent."),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and index what changes as it changes. Ctrl-C to stop.")
    ] = False,
    password_file: Annotated[
        Path | None,
        typer.Option("--password-file", metavar="FILE", help="For imap: the password; else it is asked for."),
    ] = None,
    ca_file: Annotated[
        Path | None, typer.Option("--ca-file", metavar="FILE", help="For imap: who vouches for the server, as PEM.")
    ] = None,
) -> None:
    """Add files to an enclave, or update them.

    Text, Markdown, HTML, PDF, mail and what is attached to it, documents, slides and workbooks of office programs,
    CSV, JSON, EPUB, calendars, contacts, bookmarks, Obsidian, exports of Slack and Notion; folders whole; mail from a
    server. Stopped half-way, the same command resumes.
    """
    from answerable.workspace.trust import by_hand

    chosen = kind.chosen()
    places = [_place(path, password_file, ca_file) for path in paths]
    if watch and any(not isinstance(place, Path) for place in places):
        raise UsageError("--watch is for files", hint="run the command again to fetch what is new of a mailbox")
    if watch and find_spec("watchfiles") is None:
        raise MissingExtraError("--watch", "watch")
    with workspace_of(shell, create=True) as opened, reporting(shell) as progress:

        def index() -> Indexed:
            with by_hand(opened.folder, lambda: opened.settings):
                return opened.index(places, enclave, chosen, progress, elsewhere)

        with stoppable(shell, "what was finished is kept and can be asked. The same command resumes."):
            done = index()
            _show(shell, done, enclave)
            if watch:
                shell.note("watching for changes; Ctrl-C to stop")
                _watch(shell, index, [one for one in places if isinstance(one, Path)], opened.folder)
    shell.abstain_without(done.documents)


def _place(path: str, password_file: Path | None, ca_file: Path | None) -> Path | Mailbox:
    """A file or folder, or a mailbox with its password, from a file or from whoever sits at the terminal."""
    from answerable.corpora.imap import Mailbox

    if not path:
        raise UsageError("a path is empty", hint="name a file or a folder; . is this one")
    if not path.startswith(("imap://", "imaps://")):
        return Path(path)
    box = Mailbox(path, "", ca_file)
    if password_file is not None:
        try:
            return replace(box, password=password_file.read_text(encoding="utf8").rstrip("\r\n"))
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"the password file {password_file} cannot be read") from None
    if not sys.stdin.isatty():
        raise UsageError(f"there is nobody to ask for the password of {box.url}", hint="--password-file FILE")
    return replace(box, password=getpass(f"Password of {box.url}: "))


def _watch(shell: Shell, index: Callable[[], Indexed], paths: Sequence[Path], folder: Path) -> None:
    """Index whenever something has changed; what could not be done is said, and tried again."""
    left = True  # what changed before this began
    for changed in changes(paths, folder):
        if changed or left:
            try:
                done, left = index(), False
            except AnswerableError as error:
                if changed:
                    shell.note(f"not indexed yet: {error.args[0]}", style="yellow")
                left = True
            else:
                if any(asdict(done.files)[name] for name in CHANGES):
                    _show(shell, done, done.enclave)


def changes(paths: Sequence[Path], but: Path) -> Iterator[bool]:
    """Whether anything below the paths has changed, told at once, and where nothing has every `AGAIN` seconds. What
    lies in the folder `but` is passed over: it changes by indexing. Raises `KeyboardInterrupt`."""
    from watchfiles import Change, DefaultFilter, watch

    own, usual = but.resolve(), DefaultFilter()

    def counts(change: Change, path: str) -> bool:
        return usual(change, path) and not Path(path).is_relative_to(own)

    places, wait = [path.resolve() for path in paths], int(1000 * AGAIN)
    for changed in watch(*places, watch_filter=counts, rust_timeout=wait, yield_on_timeout=True):
        yield bool(changed)


def _show(shell: Shell, done: Indexed, enclave: str) -> None:
    counts = asdict(done.files)
    shell.emit({**asdict(done), "files": counts, "skipped": list(done.skipped)})
    for reason in done.skipped[:SHOWN]:
        shell.note(reason, style="yellow")
    if len(done.skipped) > SHOWN:
        shell.note(f"... and {len(done.skipped) - SHOWN} more", style="yellow")
    changed = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count and name in CHANGES)
    if gone := counts["gone"]:
        shell.note(f"dropped {counted(gone, 'document')} of files that are gone or go by another name", style="yellow")
    held = f"{counted(done.documents, 'document')} in {counted(done.passages, 'passage')}"
    shell.say(f"{enclave} ({done.kind}): {held}")
    repeated = counts["duplicates"]
    what = counted(repeated, "passage that repeats", "passages that repeat")
    left_out = f"; left out {what} other mail" if repeated else ""
    files = f"{counted(counts['files'], 'file')} in {done.seconds:.1f} s"
    shell.say(f"{files}; documents: {changed or 'nothing new'}{left_out}")
