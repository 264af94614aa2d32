"""What every command shares: where results, notes and errors go, and what each error's exit code is.

Results go to standard output: readable, or with `--json` exactly one JSON object. Notes, logs and progress go to
standard error. Nothing here prints a traceback, and errors carry no text of a document.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from answerable.errors import AnswerableError, EnclaveError, TrustError, UsageError
from answerable.printing import as_json as json_text
from answerable.printing import clean as clean

if TYPE_CHECKING:
    from answerable.workspace.settings import Settings
    from answerable.workspace.workspace import Workspace

DEFAULT_FOLDER = Path(".answerable")
lent: Callable[[Path, bool], AbstractContextManager[Workspace]] | None = None
"""In a process that does commands for others (`cli.local_server`): gives them the workspace that it has open, by the
folder and whether that was found, not named."""


class Mode(StrEnum):
    """How passages are ranked."""

    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


class Exit(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    ABSTAINED = 3
    INTERRUPTED = 130


Folder = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", metavar="DIR", help="The workspace folder (default ./.answerable)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


class Paper(Console):
    """A console that cleans whatever it prints, tables and progress included, and takes no text for markup."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Every piece of text, clean; what moves the cursor is the console's own."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else piece._replace(text=clean(piece.text))


class Outlet(Paper):
    """Standard output, which leaves a closed pipe to whoever runs the command."""

    def on_broken_pipe(self) -> None:
        """Say so, where rich would end the process as if it had failed."""
        raise BrokenPipeError


@dataclass(frozen=True, slots=True)
class Shell:
    """One command's outlets. `as_json` silences the readable output and lets `emit` speak."""

    given: Path | None
    """The workspace folder that was asked for, by option or environment."""
    as_json: bool

    @staticmethod
    def of(context: typer.Context, as_json: bool, workspace: Path | None = None) -> Shell:
        """From a command's own options, those given before it, and `ANSWERABLE_WORKSPACE`."""
        before: Shell | None = context.obj
        named = os.environ.get("ANSWERABLE_WORKSPACE")
        chosen = workspace or (before.given if before else None) or (Path(named) if named else None)
        return Shell(chosen, as_json or bool(before and before.as_json))

    @property
    def folder(self) -> Path:
        """The workspace folder: `./.answerable` unless another was asked for."""
        return self.given or DEFAULT_FOLDER

    @property
    def there(self) -> bool:
        """Whether there is a workspace in that folder."""
        from answerable.workspace.declarations import FILE_NAME

        return (self.folder / FILE_NAME).is_file()

    def settings(self) -> Settings:
        """Those of the workspace, and where there is none of the environment alone. Raises `SettingsError`."""
        from answerable.workspace.settings import load

        return load(self.folder if self.there else None, os.environ)

    @property
    def out(self) -> Outlet:
        """Where readable results go; quiet under `--json`."""
        return Outlet(file=sys.stdout, quiet=self.as_json)

    @property
    def notes(self) -> Paper:
        """Where progress and remarks go."""
        return Paper(file=sys.stderr, soft_wrap=not sys.stderr.isatty())

    def say(self, *parts: Text | str, indent: int = 0, wrap: bool = True) -> None:
        """One readable paragraph of results, `indent` columns in; strings are plain text, never markup."""
        out, text = self.out, Text.assemble(*parts)
        if wrap and out.is_terminal and text:
            out.print(Padding(text, (0, 0, 0, indent), expand=False))
        else:
            out.print(Text(" " * indent) + text, soft_wrap=True)

    def note(self, text: str, style: str = "dim") -> None:
        """One line on standard error."""
        self.notes.print(Text(text, style=style))

    def abstain_without(self, found: object, otherwise: str = "") -> None:
        """Leave with the code of an abstention, and a line if there is one to say, unless something was found."""
        if not found:
            if otherwise:
                self.say(otherwise)
            raise typer.Exit(Exit.ABSTAINED)

    def emit(self, record: Mapping[str, Any]) -> None:
        """With `--json`, the command's one object; otherwise nothing."""
        if self.as_json:
            print_json(record)


class Plain(Shell):
    """That of a command which takes no workspace."""

    __slots__ = ()


def outlets() -> None:
    """Make standard output and error fit for any text: closed ones swallow it, narrow ones show what they can."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace" if name == "stderr" else "replace")


@contextmanager
def stoppable(shell: Shell, kept: str) -> Iterator[None]:
    """Work that may be stopped by hand: says then what is `kept`, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        shell.note(f"stopped; {kept}", style="yellow")
        raise typer.Exit(Exit.INTERRUPTED) from None


def silence() -> None:
    """Let nothing more reach standard output, whose buffer Python would else try to write once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(record: Mapping[str, Any]) -> None:
    """Exactly one object on standard output, escaped where the terminal's encoding is not UTF-8."""
    wide = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json_text(record, indent=2 if sys.stdout.isatty() else None, narrow=not wide) + "\n")
    sys.stdout.flush()


def print_raw(text: str) -> None:
    """Text for another program on standard output, as it is; on a terminal it is cleaned."""
    sys.stdout.write(clean(text) if sys.stdout.isatty() else text)


def exit_code(error: AnswerableError) -> Exit:
    """2 for what the user can put right by asking differently, 1 for the rest."""
    return Exit.USAGE if isinstance(error, UsageError | EnclaveError) else Exit.ERROR


def fail(error: AnswerableError, as_json: bool) -> NoReturn:
    """Report an error of ours and leave with its code."""
    code = exit_code(error)
    report(type(error).__name__, error.args[0], error.hint, code, as_json)
    raise SystemExit(int(code))


def report(kind: str, message: str, hint: str | None, code: int, as_json: bool) -> None:
    """An error as a JSON object on standard output, or as a line on standard error with the way out below it."""
    if as_json:
        record = {"kind": kind, "message": message, "hint": hint, "code": int(code)}
        try:
            return print_json({"error": record})
        except OSError:  # nobody can read it there: say it on standard error
            silence()
    notes = Shell(None, as_json).notes
    notes.print(Text.assemble(("error: ", "bold red"), clean(message)))
    if hint:
        notes.print(Text.assemble(("  try: ", "bold"), clean(hint)))


def turns(shell: Shell, question: str | None, more: bool) -> Iterator[str]:
    """A question, and where there are more the lines of standard input, until an empty one or the end."""
    if question is not None:
        yield question
    if more and sys.stdin.isatty():
        shell.note("An empty line ends it.")
    while more:
        if sys.stdin.isatty():
            shell.notes.print("> ", end="")
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line


def workspace_of(
    shell: Shell, settings: Mapping[str, Any] | None = None, create: bool = False, folder: Path | None = None
) -> AbstractContextManager[Workspace]:
    """The workspace of this command, in `folder` where that is given; with `create` a new one where there is none.

    Raises `UsageError` with the command to run when there is none, and `TrustError` for one that may be somebody
    else's, unless whoever is at the terminal agrees to it.
    """
    from answerable.workspace.opening import open_workspace
    from answerable.workspace.trust import remember

    place = folder or shell.folder
    if not create:
        check_there(place)
        if lent is not None and settings is None:
            return lent(place, shell.given is None)
    try:
        return open_workspace(place, create, settings, found=shell.given is None)
    except TrustError as error:
        if not _agreed(shell, place, error.told):
            raise
        remember(place, error.told)
        return open_workspace(place, create, settings, found=shell.given is None)


def check_there(folder: Path) -> None:
    """Raise `UsageError` with the command to run when there is no workspace in a folder."""
    from answerable.workspace.declarations import FILE_NAME

    if not (folder / FILE_NAME).is_file():
        what = f"there is no workspace in {folder}"
        hint = "answerable index PATH --enclave NAME to make one here, -w DIR to name another, or answerable demo"
        if os.environ.get("ANSWERABLE_STORE_URL"):
            what += " yet, and the store that is shared holds none: each user has their own"
            hint = f'make {folder / FILE_NAME}, with [enclaves.NAME] and kind = "private" for each enclave to ask there'
        raise UsageError(what, hint=hint)


def _agreed(shell: Shell, folder: Path, told: Iterable[str]) -> bool:
    """Whether the user says that the workspace may be used: asked on a terminal, and nowhere else."""
    if shell.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    shell.note(f"You have not used the workspace {folder} before, or it has changed:", style="yellow")
    for line in told:
        shell.note(f"  {line}")
    shell.notes.print("Use it from now on? [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
