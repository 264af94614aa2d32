"""`answerable pairs`: questions worked out with their answers before anybody asks, made, kept, moved and asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli import pairs_ask
from answerable.cli.options import OneEnclave, command
from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Shell, workspace_of

if TYPE_CHECKING:
    from answerable.qapairs.index.opened import PairStats

_NONE = "There are no pairs: answerable pairs build, or answerable pairs import FILE --enclave NAME"
Into = Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="The enclave of the pairs.")]


def build(
    shell: Shell,
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="Whose passages are asked about.")],
    share: Annotated[float, typer.Option(help="Of its passages, the share that people likeliest ask about.")] = 1.0,
    answers: Annotated[
        str, typer.Option(metavar="LIST", help="What may be an answer: names, phrases, spans (learned).")
    ] = "names,phrases",
    per_answer: Annotated[int, typer.Option("--per-answer", help="Questions kept for one answer, at most.")] = 2,
    keeping: Annotated[
        Literal["none", "local", "global"],
        typer.Option("--filter", help="Keep questions whose answer is found in their passage (local), or anywhere."),
    ] = "global",
    generator: Annotated[
        str,
        typer.Option(metavar="NAME", help="syntactic, endpoint (a language model), stated, or a BART or T5's folder."),
    ] = "syntactic",
    processes: Annotated[int, typer.Option(min=0, help="Processes that work; 0: one a processor.")] = 0,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the files of the stages, which hold the text.")] = False,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What the index may take, with its model: 500MB.")
    ] = None,
) -> None:
    """Make questions of the passages of an enclave, with their answers.

    What a text asks and answers itself is taken as it stands, with the generator "stated" that alone. Only new passages
    are worked on the second time. Stopped half-way, the same command goes on. Needs
    the extra `pairs`.
    """
    from answerable.qapairs.index.budget import in_words
    from answerable.workspace.pair_stages import Wanted

    named = tuple(dict.fromkeys(name.strip() for name in answers.split(",")))
    wanted = Wanted(share, named, per_answer, keeping, generator)
    with workspace_of(shell) as opened, reporting(shell) as progress:
        try:
            made, index = opened.pairs.build(enclave, wanted, processes, keep, budget, progress)
        except KeyboardInterrupt:
            shell.note("stopped; what was finished is kept. The same command goes on.", style="yellow")
            raise typer.Exit(Exit.INTERRUPTED) from None
    shell.emit({**asdict(made), "index": asdict(index)})
    extracted, asked = made.counts.get("extract", {}), made.counts.get("generate", {})
    kept = next((count for name, count in made.counts.get("filter", {}).items() if name.startswith("kept")), None)
    shell.say(f"{enclave}: {made.chosen:,} of {made.passages:,} new passages in {made.seconds:.1f} s")
    told = f"{extracted.get('answers', 0):,} answers, {asked.get('questions', 0):,} questions"
    shell.say(told if kept is None else f"{told}, {kept:,} kept by the filter {keeping}")
    shell.say(f"{made.pairs:,} pairs in all; indexed {index.pairs:,} in {in_words(index.bytes)}: {index.why}")
    shell.abstain_without(made.pairs)


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
    format: Annotated[
        Literal["qa", "metadata"], typer.Option("--format", help="qa: questions and answers; metadata: with passages.")
    ] = "metadata",
) -> None:
    """Write the pairs of one enclave in one of PAQ's formats.

    Every line carries the enclave and its label.
    """
    with workspace_of(shell) as opened:
        done = opened.pairs.export(target, enclave, format)
    label = sorted(done.label)
    shell.emit({"enclave": enclave, "label": label, "pairs": done.pairs, "format": done.style, "file": str(done.file)})
    shell.say(f"Wrote {done.pairs:,} pairs to {target}.")
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

    Lines of JSON, or questions and answers with a tab between them; gzip is read too. All of a file is kept, or none.
    """
    with workspace_of(shell) as opened, reporting(shell) as reporter:
        done = opened.pairs.import_(file, enclave, source, reporter)
    shell.emit(asdict(done))
    before = f", in place of {done.removed:,}" if done.removed else ""
    shell.say(f"Kept {done.pairs:,} pairs from {done.source}{before}; {done.placed:,} of them have a passage here.")
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
        what = f"{one.pairs:,} of {one.of:,} pairs, {one.encoded:,} questions encoded, {one.bytes / 1e6:,.1f} MB"
        shell.say(Text(one.enclave, style="bold"), f": {what}; {one.why}")
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
    shell.say(f"Removed {removed:,} pairs of {source}.")


def _show(shell: Shell, row: PairStats) -> None:
    shell.say(Text(row.enclave, style="bold"), f": {row.pairs:,} pairs, {row.placed:,} with a passage; ",
              f"{row.answers:,} answers; {row.passages:,} passages")  # fmt: skip
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
        table.add_row(Text(one.name), how, f"{one.pairs:,}", f"{one.worked:,}")
    shell.out.print(table)


app = typer.Typer(help="Work out questions with their answers beforehand.", no_args_is_help=True, rich_markup_mode=None)
COMMANDS: dict[str, Callable[..., None]] = {
    "build": build,
    "ask": pairs_ask.run,
    "stats": stats,
    "export": export,
    "import": import_,
    "index": index,
    "remove": remove,
}
for _name, _run in COMMANDS.items():
    app.command(_name)(command(_run))
