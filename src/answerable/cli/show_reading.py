"""What was read in a document as people see it: the way there, the evidence in its paragraph, and the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from rich.table import Table
from rich.text import Text

from answerable.cli.shell import Shell
from answerable.cli.show import headline, listed, origin, show_passages
from answerable.documents.conversation import Conversation
from answerable.text import one_line
from answerable.types import Citation, Reading

_AROUND = 600
"""Characters of the paragraph that are shown on each side of what is cited."""
_QUOTED = 200
"""Characters that are shown of what a yes or a no rests on, where documents are compared."""
_BLANKS = re.compile(r"\s+")


def show_path(shell: Shell, reading: Reading) -> None:
    """Each step of a walk with its share of the attention, or each place that an answer rests on, under headings that
    stand further in line by line; each place once."""
    before: list[str] = []
    for number, stop in enumerate(reading.path, 1):
        what, share = f"place {number}", ""
        if reading.bytes:
            what = f"step {number}, to a {'sentence' if stop.sentence else 'paragraph'}"
            share = f", {stop.share:.0%} of the attention"
        shell.say(Text(what, style="bold"), Text(f"  {stop.start}-{stop.end}{share}", style="dim"))
        headings = [reading.title, *(one for one in stop.headings if one != reading.title)]
        for depth, heading in enumerate(headings if headings != before else ()):
            shell.say(heading, indent=2 + 2 * depth)
        before = headings
    shell.say("")


def show_reading(shell: Shell, reading: Reading, talk: Conversation) -> None:
    """The answer with its confidence, or why there is none; the evidence; what it depends on; what to say next."""
    headline(shell, reading, "public" if reading.enclave else "in no enclave")
    for remark in reading.notes:
        shell.say(Text(remark, style="yellow"), indent=2)
    if reading.text is None:
        if reading.others:
            shell.say(Text("best guess: ", style="dim"), listed(reading.others[:1]), indent=2)
        show_passages(shell, reading.passages)
    for citation in reading.citations:
        shell.say("")
        shell.say(_in_its_paragraph(shell, citation, talk), indent=2)
        shell.say(origin(citation), indent=2)
    if reading.conditions:
        shell.say("")
        shell.say(Text("this depends on:", style="bold"), indent=2)
        for citation in reading.conditions:
            shell.say(f"- {one_line(citation.text)}", Text(f"  {citation.start}-{citation.end}", style="dim"), indent=2)
    if reading.text is not None and reading.others:
        shell.say("")
        shell.say(Text("also: ", style="dim"), listed(reading.others), indent=2)
    if reading.ask:
        shell.say("")
        shell.say(Text(reading.ask, style="bold cyan"))


def show_compared(shell: Shell, readings: Sequence[tuple[str, Reading]], polar: bool) -> None:
    """A row for each document: its name, what it says or why nothing, where it stands, and how sure that is.

    A yes or a no (`polar`) has the sentence below that it rests on."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("document", "what it says", "where"):
        table.add_column(column, overflow="fold")
    table.add_column("confidence", justify="right")
    for document, one in readings:
        first = next(iter(one.citations), None)
        where = (first.place or f"{first.start}-{first.end}") if first else ""
        said = Text(one_line(one.text)) if one.text is not None else _unsure(one)
        if one.text is not None and first and polar and one_line(one.text) != one_line(first.text):
            said = Text.assemble(said, "\n", (shorten(first.text, _QUOTED, placeholder=" …"), "dim"))
        table.add_row(Text(Path(document).name), said, Text(where, style="dim"), f"{one.confidence:.2f}")
    shell.out.print(table)


def _unsure(reading: Reading) -> Text:
    """Why a document gives no answer: in short where there is a best guess, which is not sure enough."""
    guess = next((one_line(text) for text, _ in reading.others), None)
    if guess is None:
        return Text(str(reading.reason), style="yellow")
    return Text.assemble(("not sure", "yellow"), "; best guess: ", guess)


def _in_its_paragraph(shell: Shell, citation: Citation, talk: Conversation) -> Text:
    """The paragraph on one line with the citation marked: bold on a terminal, else between guillemets."""
    text = talk.document.text
    start, end = talk.paragraph(citation)
    before, after = text[max(start, citation.start - _AROUND) : citation.start], text[citation.end : end][:_AROUND]
    opening = "… " if citation.start - _AROUND > start else ""
    closing = " …" if citation.end + _AROUND < end else ""
    cited = one_line(citation.text)
    told = Text(cited, style="bold") if shell.out.is_terminal else Text(f"«{cited}»")
    return Text.assemble(opening, _BLANKS.sub(" ", before), told, _BLANKS.sub(" ", after).rstrip(), closing)
