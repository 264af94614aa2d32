"""`answerable-bench sets paraphrase`, `validate` and `label`: rounds of questions to people, or to a model."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Json, Shell
from answerable.errors import UsageError
from answerable.remote.chat import read_key

if TYPE_CHECKING:
    from answerable_bench.sets.forms import Round, Task
    from answerable_bench.sets.queries import SetQuery
    from answerable_bench.sets.rounds import Read

Built = Annotated[
    Path, typer.Argument(metavar="DIR", help="What `answerable-bench sets build` wrote.", show_default=False)
]
Export = Annotated[
    Path | None, typer.Option("--export", metavar="FILE", help="Write a table, or a page where it ends in .html.")
]
Import = Annotated[
    list[Path] | None, typer.Option("--import", metavar="FILE", help="Take answers back; may be repeated.")
]
Annotator = Annotated[str, typer.Option("--annotator", metavar="NAME", help="Who is to answer.")]
Split = Annotated[str | None, typer.Option("--split", metavar="NAME", help="Queries of one split: train, val, test.")]
Sample = Annotated[int | None, typer.Option("--sample", help="So many queries, drawn by chance.")]


def paraphrase(
    context: typer.Context,
    folder: Built,
    export: Export = None,
    take: Import = None,
    annotator: Annotator = "1",
    split: Split = None,
    sample: Sample = None,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="A model to be sent PUBLIC queries, at .../v1.")
    ] = None,
    private_endpoint: Annotated[
        str | None, typer.Option("--private-endpoint", metavar="URL", help="A model that may be sent PRIVATE queries.")
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model's name there.")] = "",
    key_file: Annotated[
        Path | None, typer.Option("--key-file", metavar="FILE", help="A file with the key for the endpoint.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Have the queries put in other words, by people or by a model; the splits are written again.

    Nothing is sent anywhere unless an endpoint is named, and queries of a benchmark that was not built with --public
    only go to --private-endpoint.
    """
    from answerable_bench.sets import paraphrase as room

    shell = Shell.of(context, None, as_json)
    if not (endpoint or private_endpoint):
        if model or key_file:
            raise UsageError("--model and --key-file are for an endpoint", hint="--endpoint or --private-endpoint URL")
        _round(shell, room.PARAPHRASING, room.tasks, room.read, folder, export, take, annotator, (split, sample))
        return
    if export or take or (endpoint and private_endpoint):
        raise UsageError("an endpoint is asked on its own", hint="--endpoint URL or --private-endpoint URL, alone")
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.write import write_benchmark

    plan = plan_of(folder)
    key = read_key(key_file) if key_file else None
    writer = room.Writer(private_endpoint or endpoint or "", model, private_endpoint is not None, key)
    with reporting(shell) as progress:
        counts = room.write(folder, writer, plan.public, progress)
    splits = write_benchmark(folder, plan)
    shell.emit({"folder": str(folder), "paraphrases": counts, "splits": splits})
    _say(shell, counts, splits)


def validate(
    context: typer.Context,
    folder: Built,
    export: Export = None,
    take: Import = None,
    annotator: Annotator = "1",
    split: Split = None,
    sample: Sample = None,
    as_json: Json = False,
) -> None:
    """Have people judge the queries: fluent, of the same meaning, natural. What most speak against leaves."""
    from answerable_bench.sets import validate as room

    shell = Shell.of(context, None, as_json)
    _round(shell, room.VALIDATION, room.tasks, room.read, folder, export, take, annotator, (split, sample))


def label(
    context: typer.Context,
    folder: Built,
    export: Export = None,
    take: Import = None,
    annotator: Annotator = "1",
    split: Split = None,
    sample: Sample = None,
    as_json: Json = False,
) -> None:
    """Have people judge each document of a query, and point at the sentences that show it. What does not fit leaves.

    Tables and pages hold text of the documents.
    """
    from answerable_bench.sets import label as room

    shell = Shell.of(context, None, as_json)

    def tasks(queries: list[SetQuery]) -> list[Task]:
        return room.tasks(folder, queries)

    _round(shell, room.LABELLING, tasks, room.read, folder, export, take, annotator, (split, sample))


COMMANDS: Mapping[str, Callable[..., None]] = {"paraphrase": paraphrase, "validate": validate, "label": label}
"""The rounds by the names they are called."""


def _round(
    shell: Shell,
    one: Round,
    tasks: Callable[[list[SetQuery]], list[Task]],
    read: Read,
    folder: Path,
    export: Path | None,
    take: list[Path] | None,
    annotator: str,
    part: tuple[str | None, int | None],
) -> None:
    """Give a round out or take it in."""
    from answerable_bench.sets.build import plan_of
    from answerable_bench.sets.judged import judgements
    from answerable_bench.sets.queries import read_queries
    from answerable_bench.sets.rounds import give_out, take_in
    from answerable_bench.sets.write import write_benchmark

    if (export is None) == (not take):
        raise UsageError("a round is either given out or taken in", hint="--export FILE or --import FILE")
    plan = plan_of(folder)
    said = judgements(folder)
    queries = {"paraphrase": read_queries(folder), "validate": said.asked, "label": said.valid}[one.name]
    if export is not None:
        count = give_out(one, folder, tasks(_part(queries, part, plan.seed)), export, annotator)
        shell.emit({"folder": str(folder), "exported": count, "file": str(export)})
        shell.say(f"{count:,} tasks in {export}")
        return
    known = tasks(list(queries))
    counts: dict[str, Any] = {}
    for path in take or ():
        counts = take_in(one, folder, known, path, read)
    splits = write_benchmark(folder, plan)
    shell.emit({"folder": str(folder), "answers": counts, "splits": splits})
    _say(shell, counts, splits)


def _part(queries: Any, part: tuple[str | None, int | None], seed: int) -> list[SetQuery]:
    """The queries of a split, or so many of them. Raises `UsageError` for a split that there is not."""
    from answerable_bench.sets.settings import SPLITS

    split, sample = part
    if split is not None and split not in SPLITS:
        raise UsageError(f"there is no split {split!r}", hint=", ".join(SPLITS))
    found = [query for query in queries if split in (None, query.split)]
    if sample is None or sample >= len(found):
        return found
    chosen = {query.id for query in random.Random(seed).sample(found, max(0, sample))}
    return [query for query in found if query.id in chosen]


def _say(shell: Shell, *counted: Mapping[str, int]) -> None:
    for counts in counted:
        shell.say(", ".join(f"{name} {count:,}" for name, count in counts.items()))
