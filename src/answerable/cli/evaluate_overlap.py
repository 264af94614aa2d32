"""`answerable evaluate overlap`: what a training set has of the questions that are asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.evaluate_given import Data, Drawn, Limit, Seed
from answerable.cli.shell import Plain
from answerable.errors import UsageError

CUT = 0.8
"""As in `evaluation.qapairs.overlap`, which takes too long to import for a default."""


def run(
    shell: Plain,
    data: Data,
    train: Annotated[
        Path, typer.Option("--train", metavar="FILE", exists=True, help="The questions that were learned from.")
    ],
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Whose vectors tell paraphrases.")] = "skills",
    cut: Annotated[
        float, typer.Option("--cut", min=-1, max=1, help="Cosine from which on two questions ask the same.")
    ] = CUT,
    limit: Limit = None,
    seed: Seed = 0,
    threads: Annotated[int, typer.Option("--threads", help="Processors a model may use; 0: all.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the questions there as JSONL, the split as their `kind`."),
    ] = None,
) -> None:
    """Tell questions that a training set has, those of which it has the answer only, and others.

    With --out, any other task can be measured by these splits: `evaluate pairs --data FILE` slices by `kind`.
    """
    from answerable.datasets.load import load
    from answerable.encoders.choose import open_encoder
    from answerable.evaluation.qapairs.overlap import Overlap, overlaps
    from answerable.privacy.small_files import write_file, writing

    tested = [one for one in Drawn(data, None, limit, seed).survey().examples() if one.answers]
    trained = [one for one in load(train) if one.answers]
    for path, ones in ((data, tested), (train, trained)):
        if not ones:
            raise UsageError(f"{path} holds no question with an answer")
    opened = open_encoder(encoder, threads)
    splits = overlaps(tested, trained, lambda asked: opened.encode_passages([("", one) for one in asked]), cut)
    if out is not None:
        rows = (
            {"id": one.id, "question": one.question, "answers": list(one.answers), "kind": split.value}
            for one, split in zip(tested, splits, strict=True)
        )
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with writing(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            write_file(out, text)
        shell.note(f"questions: {out}")
    counts = {one.value: splits.count(one) for one in Overlap}
    told = {"data": data.name, "train": train.name, "encoder": encoder, "cut": cut}
    shell.emit({**told, "questions": len(tested), **counts})
    for name, count in counts.items():
        shell.say(f"{name:<20} {count:>6,}  {100 * count / len(tested):4.1f} %")
