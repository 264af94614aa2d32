"""`answerable pairs`: question-answer pairs, worked out before they are asked."""

from __future__ import annotations

import typer

from answerable.cli import pairs_keep

NAME = "pairs"
app = typer.Typer(help="Question-answer pairs, worked out before they are asked.", no_args_is_help=True)

app.command("stats")(pairs_keep.stats)
app.command("export")(pairs_keep.export)
app.command("import")(pairs_keep.import_)
app.command("index")(pairs_keep.index)
app.command("remove")(pairs_keep.remove)
