"""Questions without a passage: NQ-open and what is written like it, one's own among them; and DPR's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, check, rows, unique


def questions(path: Path) -> Iterator[Example]:
    """Records of `question` and `answer` or `answers` (a list of alternatives, or one text), JSONL or a JSON array.

    NQ-open and EfficientQA (Lee et al. 2019): https://github.com/google-research-datasets/natural-questions, folder
    nq_open, CC BY-SA 3.0. PAQ's pairs and its open TriviaQA (Lewis et al. 2021): https://github.com/facebookresearch/PAQ,
    CC BY-SA 3.0. A record without an id is called by its number. The form for questions of one's own: those may also
    have a `kind`, and as `supporting` a list of document ids, or as `evidence` a list of records with a `document`.
    """
    check(path)
    for row in any_objects(path):
        supporting: tuple[str, ...] = ()
        if "supporting" in row:
            supporting = unique(row.texts("supporting"))
        elif "evidence" in row:
            supporting = unique(one.text("document") for one in row.records("evidence"))
        name = row.name("_id", "id") if "_id" in row or "id" in row else str(row.number)
        yield Example(name, row.text("question"), _answers(row), supporting, kind=row.words("kind"))


def dpr(path: Path) -> Iterator[Example]:
    """Two columns, a question and a list of answers as Python writes it: `nq-test.qa.csv`, `trivia-test.qa.csv` and
    `webquestions-test.qa.csv` of DPR (Karpukhin et al. 2020).

    https://github.com/facebookresearch/DPR, by its download_data.py; see there for the licences.
    """
    for row in rows(path, ("question", "answers")):
        try:
            answers = ast.literal_eval(row.text("answers"))
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise row.broken("answers", "is not a list of texts") from error
        if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
            raise row.broken("answers", "is not a list of texts")
        yield Example(str(row.number), row.text("question"), unique(answers))


def _answers(row: Record) -> tuple[str, ...]:
    name = row.one_of("answers", "answer")
    return (row.text(name),) if isinstance(row.fields[name], str) else unique(row.texts(name))
