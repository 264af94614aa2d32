"""`answerable good`: the last answer is right. And `answerable bad`, which is said in the same way."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from answerable.cli.options import AskerName
from answerable.cli.shell import Shell, workspace_of
from answerable.serialize import judged_record

Question = Annotated[
    str | None, typer.Option("--question", metavar="QUESTION", help="The last answer to this question, not the last.")
]


def run(shell: Shell, question: Question = None, asker: AskerName = None) -> None:
    """Say that the last answer is good: remember it.

    It is given at once when the same is asked again, as long as all it cites stands word for word.
    """
    judge(shell, True, question, asker)


def judge(shell: Shell, good: bool, question: str | None, asker: str | None) -> None:
    """Say of an answer whether it is good, and show what was said."""
    with workspace_of(shell) as opened:
        said = (opened.good if good else opened.bad)(question=question, asker=asker)
    shell.emit(judged_record(said))
    what = "Remembered" if good else "Not given again"
    shell.say(Text(f"{what}: ", style="bold"), f"{said.question} ", Text(said.answer, style="cyan"))
    shell.note(f"answerable remembered --forget {said.id} takes that back.")
