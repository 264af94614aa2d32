<<<<<<< HEAD
"""`answerable pairs`: questions worked out with their answers before anybody asks."""
=======
"""`answerable pairs`: question-answer pairs, worked out before they are asked."""
>>>>>>> h8-store

from __future__ import annotations

import typer

<<<<<<< HEAD
from answerable.cli import pairs_build

NAME = "pairs"
app = typer.Typer(
    help="Work out questions with their answers before anybody asks.", no_args_is_help=True, rich_markup_mode=None
)
app.command("build")(pairs_build.run)
=======
from answerable.cli import pairs_keep

NAME = "pairs"
app = typer.Typer(help="Question-answer pairs, worked out before they are asked.", no_args_is_help=True)

app.command("stats")(pairs_keep.stats)
app.command("export")(pairs_keep.export)
app.command("import")(pairs_keep.import_)
app.command("index")(pairs_keep.index)
app.command("remove")(pairs_keep.remove)
>>>>>>> h8-store
