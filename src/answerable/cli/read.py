"""`answerable read`: one document: one question, or a conversation; or several compared."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from answerable.cli.options import AskerName, Words, unquoted
from answerable.cli.progress import reporting
from answerable.cli.shell import Shell, turns, workspace_of
from answerable.cli.show_reading import show_compared, show_path, show_reading
from answerable.engine import OWNER
from answerable.errors import FormatError, UsageError
from answerable.serialize import reading_record
from answerable.text import checked_question, is_polar
from answerable.types import Asker, Reading
from answerable.workspace.documents import DocumentReader


def run(
    shell: Shell,
    document: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A file, or the id or source of an indexed document.", show_default=False),
    ],
    question: Words = None,
    beside: Annotated[
        list[str] | None,
        typer.Option("--and", metavar="FILE", help="Another document, asked the same; may be given again."),
    ] = None,
    enclave: Annotated[
        str | None, typer.Option("--enclave", "-e", metavar="NAME", help="Where the document is, if in several.")
    ] = None,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="TEXT", help="Your situation, for questions about rules.")
    ] = "",
    asker: AskerName = None,
    chat: Annotated[bool, typer.Option("--chat", help="Go on: a turn for each line of standard input.")] = False,
    path: Annotated[bool, typer.Option("--path", help="Show the headings of what was attended to.")] = False,
) -> None:
    """Ask one document alone.

    Nothing is sent anywhere. A file that is not indexed is read in memory, and nothing of it is kept. With --chat an
    empty line ends the conversation. Files that stand before the question are asked the same, as those of --and are: an
    answer each, in a table. Ends with 0 when answered (the last turn, or by any of several), and 3 when not.
    """
    given = question or []
    files = list(takewhile(_is_file, given if chat else given[:-1]))
    if len(words := given[len(files) :]) > 1 and " " in words[-1] and (lost := next(filter(_names_file, words), None)):
        raise UsageError(f"there is no file {lost}", hint="files stand before the question, each as it is called")
    several, line = [document, *files, *(beside or ())], unquoted(words)
    if line is None and not chat:
        raise UsageError("there is no question", hint="answerable read FILE QUESTION, or --chat")
    first = None if line is None else checked_question(line)  # before the document is read
    if len(several) > 1:
        _compare(shell, several, None if chat else first, enclave, scenario, asker)
        return
    with _desk(shell, asker) as (desk, who):
        with reporting(shell) as progress:
            talk = desk.converse(
                document, who, enclave, scenario, progress=lambda done, total: progress("book", done, total)
            )
        if not talk.document.enclave:
            shell.note("read in memory; index it, and the next question is answered at once")
        answered = True
        for turn in turns(shell, first, chat):
            reading = talk.say(checked_question(turn))
            answered = reading.text is not None
            shell.emit({"question": talk.question, **reading_record(reading)})
            if not shell.as_json:
                if chat:
                    shell.say(Text(f"> {' '.join(turn.split())}", style="bold cyan"))
                if path:
                    show_path(shell, reading)
                show_reading(shell, reading, talk)
                if chat:
                    shell.say("")
    shell.abstain_without(answered)


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except OSError:  # longer than any name of a file
        return False


def _names_file(word: str) -> bool:
    """Whether a word can only be meant as a path: "4.2" is a section."""
    return " " not in word and (os.sep in word or Path(word).suffix[1:2].isalpha())


def _compare(
    shell: Shell, documents: Sequence[str], question: str | None, enclave: str | None, scenario: str, asker: str | None
) -> None:
    """Ask several documents the same, and tell what each says; one that cannot be read is told, and the others are."""
    if question is None:
        raise UsageError("a conversation is about one document", hint="leave out --chat, or the other documents")
    readings: list[tuple[str, Reading]] = []
    with _desk(shell, asker) as (desk, who):
        for document in dict.fromkeys(documents):
            try:
                readings.append((document, desk.converse(document, who, enclave, scenario).say(question)))
            except (FormatError, UsageError) as error:
                shell.note(f"left out: {error}")
    for document, reading in readings:
        shell.emit({"question": question, "file": document, **reading_record(reading)})
    if not shell.as_json:
        show_compared(shell, readings, is_polar(question))
    shell.abstain_without(any(reading.text is not None for _, reading in readings))


@contextmanager
def _desk(shell: Shell, asker: str | None) -> Iterator[tuple[DocumentReader, Asker]]:
    """The desk of the workspace and who reads; where there is no workspace, one for files alone, and the owner."""
    if shell.given is None and asker is None and not shell.there:
        yield DocumentReader(shell.settings()), OWNER
        return
    with workspace_of(shell) as opened:
        yield opened.desk(), opened.asker(asker)
