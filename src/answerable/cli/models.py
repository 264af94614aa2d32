"""`answerable models`: what is chosen, what could be, and a calibration for a reader that has none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from answerable.cli.options import command
from answerable.cli.shell import Shell, workspace_of
from answerable.encoders.choose import SHIPPED
from answerable.encoders.pretrained import called, described
from answerable.errors import AnswerableError, UsageError
from answerable.printing import counted
from answerable.workspace.models import model_folders
from answerable.workspace.settings import Settings

app = typer.Typer(help="Models in use and possible; a calibration for a reader of your own.")
USED = {
    "encoder": "searches by meaning",
    "reader": "answers from passages",
    "navigator": "walks long documents",
    "judge": "judges members of sets",
    "matcher": "matches questions among pairs",
}
OTHERS = {
    "encoder": ("skills", "hashed", "a folder of sentence-transformers", "hf:NAME"),
    "reader": ("span", "overlap", "llm", "an extractive reader's folder", "hf:NAME"),
    "navigator": ("skills", "hashed", "a folder that answerable trained"),
    "judge": ("skills", "overlap", "a folder that answerable trained"),
    "matcher": ("skills", "hashed", "a folder that answerable trained"),
}


@app.callback(invoke_without_command=True)
@command
def listed(shell: Shell) -> None:
    """List the models in use: name, size, licence, what each is for, and what could take its place."""
    rows = list(_rows(shell.settings()))
    shell.emit({"models": rows})
    for one in rows:
        size = "" if one["bytes"] is None else f"{one['bytes'] / 1e6:,.1f} MB"
        told = ", ".join(filter(None, (one["weights"] or one["problem"], size, one["licence"])))
        shell.say(Text(f"{one['part']:<11}", style="bold"), f"{one['chosen'] or 'none'}", f": {told}" if told else "")
        shell.say(Text(f"{one['use']}; or {one['possible']}", style="dim"), indent=11)


def _rows(settings: Settings) -> Iterator[dict[str, Any]]:
    folders, row = model_folders(settings), dict[str, Any]()
    for part, use in USED.items():
        chosen = getattr(settings.models, part)
        possible = ", ".join(one for one in OTHERS[part] if one != chosen)
        row = {"part": part, "chosen": chosen, "use": use, "possible": possible}
        row |= {"weights": None, "bytes": None, "licence": "", "problem": None}
        folder = folders.get(part)
        try:
            if folder is not None:
                size, licence = described(folder)
                licence = licence or ("Apache-2.0" if folder.is_relative_to(SHIPPED) else "")
                row |= {"weights": called(folder), "bytes": size, "licence": licence}
        except AnswerableError as error:
            row["problem"] = str(error.args[0])
        yield row
    given = settings.llm
    if settings.asks:
        use = "answers from passages, behind an address"
        row = dict.fromkeys(row) | {"part": "llm", "chosen": given.model, "use": use}
        yield row | {"possible": "any server of OpenAI's protocol", "problem": given.endpoint, "licence": ""}


@app.command()
@command
def calibrate(
    shell: Shell,
    questions: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="JSON lines of question and answers; the sample's where left out."),
    ] = None,
    risk: Annotated[
        float, typer.Option("--risk", help="Share of the answers given that may be wrong, none below even odds.")
    ] = 0.25,
    forget: Annotated[bool, typer.Option("--forget", help="Take back what was fitted here.")] = False,
) -> None:
    """Fit how sure to be of the reader, or of the language model that answers, from questions whose answers are known.

    Some hundred are wanted; one with an empty list of answers is one that nothing answers. What is fitted to private
    text carries its label from then on.
    """
    from answerable.training.own_reader import fit_own, fit_sample, forget_fitted

    if not 0 <= risk <= 1:
        raise UsageError(f"--risk is {risk}", hint="a share from 0 to 1")
    with workspace_of(shell) as opened:
        if forget:
            count = forget_fitted(opened)
            shell.emit({"forgotten": count})
            shell.say(f"Took {counted(count, 'calibration')} back.")
            return
        made = fit_own(opened, questions, risk) if questions else fit_sample(opened, risk)
    shell.emit({"reader": made.reader, "questions": made.count, "right": made.right, "answered": made.answered,
                "threshold": made.threshold, "label": sorted(made.label), "file": str(made.file)})  # fmt: skip
    shell.say(f"Fitted {made.reader} to {counted(made.count, 'question')}, of which it answers {made.right} rightly.")
    shell.say(f"Answers are given from a confidence of {made.threshold:.2f}: {made.answered} of these.")
    if made.label:
        shell.say(f"It carries {', '.join(sorted(made.label))}: who may not read that may not ask here until --forget.")
