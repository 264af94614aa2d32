"""`answerable-bench`: build a benchmark of questions over public and private text, and have it reviewed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.main import Door
from answerable.cli.options import command
from answerable.cli.shell import Json, Plain, Shell
from answerable_bench.cli import counted, exported, given_out, resumable, sets, tell

SHOWN = 20  # skipped files listed one by one

HELP = """Build questions over public and private text; have them reviewed.

Measure with them by `answerable evaluate`.
"""

app = typer.Typer(cls=Door, help=HELP, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
                  pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})  # fmt: skip
Out = Annotated[Path, typer.Argument(metavar="DIR", help="What `build` wrote.", show_default=False)]
Reviewed = Annotated[bool, typer.Option("--reviewed-only", help="Leave out what nobody has reviewed.")]


@app.callback()
def root(context: typer.Context, as_json: Json = False) -> None:
    """Options every command shares."""
    context.obj = Shell.of(context, as_json)


@app.command("build")
@command
def build(
    shell: Plain,
    public: Annotated[list[Path], typer.Option("--public", metavar="PATH", help="Pages: JSONL or folders.")],
    private: Annotated[list[Path], typer.Option("--private", metavar="PATH", help="Mailboxes or folders.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other pairs.")] = 1,
    pairs: Annotated[int, typer.Option("--pairs", help="Passage pairs to draw for each slice.")] = 20_000,
    comparison: Annotated[float, typer.Option("--comparison", help="Share of them that compare.")] = 0.2,
    least: Annotated[int, typer.Option("--least", help="Passages a private entity stands in, at least.")] = 5,
    written: Annotated[
        list[Path] | None,
        typer.Option("--written", metavar="FILE", help="Questions people wrote for `pairs --export`."),
    ] = None,
    reviewed_only: Reviewed = False,
) -> None:
    """Draw pairs of passages from two corpora, and take the two-hop questions that people write on them.

    Stopped half-way, the same command resumes.
    """
    from answerable_bench.build import build as make
    from answerable_bench.plan import Plan, Sources
    from answerable_bench.propose import REFUSED
    from answerable_bench.write import STATISTICS, markdown

    plan = Plan(seed=seed, pairs=pairs, comparison=comparison, least=least)
    skipped: list[str] = []
    with resumable(shell) as progress:
        sources = Sources(tuple(public), tuple(private), tuple(written or ()))
        done = make(sources, out, plan, skipped.append, progress, reviewed_only)
    for reason in skipped[:SHOWN]:
        shell.note(reason, style="yellow")
    told = tell(shell, out, done, STATISTICS, markdown)
    if not written:
        shell.note(f"pairs are drawn, to write questions on: answerable-bench pairs {out} --export FILE")
    else:
        shell.abstain_without(
            told["questions"], f"No question stands; {out / REFUSED} has what was written, with the reason."
        )


@app.command("pairs")
@command
def pairs(
    shell: Plain,
    folder: Out,
    export: Annotated[Path, typer.Option("--export", metavar="FILE", help="Write the pairs as JSON lines.")],
) -> None:
    """Give the pairs of passages out for people to write questions on; `build --written FILE` takes them in.

    The file holds private text.
    """
    from answerable_bench.written import export as give

    exported(shell, folder, give(folder, export), export, "pairs")


@app.command("review")
@command
def review(
    shell: Plain,
    folder: Out,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write the questions as CSV to be reviewed.")
    ] = None,
    take: Annotated[
        Path | None, typer.Option("--import", metavar="FILE", help="Take the verdicts of a reviewed CSV.")
    ] = None,
    reviewed_only: Reviewed = False,
) -> None:
    """Give the questions out for review as a table, and take it back: accepted, edited or rejected, with reasons.

    After an import the splits are written again. The table holds private text.
    """
    from answerable_bench.build import plan_of
    from answerable_bench.review import export as give
    from answerable_bench.review import take_in
    from answerable_bench.write import write_benchmark

    given_out(export, take, "review")
    plan = plan_of(folder)
    if export is not None:
        return exported(shell, folder, give(folder, export), export, "questions")
    assert take is not None
    verdicts = take_in(folder, take)
    counted(shell, folder, verdicts=verdicts, splits=write_benchmark(folder, plan, reviewed_only))


app.add_typer(sets.app, name=sets.NAME)


def main() -> None:
    """The console script."""
    app()
