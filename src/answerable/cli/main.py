"""`answerable`: the command line. One file a command, which is imported when it is run."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from answerable.cli.shell import Exit, Folder, Json, Shell, clean, fail, outlets, report, silence
from answerable.errors import AnswerableError

HELP = """Answer questions from public and private text, with every answer cited word for word.

Start with `answerable demo`, or index your own files:

\b
  answerable index ~/Documents/notes --enclave notes
  answerable ask when is the boiler due for service
"""


COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Ask": {
        "demo": "Index the sample and ask it questions.",
        "ask": "Ask a question and see the sources.",
        "chat": "Ask question after question: a turn for each line of standard input.",
        "good": "Say that the last answer is good: remember it.",
        "bad": "Say that the last answer is bad: do not give it again.",
        "remembered": "List the answers that were called good or bad, or take one back.",
        "find": 'Find everything that fits, with "and", "or" and "not".',
        "read": "Ask one document alone.",
        "link": "Find what a text names, and the documents so named.",
    },
    "Index": {
        "index": "Add files to an enclave, or update them.",
        "status": "Count what the workspace holds.",
        "pairs": "Work out questions with their answers beforehand.",
        "delete": "Delete documents by id or by file.",
        "export": "Write one enclave as JSONL.",
    },
    "Measure": {"evaluate": "Measure on questions with known answers; compare two runs."},
    "Train": {"train": "Train a model from a recipe."},
    "Administer": {
        "enclaves": "List the enclaves and the askers, or add an enclave that another machine serves.",
        "grants": "Let an enclave be sent what it would not admit, for a while.",
        "journal": "Show what was sent where.",
        "trust": "Use a workspace that came from somebody else.",
        "serve": "Serve the workspace, with a page, or one enclave.",
        "mcp": "Answer an assistant's questions, by the Model Context Protocol.",
        "askers": "Let others ask over HTTP, each by a token of their own.",
        "models": "Models in use and possible; a calibration for a reader of your own.",
        "doctor": "Check everything, print every setting.",
    },
}
"""What the help shows together, in its order: each command, which is the module of its name, with its first line."""
EXTRAS = {"pairs": "pairs", "train": "train", "serve": "serve", "mcp": "mcp"}
"""Commands that do nothing, or not all, without an optional part of the package."""


class Loading(Mapping[str, Any]):
    """The commands by their names, each imported when it is first looked up: one need not wait for the others."""

    def __init__(self) -> None:
        self._names = [name for panel in COMMANDS.values() for name in panel]
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            from answerable.cli.options import command

            module, alone = import_module(f"answerable.cli.{name}"), typer.Typer(rich_markup_mode=None)
            if hasattr(module, "app"):
                alone.add_typer(module.app, name=name)
            else:
                alone.command(name)(command(module.run))
            self._made[name] = typer.main.get_group(alone).commands[name]
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Door(TyperGroup):
    """A command group with one door for everything that can go wrong."""

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


class Root(Door):
    """The commands of `answerable`, each imported when it is run or asked about."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = Loading()  # type: ignore[assignment]

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Each group of commands under its heading, with the extra that a command needs."""
        wide = max(map(len, self.commands))
        for panel, lines in COMMANDS.items():
            with formatter.section(panel):
                needs = {name: f" [extra {EXTRAS[name]}]" if name in EXTRAS else "" for name in lines}
                formatter.write_dl([(f"{name:<{wide}}", f"{line}{needs[name]}") for name, line in lines.items()])


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
        from importlib.metadata import PackageNotFoundError, version

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
    context.obj = Shell.of(context, as_json, workspace)


def main() -> None:
    """The console script."""
    app()
