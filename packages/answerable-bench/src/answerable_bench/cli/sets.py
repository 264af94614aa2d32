"""`answerable-bench sets`: a benchmark of queries whose answers are sets, from documents with categories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Json, Shell
from answerable_bench.cli import set_rounds
from answerable_bench.sets.settings import CONDITIONS, SetPlan
from answerable_bench.stages import Done

NAME = "sets"
PLAN = SetPlan()

app = typer.Typer(
    help='Build queries with "and", "or" and "not" from documents with categories; have them judged.',
    no_args_is_help=True,
)
Built = Annotated[Path, typer.Argument(metavar="DIR", help="What `sets build` wrote.", show_default=False)]


@app.command("build")
def build(
    context: typer.Context,
    documents: Annotated[
        Path, typer.Argument(metavar="DOCS", help="JSONL: _id, title, text, categories.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
    categories: Annotated[
        Path | None, typer.Option("--categories", metavar="FILE", help="JSON: a name and kind of each category.")
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="FILE", help="JSON: the parents of each category.")
    ] = None,
    attribute: Annotated[
        list[str] | None,
        typer.Option("--attribute", metavar="FIELD=WORDS", help="Categories of a field: 'year=films from {}'."),
    ] = None,
    modifier: Annotated[
        list[str] | None,
        typer.Option("--modifier", metavar="FIELD=WORDS", help="The same, for words that follow a noun."),
    ] = None,
    domain: Annotated[str, typer.Option("--domain", metavar="NAME", help="What it is about, in the records.")] = "",
    noun: Annotated[
        list[str] | None, typer.Option("--noun", metavar="WORD", help="What documents are called: films.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other queries.")] = PLAN.seed,
    queries: Annotated[int, typer.Option("--queries", help="Queries of each template.")] = PLAN.queries,
    condition: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help=f"Instead of the paper's: {', '.join(CONDITIONS)}."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Queries as composed, not phrased freely.")] = PLAN.plain,
    public: Annotated[bool, typer.Option("--public", help="Categories that any model may be sent.")] = PLAN.public,
    as_json: Json = False,
) -> None:
    """Compose queries of seven templates from categories. Stopped half-way, the same command resumes.

    Where the conditions leave fewer queries than are asked for, that is told by template; nothing is loosened.
    """
    from answerable_bench.sets.build import build as make
    from answerable_bench.sets.settings import SetSources, with_conditions

    shell = Shell.of(context, None, as_json)
    nouns = tuple(noun or PLAN.nouns)
    plan = with_conditions(SetPlan(seed, queries, domain=domain, nouns=nouns, plain=plain, public=public), condition)
    sources = SetSources(documents, categories, graph, tuple(attribute or ()), tuple(modifier or ()))
    try:
        with reporting(shell) as progress:
            done = make(sources, out, plan, progress)
    except KeyboardInterrupt:
        shell.note("stopped; the stages that were finished are kept. The same command resumes.", style="yellow")
        raise typer.Exit(Exit.INTERRUPTED) from None
    _tell(shell, out, done)


def _tell(shell: Shell, out: Path, done: Sequence[Done]) -> None:
    """What each stage counted, and the tables."""
    from answerable_bench.sets.statistics import markdown
    from answerable_bench.sets.write import STATISTICS

    told = json.loads((out / STATISTICS).read_text("utf-8"))
    stages = {one.name: {**one.counts, "seconds": one.seconds} for one in done}
    shell.emit({"folder": str(out), "stages": stages, "statistics": told})
    for one in done:
        counts = ", ".join(f"{name} {count:,}" for name, count in one.counts.items())
        shell.say(f"{one.name}{' (kept)' if one.resumed else ''}: {counts}; {one.seconds:.0f} s")
    shell.say("\n" + markdown(told), wrap=False)
    if not told["queries"]:
        raise typer.Exit(Exit.ABSTAINED)


@app.command("recall")
def recall(
    context: typer.Context,
    recalls: Annotated[
        list[float] | None, typer.Option("--known", help="Recall of what is taken away; may be repeated.")
    ] = None,
    wanted: Annotated[float, typer.Option("--wanted", help="The precision to keep.")] = 0.83,
    as_json: Json = False,
) -> None:
    """How right a difference of incomplete sets is, by what the sets share; and how much they may share."""
    from answerable_bench.sets.recall import RECALLS, largest_overlap, seen, table

    shell = Shell.of(context, None, as_json)
    known = tuple(recalls or RECALLS)
    rows = list(table(known))
    limits = [largest_overlap(one, wanted) for one in known]
    shown = [seen(one, limit) for one, limit in zip(known, limits, strict=True)]
    shell.emit({
        "recalls": list(known),
        "precision": [{"overlap": row.overlap, "of": list(row.precisions)} for row in rows],
        "wanted": wanted,
        "largest overlap": limits,
        "largest overlap of found sets": shown,
    })  # fmt: skip
    shell.say("| overlap | " + " | ".join(f"known {one:g}" for one in known) + " |\n" + "|---" * (len(known) + 1) + "|")
    for row in rows:
        shell.say(f"| {row.overlap:g} | " + " | ".join(f"{one:.2f}" for one in row.precisions) + " |", wrap=False)
    shell.say(f"| for {wanted:g} | " + " | ".join(f"< {one:.2f}" for one in limits) + " |", wrap=False)
    shell.say("| of sets as found | " + " | ".join(f"< {one:.2f}" for one in shown) + " |", wrap=False)


@app.command("statistics")
def statistics(context: typer.Context, folder: Built, as_json: Json = False) -> None:
    """The tables of a benchmark once more, with what people said of it."""
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.statistics import markdown
    from answerable_bench.sets.write import STATISTICS

    shell = Shell.of(context, None, as_json)
    plan_of(folder)
    told: dict[str, Any] = json.loads((folder / STATISTICS).read_text("utf-8"))
    shell.emit({"folder": str(folder), "statistics": told})
    shell.say(markdown(told), wrap=False)


for name, command in set_rounds.COMMANDS.items():
    app.command(name)(command)
