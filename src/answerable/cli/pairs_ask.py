"""`answerable pairs ask`: answers that were worked out before they were asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from answerable.cli.options import AskerName, PrivacyMode, Words, one_line
from answerable.cli.shell import Shell, print_json, workspace_of
from answerable.cli.show import cited, headline, show_hops
from answerable.errors import FormatError, UsageError
from answerable.types import Privacy

if TYPE_CHECKING:
    from answerable.qapairs.answering import PairAnswer
    from answerable.workspace.workspace import Workspace

_AT_ONCE = 512
"""Questions of a file that are answered together."""


def run(
    shell: Shell,
    question: Words = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="Answer a file of questions: a line each, or JSONL."),
    ] = None,
    privacy: PrivacyMode = None,
    asker: AskerName = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the nearest pairs, and every search.")] = False,
    cite: Annotated[bool, typer.Option(help="With --questions, say where each answer stands: slower.")] = True,
) -> None:
    """Answer from pairs, if one asks the same and is sure enough.

    Shows the question that matched, and where its answer stands. Ends with 0 when answered, and with 3 when not.
    """
    line = one_line(question)
    if (line is None) == (questions is None):
        raise UsageError("ask one question, or a file of them", hint="answerable pairs ask QUESTION, or --questions")
    with workspace_of(shell) as opened:
        if questions is not None:
            if explain:
                raise UsageError("--explain is for one question", hint="leave out --questions")
            _many(shell, opened, questions, asker, privacy, cite)
            return
        assert line is not None
        answered = _one(shell, opened, line, asker, privacy, explain)
    shell.abstain_without(answered)


def _one(
    shell: Shell, opened: Workspace, question: str, asker: str | None, privacy: Privacy | None, explain: bool
) -> bool:
    from answerable.serialize import matched_record

    viewer, table = opened.asker(asker), opened.enclaves()
    found = opened.pairs.ask(question, viewer, privacy)
    shell.emit(matched_record(found, viewer, table, explain))
    _show(shell, found)
    if explain:
        _show_matched(shell, found)
        show_hops(shell, found.hops, found.seconds, viewer, table)
    return found.text is not None


def _show(shell: Shell, found: PairAnswer) -> None:
    headline(shell, found)
    if found.text is None:
        if found.pair is not None:
            shell.say(Text("nearest: ", style="dim"), f"{found.pair.question} {found.pair.answers[0]}", indent=2)
        return
    assert found.pair is not None
    shell.say(Text("asked before: ", style="dim"), found.pair.question, indent=2)
    cited(shell, found.citations, found.text)


def _show_matched(shell: Shell, found: PairAnswer) -> None:
    """The nearest pairs with their scores."""
    from answerable.serialize import MATCHED

    shell.say("")
    shell.say(Text("Nearest pairs", style="bold"))
    for pair, score in found.matched[:MATCHED]:
        shell.say(Text(f"{score:.3f}  ", style="dim"), f"{pair.question} ", Text(pair.answers[0], style="cyan"),
                  indent=2)  # fmt: skip


def _many(shell: Shell, opened: Workspace, file: Path, asker: str | None, privacy: Privacy | None, cite: bool) -> None:
    """One JSON line for each question, in order; how many were answered on standard error."""
    from answerable.serialize import paired_record

    desk, questions = opened.pairs, list(_questions(file))
    answered = 0
    for start in range(0, len(questions), _AT_ONCE):
        for answer in desk.ask_many(questions[start : start + _AT_ONCE], asker, privacy, cite):
            print_json(paired_record(answer))
            answered += answer.text is not None
    shell.note(f"{answered:,} of {len(questions):,} questions are answered")


def _questions(file: Path) -> Iterator[str]:
    """The questions of a file of lines, or of JSON objects with a `question`. Raises `FormatError`, `UsageError`."""
    try:
        lines = file.read_text(encoding="utf8").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(f"{file} is not text in UTF-8") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if file.suffix != ".jsonl":
            yield line
            continue
        try:
            row = json.loads(line)
            yield str(row["question"])
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"line {number} of {file.name} holds no question") from error
