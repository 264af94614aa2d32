"""`answerable demo`: the shipped sample, indexed and asked, so that a newcomer sees what the engine does."""

from __future__ import annotations

import json
import shlex
import shutil
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from answerable.cli.progress import reporting
from answerable.cli.shell import Shell, workspace_of
from answerable.cli.show import show_answer, show_hops
from answerable.cli.show_finding import show_finding, show_left_out
from answerable.cli.show_reading import show_path, show_reading
from answerable.errors import UsageError
from answerable.printing import counted
from answerable.serialize import answer_record, found_record, reading_record
from answerable.workspace.declarations import Kind

if TYPE_CHECKING:
    from answerable.workspace.workspace import Workspace

DEFAULT = Path("answerable-demo")
SAMPLE = Path(__file__).parent.parent / "sample"
QUESTIONS = SAMPLE / "questions.jsonl"
PAIRS = "pairs.jsonl"
PUBLIC, PRIVATE = "encyclopaedia", "office"


@dataclass(frozen=True, slots=True)
class Step:
    """A question of the demo and what it shows: `how` it is asked; of one `document` alone where there is one.

    One that is asked or read is named by its id in the sample's `questions.jsonl`.
    """

    how: Literal["ask", "read", "pair", "find"]
    question: str
    shows: str
    mirror: bool = False
    trace: bool = False
    document: str = ""


_DEMO = [Step(**row) for row in map(json.loads, (SAMPLE / "demo.jsonl").read_text("utf8").splitlines())]
STEPS = [step for step in _DEMO if step.how in ("ask", "read")]
PAIRED = [step for step in _DEMO if step.how == "pair"]
SETS = [step for step in _DEMO if step.how == "find"]
SHOWN = 3
"""Members of a set that are shown, at most."""

_HERE = {"store.url": ""}
"""The sample goes into no database that others share."""


def run(
    shell: Shell,
    web: Annotated[bool, typer.Option("--web", help="Open the page on it, instead of asking here.")] = False,
) -> None:
    """Index the sample and ask it questions.

    Public articles on lighthouses, and the private mail of a firm that repairs their lenses.
    """
    from answerable.workspace.opening import open_workspace

    folder = shell.given or DEFAULT
    copy_sample(folder)
    shell.say(Text("answerable demo", style="bold"), f": the sample files are in {folder / 'sample'}")
    with workspace_of(shell, _HERE, create=True, folder=folder) as opened:
        for name, part, kind in ((PUBLIC, "public", Kind.PUBLIC), (PRIVATE, "private", Kind.PRIVATE)):
            with reporting(shell) as progress:
                elsewhere = name == PUBLIC  # as in life: an encyclopaedia is on somebody else's machine
                opened.index([folder / "sample" / part], name, kind, progress, as_if_elsewhere=elsewhere)
        with reporting(shell) as progress:
            imported = opened.pairs.import_(folder / "sample" / PAIRS, PUBLIC)
            opened.pairs.index(PUBLIC, progress=progress)
        for one in opened.status().enclaves:
            held = f"{counted(one.documents, 'document')} in {counted(one.passages, 'passage')}"
            shell.say(f"{one.name}, {one.kind}: {held}", indent=2)
        shell.say(f"{counted(imported.pairs, 'question')} of {PUBLIC} answered already", indent=2)
        texts = {row["id"]: row["question"] for row in map(json.loads, QUESTIONS.read_text("utf8").splitlines())}
        if web:
            offered = dict.fromkeys(texts[step.question] for step in STEPS if not step.document)
            _open_page(shell, opened, [*offered, PAIRED[0].question])
            return
        records = []
        for number, step in enumerate(STEPS, 1):
            question = texts[step.question]
            _introduce(shell, number, step.shows, question)
            if step.document:
                records.append(_read(shell, opened, step.document, question))
                continue
            if step.mirror:
                with open_workspace(folder, settings={**_HERE, f"enclaves.{PUBLIC}.kind": Kind.MIRROR}) as mirrored:
                    answer, table = mirrored.ask(question), mirrored.enclaves()
            else:
                answer, table = opened.ask(question), opened.enclaves()
            asked = {"question": question, "mirror": step.mirror}
            records.append({**asked, **answer_record(answer, opened.asker(None), table)})
            if not shell.as_json:
                show_answer(shell, answer)
                if step.trace:
                    show_hops(shell, answer.evidence.hops, answer.seconds, opened.asker(None), table)
        pairs = [_look_up(shell, opened, one, len(STEPS) + number) for number, one in enumerate(PAIRED, 1)]
        before = len(STEPS) + len(PAIRED)
        sets = [_find(shell, opened, one, before + number) for number, one in enumerate(SETS, 1)]
    shell.emit({"workspace": str(folder), "questions": records, "pairs": pairs, "sets": sets})
    _what_next(shell, folder)


def _open_page(shell: Shell, opened: Workspace, examples: Sequence[str]) -> None:
    """Serve the sample at a free port of this machine, with the page in a browser, where there is one."""
    from answerable.cli.serve import serve, workspace_app

    settings = replace(opened.settings.serve, host="127.0.0.1", port=0)
    app, holders = workspace_app(shell, opened, settings, None, examples)

    def show(url: str) -> None:  # on a thread: a browser in the terminal would wait for the server
        Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    serve(shell, opened, settings, app, holders, show=show)


def _read(shell: Shell, opened: Workspace, document: str, question: str) -> dict[str, Any]:
    """Answer a question from one document, and show how."""
    talk = opened.desk().converse(document)
    reading = talk.say(question)
    if not shell.as_json:
        show_path(shell, reading)
        show_reading(shell, reading, talk)
    return {"question": question, **reading_record(reading)}


def _look_up(shell: Shell, opened: Workspace, one: Step, number: int) -> dict[str, Any]:
    """Ask a question, and show the pair that it was answered from, or the nearest, which was not."""
    _introduce(shell, number, one.shows, one.question)
    answer, known = opened.ask(one.question), opened.pairs.ask(one.question)
    nearest = answer.pair or (known.matched[0][0] if known.matched else None)
    if not shell.as_json:
        show_answer(shell, answer)
        if answer.pair is None and nearest is not None:
            shell.say(Text(f"not from the pair {nearest.question!r}: {known.reason}", style="dim"), indent=2)
    told = {"question": nearest.question, "answer": nearest.answers[0]} if nearest else None
    asked = {"question": one.question, "nearest": told, "why_not": known.reason}
    return {**asked, **answer_record(answer, opened.asker(None), opened.enclaves())}


def _find(shell: Shell, opened: Workspace, wanted: Step, number: int) -> dict[str, Any]:
    """Find a set, and show its members and what was left out."""
    _introduce(shell, number, wanted.shows, wanted.question)
    finding = opened.find(wanted.question, limit=SHOWN)
    if not shell.as_json:
        show_finding(shell, finding, opened.library.file)
        show_left_out(shell, finding.found)
    return found_record(finding.found, opened.asker(None), opened.enclaves())


def copy_sample(folder: Path) -> None:
    """Put the sample's files into a new folder, or into one that an earlier demo made."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", hint="answerable demo -w DIR names a folder")
    if folder.exists() and any(folder.iterdir()) and not (folder / "sample").is_dir():
        raise UsageError(f"{folder} is not empty", hint="answerable demo -w DIR names a new folder")
    for part in ("public", "private"):
        shutil.copytree(SAMPLE / part, folder / "sample" / part, dirs_exist_ok=True)
    shutil.copy2(SAMPLE / PAIRS, folder / "sample" / PAIRS)


def _introduce(shell: Shell, number: int, shows: str, question: str) -> None:
    shell.say("")
    shell.say(Text(f"{number}. {shows}", style="dim"))
    shell.say(Text(f"> {question}", style="bold cyan"))


def _what_next(shell: Shell, folder: Path) -> None:
    shell.say("")
    shell.say(Text("What next", style="bold"))
    named = shlex.quote(str(folder))
    for command in (
        f'answerable -w {named} ask "Who holds a company card?" --explain',
        f'answerable -w {named} read private/handbook.md "Who can allow an exception to chapter 5?" --path',
        f'answerable -w {named} pairs ask "In which year was Grace Darling born at Bamburgh in Northumberland?"',
        f'answerable -w {named} find --expression \'"lamp" and "acetylene"\'',
        f"answerable -w {named} enclaves",
        "answerable index ~/Documents --enclave mine   # your own files: private unless you say otherwise",
        'answerable ask "When is the boiler due for service?"',
    ):
        shell.say(command, indent=2, wrap=False)
