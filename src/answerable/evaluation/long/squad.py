"""Questions in the SQuAD format as long documents: articles, privacy policies, and NQ's paragraphs packed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from answerable.corpora.paragraphs import Span
from answerable.datasets.parts import question_part, share, squad_part
from answerable.datasets.records import Record, elements, lines, unique
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import Sheet

_POLICY_DEVELOPMENT = 0.15
_PACKED, _PACKED_REPORT = 30, 15
"""Paragraphs of NQ in one document, and how many of them are asked about in the report; the rest is other text."""


def squad(data: Path, part: str) -> Iterator[LongDocument]:
    """SQuAD 1.1, an article a document; the other articles of its training set are for training alone."""
    names = ("squad1.1.json.gz", "squad-train-part.json.gz")
    for name in names if part == "train" else names[:1]:
        for article in elements(data / "squad" / name, under="data"):
            title = article.words("title")
            if name != names[0] or squad_part(title) == part:
                yield _article(article, f"squad-{title}", title.replace("_", " "), f"squad/{name}")


def policyqa(data: Path, part: str) -> Iterator[LongDocument]:
    """PolicyQA, the policy of a site a document: its segments in the file's order."""
    name = "test.json.gz" if part == "report" else "dev.json.gz"
    for article in elements(data / "policyqa" / name, under="data"):
        site = article.text("title")
        if part == "report" or (share(site) < _POLICY_DEVELOPMENT) == (part == "development"):
            yield _article(article, f"policyqa-{site}", site, f"policyqa/{name}")


def _article(article: Record, id_: str, title: str, source: str) -> LongDocument:
    sheet = Sheet()
    questions: list[LongQuestion] = []
    for paragraph in article.records("paragraphs"):
        questions += questions_of(paragraph, sheet.paragraph(paragraph.text("context")))
    return LongDocument(sheet.finish(id_, title, source), tuple(questions), tuple(sheet.paragraphs))


def questions_of(paragraph: Record, start: int) -> Iterator[LongQuestion]:
    """The questions of a paragraph that stands at `start` in its document, but for those that it does not answer: one
    hop to where the answers of all annotators stand."""
    context = paragraph.text("context")
    for item in paragraph.records("qas"):
        if "is_impossible" in item and item.field("is_impossible", bool):
            continue
        found = [_place(context, answer) for answer in item.records("answers")]
        spans = unique([(start + begin, start + end) for begin, end in found if end > begin])
        if spans:
            answers = unique([context[begin:end] for begin, end in found if end > begin])
            yield LongQuestion(item.name("id"), item.text("question").strip(), answers, (spans,))


def _place(context: str, answer: Record) -> Span:
    """Where an answer stands without the blanks around it: some starts are a character off. (0, 0) for nowhere."""
    text = answer.text("text").strip()
    begin = context.find(text, max(0, answer.field("answer_start", int) - 1))
    return (begin, begin + len(text)) if begin >= 0 else (0, 0)


def nq(data: Path, part: str) -> Iterator[LongDocument]:
    """NQ's paragraphs under the titles of their pages, packed; in the report with as many that nothing is asked of."""
    name = "nq-dev.json.gz" if part == "report" else "nq-train.json.gz"
    asked = (
        (article.words("title") or f"nq-{article.number - 1}", paragraph)
        for article in elements(data / "nq" / name, under="data")
        for paragraph in article.records("paragraphs")
    )
    if part != "report":
        kept = [pair for pair in asked if question_part(pair[0]) == part]
        for first in range(0, len(kept), _PACKED):
            yield _packed(kept[first : first + _PACKED], f"nq-{part}-{first // _PACKED + 1}", name)
        return
    held = list(asked)
    gold = {paragraph.text("context").strip() for _, paragraph in held}
    gold_ids = {item.name("passage") for _, paragraph in held for item in paragraph.records("qas") if "passage" in item}
    others = [row for row in lines(data / "nq/nq-passages.jsonl.gz") if row.name("_id") not in gold_ids]
    for first in range(0, len(held), _PACKED_REPORT):
        number, batch = first // _PACKED_REPORT + 1, held[first : first + _PACKED_REPORT]
        rng = random.Random(f"nq {number}")
        drawn = [row for row in rng.sample(others, min(_PACKED, len(others))) if row.text("text").strip() not in gold]
        mixed: list[tuple[str, Record]] = [*batch]
        mixed += [(row.words("title"), row) for row in drawn[: _PACKED - len(batch)]]
        rng.shuffle(mixed)
        yield _packed(mixed, f"nq-{part}-{number}", name)


def _packed(paragraphs: list[tuple[str, Record]], id_: str, name: str) -> LongDocument:
    sheet = Sheet()
    questions: list[LongQuestion] = []
    above = None
    for title, paragraph in paragraphs:
        if title != above:
            sheet.heading(title)
        above = title
        start = sheet.paragraph(paragraph.text("context", "text"))
        if "qas" in paragraph:
            questions += questions_of(paragraph, start)
    return LongDocument(sheet.finish(id_, "", f"nq/{name}"), tuple(questions), tuple(sheet.paragraphs))
