"""`answerable`: the command line. One file a command; heavy imports happen inside them."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from answerable.cli import (
    ask,
    askers,
    chat,
    delete,
    demo,
    doctor,
    enclaves,
    evaluate,
    export,
    find,
    grants,
    index,
    journal,
    link,
    mcp,
    pairs,
    read,
    serve,
    status,
    train,
    trust,
)
from answerable.cli.options import command
from answerable.cli.shell import Exit, Folder, Json, Shell, clean, fail, outlets, report, silence
from answerable.errors import AnswerableError

HELP = """Answer questions from public and private text, with every answer cited word for word.

Start with `answerable demo`, or index your own files:

\b
  answerable index ~/Documents/notes --enclave notes
  answerable ask when is the boiler due for service
"""


COMMANDS: Mapping[str, tuple[ModuleType, ...]] = {
    "Ask": (demo, ask, chat, find, read, link),
    "Index": (index, status, pairs, delete, export),
    "Measure": (evaluate,),
    "Train": (train,),
    "Administer": (enclaves, grants, journal, trust, serve, mcp, askers, doctor),
}
"""What the help shows together, in its order."""
EXTRAS = {pairs.NAME: "pairs", train.NAME: "train", serve.NAME: "serve", mcp.NAME: "mcp"}
"""Commands that do nothing, or not all, without an optional part of the package."""


class Root(TyperGroup):
    """The command group, with one door for everything that can go wrong."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Each group of commands under its heading, with the extra that a command needs."""
        wide = max(map(len, self.commands))
        for panel, modules in COMMANDS.items():
            with formatter.section(panel):
                names = [module.NAME for module in modules]
                formatter.write_dl([(f"{name:<{wide}}", self._short(name)) for name in names])

    def _short(self, name: str) -> str:
        needs = f" [extra {EXTRAS[name]}]" if name in EXTRAS else ""
        return f"{self.commands[name].get_short_help_str(80)}{needs}"

    def main(self, args: Sequence[str] | None = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command and leave with its exit code; errors become one line, or one JSON object."""
        given = list(sys.argv[1:] if args is None else args)
        options = given[: given.index("--")] if "--" in given else given
        as_json = "--json" in options
        outlets()
        try:
            code = super().main(given, standalone_mode=False, **extra)
            sys.stdout.flush()
        except AnswerableError as error:
            fail(error, as_json)
        except typer.TyperException as error:
            code = _usage(error, as_json)
        except BrokenPipeError:
            silence()  # whoever read our output has had enough (`| head`): nothing went wrong
            code = Exit.DONE
        except OSError as error:
            code = _system(error, as_json)
        except (KeyboardInterrupt, typer.Abort):
            code = Exit.INTERRUPTED
        except Exception as error:  # the last resort: never a traceback, never the text an exception may quote
            code = _internal(error, as_json, debug="--debug" in options)
        raise SystemExit(int(code or 0))


def _usage(error: typer.TyperException, as_json: bool) -> int:
    """A command line that cannot be read."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:
        sys.stdout.write(error.format_message() + "\n")
        return Exit.USAGE
    command = context.command_path if context else "answerable"
    report("UsageError", error.format_message(), f"{command} --help", Exit.USAGE, as_json)
    return Exit.USAGE


def _system(error: OSError, as_json: bool) -> int:
    """What the system refused, in its words, and of which file: a path, never a text."""
    try:
        sys.stdout.flush()
    except OSError:  # it is standard output itself that cannot be written
        silence()
        as_json = False
    named = isinstance(error.filename, str | bytes)
    what = f"{os.fsdecode(error.filename)} cannot be used" if named else "the system refused"
    report("SystemError", f"{what}: {error.strerror or type(error).__name__}", None, Exit.ERROR, as_json)
    return Exit.ERROR


def _internal(error: Exception, as_json: bool, debug: bool) -> int:
    """An error nobody foresaw: its class alone, since its message may quote a document."""
    if debug:
        sys.stderr.write(clean("".join(traceback.format_exception(error))))
    kind = type(error).__name__
    report("InternalError", f"internal error, see the command with --debug ({kind})", None, Exit.ERROR, as_json)
    return Exit.ERROR


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        try:
            typer.echo(f"answerable {version('answerable')}")
        except PackageNotFoundError:
            typer.echo("answerable (not installed)")
        raise typer.Exit


app = typer.Typer(cls=Root, help=HELP, no_args_is_help=True, rich_markup_mode=None,
                  pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})  # fmt: skip


@app.callback()
def root(
    context: typer.Context,
    workspace: Folder = None,
    as_json: Json = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks, which may quote documents.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options every command shares."""
    context.obj = Shell.of(context, workspace, as_json)


for _panel, _modules in COMMANDS.items():
    for _module in _modules:
        if hasattr(_module, "app"):
            app.add_typer(_module.app, name=_module.NAME, rich_help_panel=_panel)
        else:
            app.command(_module.NAME, rich_help_panel=_panel)(command(_module.run))


def main() -> None:
    """The console script."""
    app()
