"""`answerable evaluate closed-book` and `overlap`: what was learned by heart, and what a training set has already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.evaluate_given import Data, Drawn, Limit, Seed
from answerable.cli.shell import Json, Shell
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.datasets.examples import Example
    from answerable.evaluation.qapairs.overlap import Encode, Overlap

CLOSED_BOOK, OVERLAP = "closed-book", "overlap"
CUT = 0.8
"""As in `evaluation.qapairs.overlap`, which takes too long to import for a default."""


@dataclass(frozen=True, slots=True)
class Tested:
    """Questions to be answered beside those that were learned from, and what tells whether two ask the same."""

    data: Data
    train: Annotated[
        Path, typer.Option("--train", metavar="FILE", exists=True, help="The questions that were learned from.")
    ]
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Whose vectors tell paraphrases.")] = "minilm"
    cut: Annotated[
        float, typer.Option("--cut", min=-1, max=1, help="Cosine from which on two questions ask the same.")
    ] = CUT
    limit: Limit = None
    seed: Seed = 0
    threads: Annotated[int, typer.Option("--threads", help="Processors a model may use; 0: all.")] = 0

    def split(self) -> tuple[list[Example], list[Overlap]]:
        """The questions drawn that have an answer, and the split of each."""
        from answerable.datasets.load import load
        from answerable.evaluation.qapairs.overlap import overlaps

        tested = [one for one in Drawn(self.data, None, self.limit, self.seed).survey().examples() if one.answers]
        trained = [one for one in load(self.train) if one.answers]
        for path, ones in ((self.data, tested), (self.train, trained)):
            if not ones:
                raise UsageError(f"{path} holds no question with an answer")
        return tested, overlaps(tested, trained, _encode(self.encoder, self.threads), self.cut)

    def told(self) -> dict[str, Any]:
        """What is compared, and how."""
        return {"data": self.data.name, "train": self.train.name, "encoder": self.encoder, "cut": self.cut}


def closed_book(
    context: typer.Context,
    model: Annotated[str, typer.Option("--model", metavar="FOLDER", help="A model of recipes/closed-book.toml.")],
    asked: Tested,
    as_json: Json = False,
) -> None:
    """Measure a model that answers from its weights alone, by what its training questions have of each question.

    Needs the extra `transformers`. The splits are those of `evaluate overlap`.
    """
    from answerable.evaluation.qapairs.overlap import measured
    from answerable.qapairs.closed_book import ClosedBook

    shell = Shell.of(context, None, as_json)
    tested, splits = asked.split()
    opened = ClosedBook(model, asked.threads)
    found = measured(tested, splits, opened.answer)
    shell.emit({"model": opened.name, "label": sorted(opened.label), **asked.told(), **found})
    for name, one in found.items():
        em = "   -" if one["EM"] is None else f"{100 * one['EM']:4.1f}"
        shell.say(f"{name:<20} EM {em}  of {one['questions']:,} questions")


def overlap(
    context: typer.Context,
    asked: Tested,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the questions there as JSONL, the split as their `kind`."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell questions that a training set has, those of which it has the answer only, and others.

    With --out, any other task can be measured by these splits: `evaluate pairs --data FILE` slices by `kind`.
    """
    from answerable.evaluation.qapairs.overlap import Overlap

    shell = Shell.of(context, None, as_json)
    tested, splits = asked.split()
    if out is not None:
        _write(out, tested, splits)
        shell.note(f"questions: {out}")
    counts = {one.value: splits.count(one) for one in Overlap}
    shell.emit({**asked.told(), "questions": len(tested), **counts})
    for name, count in counts.items():
        shell.say(f"{name:<20} {count:>6,}  {100 * count / len(tested):4.1f} %")


def _encode(name: str, threads: int) -> Encode:
    from answerable.encoders.choose import open_encoder

    opened = open_encoder(name, threads)
    return lambda questions: opened.encode_passages([("", question) for question in questions])


def _write(path: Path, examples: Sequence[Example], splits: Sequence[Overlap]) -> None:
    """Questions in the form of one's own. Raises `WorkspaceError` where the file cannot be written."""
    from answerable.evaluation.report import write_text

    rows = [
        {"id": one.id, "question": one.question, "answers": list(one.answers), "kind": split.value}
        for one, split in zip(examples, splits, strict=True)
    ]
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
