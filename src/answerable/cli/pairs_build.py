"""`answerable pairs build`: from passages to questions with their answers."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Shell, workspace_of


class Filter(StrEnum):
    """Which questions are kept."""

    NONE = "none"
    LOCAL = "local"
    GLOBAL = "global"


def run(
    shell: Shell,
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="Whose passages are asked about.")],
    share: Annotated[float, typer.Option(help="Of its passages, the share that people likeliest ask about.")] = 1.0,
    answers: Annotated[
        str, typer.Option(metavar="LIST", help="What may be an answer: names, phrases, spans (learned).")
    ] = "names,phrases",
    per_answer: Annotated[int, typer.Option("--per-answer", help="Questions kept for one answer, at most.")] = 2,
    keeping: Annotated[
        Filter,
        typer.Option("--filter", help="Keep questions whose answer is found in their passage (local), or anywhere."),
    ] = Filter.GLOBAL,
    generator: Annotated[
        str, typer.Option(metavar="NAME", help="syntactic, or the folder of a BART or T5.")
    ] = "syntactic",
    processes: Annotated[int, typer.Option(min=0, help="Processes that work; 0: one a processor.")] = 0,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the files of the stages, which hold the text.")] = False,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What the index may take, with its model: 500MB.")
    ] = None,
) -> None:
    """Make questions of the passages of an enclave, with their answers.

    Only new passages are worked on the second time. Stopped half-way, the same command goes on. Needs
    the extra `pairs`.
    """
    from answerable.qapairs.index.budget import in_words
    from answerable.workspace.pair_stages import Wanted

    named = tuple(dict.fromkeys(name.strip() for name in answers.split(",")))
    wanted = Wanted(share, named, per_answer, keeping.value, generator)
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
    shell.say(told if kept is None else f"{told}, {kept:,} kept by the filter {keeping.value}")
    shell.say(f"{made.pairs:,} pairs in all; indexed {index.pairs:,} in {in_words(index.bytes)}: {index.why}")
    if not made.pairs:
        raise typer.Exit(Exit.ABSTAINED)
