"""`answerable-bench sets`: a benchmark of queries whose answers are sets, from documents with categories."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.options import command
from answerable.cli.shell import Exit, Plain, Shell
from answerable.errors import UsageError
from answerable_bench.cli import counted, exported, given_out, resumable, tell
from answerable_bench.sets.settings import CONDITIONS, SetPlan

if TYPE_CHECKING:
    from answerable_bench.sets.queries import SetQuery
    from answerable_bench.sets.rounds import Read, Round, Task

NAME = "sets"
PLAN = SetPlan()

app = typer.Typer(
    help='Build queries with "and", "or" and "not" from documents with categories; have them judged.',
    no_args_is_help=True,
)
Built = Annotated[Path, typer.Argument(metavar="DIR", help="What `sets build` wrote.", show_default=False)]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A round that is given out, and of which queries, or taken in."""

    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write a table, or a page where it ends in .html.")
    ] = None
    take: Annotated[
        list[Path] | None, typer.Option("--import", metavar="FILE", help="Take answers back; may be repeated.")
    ] = None
    annotator: Annotated[str, typer.Option("--annotator", metavar="NAME", help="Who is to answer.")] = "1"
    split: Annotated[
        str | None, typer.Option("--split", metavar="NAME", help="Queries of one split: train, val, test.")
    ] = None
    sample: Annotated[int | None, typer.Option("--sample", help="So many queries, drawn by chance.")] = None


@app.command("build")
@command
def build(
    shell: Plain,
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
) -> None:
    """Compose queries of seven templates from categories. Stopped half-way, the same command resumes.

    Where the conditions leave fewer queries than are asked for, that is told by template; nothing is loosened.
    """
    from answerable_bench.sets.build import build as make
    from answerable_bench.sets.settings import SetSources, with_conditions
    from answerable_bench.sets.write import STATISTICS, markdown

    nouns = tuple(noun or PLAN.nouns)
    plan = with_conditions(SetPlan(seed, queries, domain=domain, nouns=nouns, plain=plain), condition)
    sources = SetSources(documents, categories, graph, tuple(attribute or ()), tuple(modifier or ()))
    with resumable(shell) as progress:
        done = make(sources, out, plan, progress)
    if not tell(shell, out, done, STATISTICS, markdown)["queries"]:
        raise typer.Exit(Exit.ABSTAINED)


@app.command("statistics")
@command
def statistics(shell: Plain, folder: Built) -> None:
    """The tables of a benchmark once more, with what people said of it."""
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.write import STATISTICS, markdown

    plan_of(folder)
    told: dict[str, Any] = json.loads((folder / STATISTICS).read_text("utf-8"))
    shell.emit({"folder": str(folder), "statistics": told})
    shell.say(markdown(told), wrap=False)


@app.command("paraphrase")
@command
def paraphrase(shell: Plain, folder: Built, exchanged: Exchanged) -> None:
    """Have people put the queries in other words; the splits are written again."""
    from answerable_bench.sets import paraphrase as room

    _round(shell, room.PARAPHRASING, room.tasks, room.read, folder, exchanged)


@app.command("validate")
@command
def validate(shell: Plain, folder: Built, exchanged: Exchanged) -> None:
    """Have people judge the queries: fluent, of the same meaning, natural. What most speak against leaves."""
    from answerable_bench.sets import validate as room

    _round(shell, room.VALIDATION, room.tasks, room.read, folder, exchanged)


@app.command("label")
@command
def label(shell: Plain, folder: Built, exchanged: Exchanged) -> None:
    """Have people judge each document of a query, and point at the sentences that show it. What does not fit leaves.

    Tables and pages hold text of the documents.
    """
    from answerable_bench.sets import label as room

    _round(shell, room.LABELLING, partial(room.tasks, folder), room.read, folder, exchanged)


@app.command("pool")
@command
def pool(
    shell: Plain,
    folder: Built,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs of `answerable evaluate finding`.")],
    k: Annotated[int, typer.Option("--k", help="The first documents of each query in a run.")] = 10,
) -> None:
    """Pool what systems found, for `label` to judge beside the answers, and for `errors`."""
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.pooled import pool as pools
    from answerable_bench.sets.write import judgements

    plan_of(folder)
    counted(shell, folder, pooled=pools(folder, judgements(folder).valid, runs, k))


@app.command("errors")
@command
def errors(shell: Plain, folder: Built, exchanged: Exchanged) -> None:
    """Have people say which constraints each wrong document of the pool breaks: the paper's table 6."""
    from answerable_bench.sets import errors as room

    _round(shell, room.ERRORS, partial(room.tasks, folder), room.read, folder, exchanged)


def _round(
    shell: Shell,
    one: Round,
    tasks: Callable[[list[SetQuery]], list[Task]],
    read: Read,
    folder: Path,
    exchanged: Exchanged,
) -> None:
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.queries import read_queries
    from answerable_bench.sets.rounds import give_out, take_in
    from answerable_bench.sets.write import judgements, write_benchmark

    export, take = exchanged.export, exchanged.take
    given_out(export, take, "round")
    plan = plan_of(folder)
    said = judgements(folder)
    queries = {"paraphrase": read_queries(folder), "validate": said.asked, "label": said.valid, "errors": said.kept}[
        one.name
    ]
    if export is not None:
        count = give_out(one, folder, tasks(_part(queries, exchanged, plan.seed)), export, exchanged.annotator)
        return exported(shell, folder, count, export, "tasks")
    known = tasks(list(queries))
    counts: dict[str, Any] = {}
    for path in take or ():
        counts = take_in(one, folder, known, path, read)
    counted(shell, folder, answers=counts, splits=write_benchmark(folder, plan))


def _part(queries: Any, exchanged: Exchanged, seed: int) -> list[SetQuery]:
    """The queries of a split, or so many of them. Raises `UsageError` for a split that there is not."""
    from answerable_bench.sets.settings import SPLITS

    split, sample = exchanged.split, exchanged.sample
    if split is not None and split not in SPLITS:
        raise UsageError(f"there is no split {split!r}", hint=", ".join(SPLITS))
    found = [query for query in queries if split in (None, query.split)]
    if sample is None or sample >= len(found):
        return found
    chosen = {query.id for query in random.Random(seed).sample(found, max(0, sample))}
    return [query for query in found if query.id in chosen]
