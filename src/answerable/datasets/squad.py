"""Questions over a paragraph given with them: all that comes in the SQuAD format, and BoolQ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from answerable.corpora.sources import distinct
from answerable.datasets.examples import Example
from answerable.datasets.records import Record, check, elements, lines, unique


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
