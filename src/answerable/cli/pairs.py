"""`answerable pairs`: questions worked out with their answers before anybody asks."""

from __future__ import annotations

from collections.abc import Callable

import typer

from answerable.cli import pairs_ask, pairs_build, pairs_keep
from answerable.cli.options import command

NAME = "pairs"
app = typer.Typer(help="Work out questions with their answers beforehand.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS: dict[str, Callable[..., None]] = {
    "build": pairs_build.run,
    "ask": pairs_ask.run,
    "stats": pairs_keep.stats,
    "export": pairs_keep.export,
    "import": pairs_keep.import_,
    "index": pairs_keep.index,
    "remove": pairs_keep.remove,
}
for _name, _run in COMMANDS.items():
    app.command(_name)(command(_run))
