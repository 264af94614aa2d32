"""`answerable pairs`: questions worked out with their answers before anybody asks."""

from __future__ import annotations

import typer

from answerable.cli import pairs_ask, pairs_build, pairs_keep

NAME = "pairs"
app = typer.Typer(
    help="Work out questions with their answers before anybody asks.", no_args_is_help=True, rich_markup_mode=None
)
app.command("build")(pairs_build.run)
app.command("ask")(pairs_ask.run)
app.command("stats")(pairs_keep.stats)
app.command("export")(pairs_keep.export)
app.command("import")(pairs_keep.import_)
app.command("index")(pairs_keep.index)
app.command("remove")(pairs_keep.remove)
