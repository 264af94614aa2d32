"""Questions over text given with them: all that comes in the SQuAD format, BoolQ, and tables (HybridQA, OTT-QA)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answerable.corpora.sources import distinct
from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, check, elements, lines, unique


def paragraphs(path: Path) -> Iterator[tuple[str, str, Record]]:
    """The paragraphs of a SQuAD-format file: an id (`title#article.paragraph`, counted from 1), the title, the record.

    Both the questions and the passages made of them carry these ids.
    """
    for article in elements(path, under="data"):
        title = article.words("title").replace("_", " ")
        for number, paragraph in enumerate(article.records("paragraphs"), start=1):
            yield f"{title}#{article.number}.{number}", title, paragraph


def squad(path: Path) -> Iterator[Example]:
    """Questions of a SQuAD-format file (Rajpurkar et al. 2016, 2018), one article at a time.

    SQuAD 1.1 and 2.0: https://rajpurkar.github.io/SQuAD-explorer/, CC BY-SA 4.0. In the same format: PolicyQA
    (https://github.com/wasiahmad/PolicyQA, MIT), COVID-QA (https://github.com/deepset-ai/COVID-QA, Apache 2.0), SubjQA
    (https://github.com/megagonlabs/SubjQA), NQ with its gold paragraphs. A question marked `is_impossible`, or without
    answers, has none. `supporting` is the question's own `passage` where the file gives one, else the paragraph's id;
    `kind` the question's `type`. An id that comes again gets `~2`.
    """
    check(path)
    seen: dict[str, int] = {}
    for id_, title, paragraph in paragraphs(path):
        context = paragraph.text("context")
        for item in paragraph.records("qas"):
            impossible = "is_impossible" in item and item.field("is_impossible", bool)
            answers = () if impossible else unique(answer.text("text") for answer in item.records("answers"))
            yield Example(
                id=distinct(item.name("id"), seen),
                question=item.text("question"),
                answers=answers,
                supporting=(item.name("passage") if "passage" in item else id_,),
                kind=item.words("type"),
                passages=((title, context),),
            )


def boolq(path: Path) -> Iterator[Example]:
    """Yes/no questions over a paragraph (Clark et al. 2019), JSONL.

    https://github.com/google-research-datasets/boolean-questions, CC BY-SA 3.0. Answers are `yes` and `no`; a record
    without an id is called by its number.
    """
    for row in lines(path):
        yield Example(
            id=row.name("_id") if "_id" in row else str(row.number),
            question=row.text("question"),
            answers=("yes" if row.field("answer", bool) else "no",),
            passages=((row.words("title"), row.text("passage")),),
        )


def tables(path: Path) -> Iterator[Example]:
    """HybridQA (Chen et al. 2020) and OTT-QA (Chen et al. 2021), a JSON array, traced answers or not; or JSONL.

    https://github.com/wenhuchen/HybridQA and https://github.com/wenhuchen/OTT-QA, folder released_data, MIT.
    `supporting` are the table and then the passages in which the answer was traced, by a match of strings (the authors
    warn that it may be wrong); `kind` is where the answer stands: `table`, `passage`, `calculation`, or ''. meta:
    `table`, and `evidence`: (cell, row, column, passage or None, where), rows and columns from 0.
    """
    for row in any_objects(path):
        table = row.text("table_id", "table")
        evidence = tuple(_node(node) for node in row.records("evidence")) if "evidence" in row else _nodes(row)
        places = unique([where for *_, where in evidence])
        yield Example(
            id=row.name("question_id", "_id"),
            question=row.text("question"),
            answers=(row.text("answer-text", "answer"),),
            supporting=unique([table, *(passage for _, _, _, passage, _ in evidence if passage)]),
            kind=row.words("where") or (places[0] if len(places) == 1 else ""),
            meta={"table": table, "evidence": evidence},
        )


def _node(node: Record) -> tuple[str, int, int, str | None, str]:
    passage = node.text("passage") if "passage" in node else None
    return node.text("cell"), node.field("row", int), node.field("column", int), passage, node.text("where")


def _nodes(row: Record) -> tuple[tuple[str, int, int, str | None, str], ...]:
    """The official `answer-node`: lists of cell, [row, column], passage and where."""
    found: list[tuple[str, int, int, str | None, str]] = []
    nodes: list[Any] = row.field("answer-node", list) if "answer-node" in row else []
    for node in nodes:
        match node:
            case [str(cell), [int(line), int(column)], str() | None as passage, str(where)]:
                found.append((cell, line, column, passage, where))
            case _:
                raise row.broken("answer-node", "is not a list of cell, place, passage and where")
    return tuple(found)
