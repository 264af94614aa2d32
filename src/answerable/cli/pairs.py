"""`answerable pairs`: questions worked out with their answers before anybody asks, made, kept, moved and asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.options import AskerName, OneEnclave, PrivacyMode, Words, command, unquoted
from answerable.cli.progress import reporting
from answerable.cli.shell import Shell, print_json, stoppable, workspace_of
from answerable.cli.show import cited, headline, show_hops
from answerable.errors import FormatError, UsageError
from answerable.printing import counted
from answerable.types import Privacy

if TYPE_CHECKING:
    from answerable.qapairs.answering import PairAnswer
    from answerable.qapairs.index.opened import PairStats
    from answerable.workspace.workspace import Workspace

_NONE = "There are no pairs: answerable pairs build, or answerable pairs import FILE --enclave NAME"
_AT_ONCE = 512
"""Questions of a file that are answered together."""
Into = Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="The enclave of the pairs.")]


def build(
    shell: Shell,
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="Whose passages are asked about.")],
    share: Annotated[float, typer.Option(help="Of its passages, the share that people likeliest ask about.")] = 1.0,
    per_answer: Annotated[int, typer.Option("--per-answer", help="Questions kept for one answer, at most.")] = 2,
    keeping: Annotated[
        Literal["none", "local", "global"],
        typer.Option("--filter", help="Keep questions whose answer is found in their passage (local), or anywhere."),
    ] = "global",
    generator: Annotated[
        str,
        typer.Option(metavar="NAME", help="learned, llm, stated, or a trained one's folder."),
    ] = "learned",
    processes: Annotated[int, typer.Option(min=0, help="Processes that work; 0: one a processor.")] = 0,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the files of the stages, which hold the text.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Let pairs go that were made in another way.")] = False,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What the index may take, with its model: 500MB.")
    ] = None,
) -> None:
    """Make questions of the passages of an enclave, with their answers.

    What a text asks and answers itself is taken as it stands, with the generator "stated" that alone. Only new passages
    are worked on the second time. Stopped half-way, the same command goes on.
    """
    from answerable.qapairs.index.budget import in_words
    from answerable.workspace.pair_stages import Wanted

    wanted = Wanted(share, per_answer, keeping, generator)
    stopped = stoppable(shell, "what was finished is kept. The same command goes on.")
    with workspace_of(shell) as opened, reporting(shell) as progress, stopped:
        made, index = opened.pairs.build(enclave, wanted, processes, keep, budget, progress, replace)
    shell.emit({**asdict(made), "index": asdict(index)})
    asked = made.counts.get("generate", {})
    kept = next((count for name, count in made.counts.get("filter", {}).items() if name.startswith("kept")), None)
    shell.say(f"{enclave}: {made.chosen:,} of {counted(made.passages, 'new passage')} in {made.seconds:.1f} s")
    if asked.get("answers"):  # "stated" asks of none
        told = f"{counted(asked['answers'], 'answer')}, {counted(asked.get('questions', 0), 'question')}"
        shell.say(told if kept is None else f"{told}, {kept:,} kept by the filter {keeping}")
    shell.say(f"{counted(made.pairs, 'pair')} in all; indexed {index.pairs:,} in {in_words(index.bytes)}: {index.why}")
    shell.abstain_without(made.pairs)


def ask(
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
    from answerable.serialize import matched_record

    line = unquoted(question)
    if (line is None) == (questions is None):
        raise UsageError("ask one question, or a file of them", hint="answerable pairs ask QUESTION, or --questions")
    with workspace_of(shell) as opened:
        if questions is not None:
            if explain:
                raise UsageError("--explain is for one question", hint="leave out --questions")
            _many(shell, opened, questions, asker, privacy, cite)
            return
        assert line is not None
        viewer, table = opened.asker(asker), opened.enclaves()
        found = opened.pairs.ask(line, viewer, privacy)
        shell.emit(matched_record(found, viewer, table, explain))
        _show_answer(shell, found)
        if explain:
            _show_matched(shell, found)
            show_hops(shell, found.hops, found.seconds, viewer, table)
    shell.abstain_without(found.text is not None)


def _show_answer(shell: Shell, found: PairAnswer) -> None:
    headline(shell, found)
    if found.text is None:
        if found.pair is not None:
            shell.say(Text("nearest: ", style="dim"), f"{found.pair.question} {found.pair.answers[0]}", indent=2)
        return
    assert found.pair is not None
    shell.say(Text("worked out before: ", style="dim"), found.pair.question, indent=2)
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
    shell.note(f"{answered:,} of {counted(len(questions), 'question')} answered")


def _questions(file: Path) -> Iterator[str]:
    """The questions of a file of lines, or of JSON objects with a `question`. Raises `FormatError`, `UsageError`."""
    try:
        lines = file.read_text(encoding="utf8").split("\n")
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
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(f"line {number} of {file.name} holds no question") from error


def stats(shell: Shell, enclave: OneEnclave = None) -> None:
    """Count the pairs, by where they are from, and their index."""
    with workspace_of(shell) as opened:
        rows = opened.pairs.stats(enclave)
    shell.emit({"enclaves": [asdict(row) for row in rows]})
    some = [row for row in rows if row.pairs or row.origins]
    shell.abstain_without(some, _NONE)
    for row in some:
        _show(shell, row)


def export(
    shell: Shell,
    target: Annotated[Path, typer.Argument(help="A file that ends in .jsonl.", show_default=False)],
    enclave: Into,
) -> None:
    """Write the pairs of one enclave in the format of PAQ's metadata.

    Every line carries the enclave and its label.
    """
    with workspace_of(shell) as opened:
        done = opened.pairs.export(target, enclave)
    label = sorted(done.label)
    shell.emit({"enclave": enclave, "label": label, "pairs": done.pairs, "file": str(done.file)})
    shell.say(f"Wrote {counted(done.pairs, 'pair')} to {target}.")
    if label:
        shell.note(f"The file holds private text of: {', '.join(label)}. Nothing guards it now.", style="yellow")
    shell.abstain_without(done.pairs)


def import_(
    shell: Shell,
    file: Annotated[Path, typer.Argument(help="Pairs in one of PAQ's formats, or NQ-open's.", show_default=False)],
    enclave: Into,
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="What to call where they are from; else the file.")
    ] = None,
) -> None:
    """Keep the pairs of a file, in place of those that came from the same source before.

    Lines of JSON; gzip is read too. All of a file is kept, or none.
    """
    with workspace_of(shell) as opened, reporting(shell) as reporter:
        done = opened.pairs.import_(file, enclave, source, reporter)
    shell.emit(asdict(done))
    before = f", in place of {done.removed:,}" if done.removed else ""
    shell.say(f"Kept {counted(done.pairs, 'pair')} from {done.source}{before}; {done.placed:,} with a passage here.")
    shell.note("answerable pairs index brings their index up to date.")


def index(
    shell: Shell,
    enclave: OneEnclave = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="SIZE", help="What model, index and text may take: 500MB, 2GB.")
    ] = None,
) -> None:
    """Bring the index of pairs up to date.

    With a budget it is made as precise as fits; where not all pairs fit, the least probable are left out.
    """
    with workspace_of(shell) as opened, reporting(shell) as reporter:
        made = opened.pairs.index(enclave, budget, reporter)
    shell.emit({"enclaves": [asdict(one) for one in made]})
    for one in made:
        what = f"{one.pairs:,} of {counted(one.of, 'pair')}, {counted(one.encoded, 'question')} encoded"
        shell.say(Text(one.enclave, style="bold"), f": {what}, {one.bytes / 1e6:,.1f} MB; {one.why}")
    shell.abstain_without(any(one.pairs for one in made), _NONE)


def remove(
    shell: Shell,
    source: Annotated[str, typer.Option("--source", metavar="NAME", help="Where they were imported from.")],
    enclave: Into,
) -> None:
    """Remove the pairs that were imported from a source, from the store and every index."""
    with workspace_of(shell) as opened:
        removed = opened.pairs.remove(enclave, source)
    shell.emit({"enclave": enclave, "source": source, "removed": removed})
    shell.say(f"Removed {counted(removed, 'pair')} of {source}.")


def _show(shell: Shell, row: PairStats) -> None:
    shell.say(Text(row.enclave, style="bold"), f": {counted(row.pairs, 'pair')}, {row.placed:,} with a passage; ",
              f"{counted(row.answers, 'answer')}; {counted(row.passages, 'passage')}")  # fmt: skip
    if row.probabilities:
        low, *_, high = row.probabilities
        middle = row.probabilities[3]
        shell.say(f"probabilities from {low:.3f} to {high:.3f}, half of them above {middle:.3f}", indent=2)
    if row.index is None:
        shell.say("no index: answerable pairs index", indent=2)
    else:
        state = "" if row.index.current else "; pairs changed since: answerable pairs index"
        size = f"{row.index.bytes / 1e6:,.1f} MB"
        shell.say(f"index of {row.index.pairs:,}: {row.index.words}, {size}, by {row.index.matcher}{state}", indent=2)
    table = Table("from", "", "pairs", "passages worked on", box=None, header_style="bold")
    for one in row.origins:
        how = "imported" if one.imported else "generated"
        name = one.name.replace(" from ,", ",")  # what is stated is extracted from nothing
        table.add_row(Text(name), how, f"{one.pairs:,}", f"{one.worked:,}")
    shell.out.print(table)


app = typer.Typer(help="Work out questions with their answers beforehand.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS: dict[str, Callable[..., None]] = {
    "build": build,
    "ask": ask,
    "stats": stats,
    "export": export,
    "import": import_,
    "index": index,
    "remove": remove,
}
for _name, _run in COMMANDS.items():
    app.command(_name)(command(_run))
