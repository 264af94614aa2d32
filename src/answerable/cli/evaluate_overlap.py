"""`answerable evaluate closed-book` and `overlap`: what was learned by heart, and what a training set has already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.shell import Json, Shell
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.evaluation.examples import Example
    from answerable.evaluation.pairs.overlap import Encode, Overlap

CLOSED_BOOK, OVERLAP = "closed-book", "overlap"
Questions = Annotated[Path, typer.Option("--data", metavar="FILE", help="The questions to be answered.")]
Trained = Annotated[Path, typer.Option("--train", metavar="FILE", help="The questions that were learned from.")]
EncoderName = Annotated[str, typer.Option("--encoder", metavar="NAME", help="Whose vectors tell paraphrases.")]
Cut = Annotated[float | None, typer.Option("--cut", help="Cosine from which on two questions ask the same (0.8).")]
Limit = Annotated[int | None, typer.Option("--limit", help="Questions to draw from the data.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the same questions.")]
Threads = Annotated[int, typer.Option("--threads", help="Processors a model may use; 0: all.")]


def closed_book(
    context: typer.Context,
    model: Annotated[str, typer.Option("--model", metavar="FOLDER", help="A model of recipes/closed-book.toml.")],
    data: Questions,
    train: Trained,
    encoder: EncoderName = "minilm",
    cut: Cut = None,
    limit: Limit = None,
    seed: Seed = 0,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Measure a model that answers from its weights alone, by what its training questions have of each question.

    Needs the extra `transformers`. The splits are those of `evaluate overlap`.
    """
    from answerable.evaluation.pairs.closed_book import measured
    from answerable.pairs.closed_book import ClosedBook

    shell = Shell.of(context, None, as_json)
    tested, splits = _split(data, train, encoder, cut, limit, seed, threads)
    opened = ClosedBook(model, threads)
    found = measured(tested, splits, opened.answer)
    shell.emit({"model": opened.name, "label": sorted(opened.label), **_told(data, train, encoder, cut), **found})
    for name, one in found.items():
        em = "   -" if one["EM"] is None else f"{100 * one['EM']:4.1f}"
        shell.say(f"{name:<20} EM {em}  of {one['questions']:,} questions")


def overlap(
    context: typer.Context,
    data: Questions,
    train: Trained,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the questions there as JSONL, the split as their `kind`."),
    ] = None,
    encoder: EncoderName = "minilm",
    cut: Cut = None,
    limit: Limit = None,
    seed: Seed = 0,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Tell questions that a training set has, those of which it has the answer only, and others.

    With --out, any other task can be measured by these splits: `evaluate pairs --data FILE` slices by `kind`.
    """
    from answerable.evaluation.pairs.overlap import Overlap

    shell = Shell.of(context, None, as_json)
    tested, splits = _split(data, train, encoder, cut, limit, seed, threads)
    if out is not None:
        _write(out, tested, splits)
        shell.note(f"questions: {out}")
    counts = {one.value: splits.count(one) for one in Overlap}
    shell.emit({**_told(data, train, encoder, cut), "questions": len(tested), **counts})
    for name, count in counts.items():
        shell.say(f"{name:<20} {count:>6,}  {100 * count / len(tested):4.1f} %")


def _split(
    data: Path, train: Path, encoder: str, cut: float | None, limit: int | None, seed: int, threads: int
) -> tuple[list[Example], list[Overlap]]:
    """The questions drawn that have an answer, and the split of each."""
    from answerable.evaluation.datasets.load import load
    from answerable.evaluation.pairs.overlap import CUT, overlaps
    from answerable.evaluation.tasks.data import Data

    if cut is not None and not -1 <= cut <= 1:
        raise UsageError(f"the cut is {cut:g}, and a cosine is from -1 to 1", hint=f"--cut {CUT}")
    tested = [one for one in Data(data, None, limit, seed).survey().examples() if one.answers]
    trained = [one for one in load(train) if one.answers]
    for path, ones in ((data, tested), (train, trained)):
        if not ones:
            raise UsageError(f"{path} holds no question with an answer")
    return tested, overlaps(tested, trained, _encode(encoder, threads), CUT if cut is None else cut)


def _encode(name: str, threads: int) -> Encode:
    from answerable.encoders.choose import open_encoder

    opened = open_encoder(name, threads)
    return lambda questions: opened.encode_passages([("", question) for question in questions])


def _told(data: Path, train: Path, encoder: str, cut: float | None) -> dict[str, Any]:
    from answerable.evaluation.pairs.overlap import CUT

    return {"data": data.name, "train": train.name, "encoder": encoder, "cut": CUT if cut is None else cut}


def _write(path: Path, examples: Sequence[Example], splits: Sequence[Overlap]) -> None:
    """Questions in the form of one's own. Raises `UsageError` where the file cannot be written."""
    rows = [
        {"id": one.id, "question": one.question, "answers": list(one.answers), "kind": split.value}
        for one, split in zip(examples, splits, strict=True)
    ]
    part = path.with_name(path.name + ".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
