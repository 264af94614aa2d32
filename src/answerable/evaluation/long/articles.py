"""Papers and articles as long documents: COVID-QA and QASPER; SQuAD, Natural Questions and PolicyQA."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from answerable.corpora.outline import Heading, nest
from answerable.corpora.paragraphs import Paragraph, Span
from answerable.datasets.parts import part_of, question_part, share, squad_part
from answerable.datasets.records import Record, elements, lines, unique
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import Sheet, alike, holding, moved, parted, reads_as_heading
from answerable.text import sentences
from answerable.types import Document

_COVID_REPORT, _COVID_DEVELOPMENT = 0.3, 0.4
_QASPER_DEVELOPMENT = 0.1
_TOGETHER = 20
"""So many paragraphs of evidence make a document."""
_GAP = re.compile(r"\n\s*\n")
_RULE = "\n-----\n"


def covidqa(data: Path, part: str) -> Iterator[LongDocument]:
    """COVID-QA, a paper a document, word for word; what stands between blank lines is a
    paragraph, or a heading if it reads as one. Few papers of the file have kept their headings."""
    for article in elements(data / "covidqa/covidqa.json.gz", under="data"):
        for paragraph in article.records("paragraphs"):
            text = paragraph.text("context")
            if part_of(text, _COVID_REPORT, _COVID_DEVELOPMENT) == part:
                title = text.strip().split("\n", 1)[0]
                headings, found = _outlined(text)
                sections = nest(headings, len(text))
                id_ = f"covidqa-{article.number}"
                document = Document(id_, "public", title, text, "covidqa/covidqa.json.gz", sections=sections)
                yield LongDocument(document, tuple(questions_of(paragraph, 0)), found)


def _outlined(text: str) -> tuple[list[Heading], tuple[Paragraph, ...]]:
    """The headings of a paper, and its paragraphs below them; the first line is its title."""
    headings: list[Heading] = []
    found: list[Paragraph] = []
    cursor = 0
    body = False
    for start, end in [*(match.span() for match in _GAP.finditer(text)), (len(text), len(text))]:
        block, here, cursor = text[cursor:start], cursor, end
        body = body or block.startswith(("Abstract:", "Text:"))
        if body and "\n" not in block and reads_as_heading(block.strip()):
            headings.append((here, 1, " ".join(block.split())))
        elif spans := moved(sentences(block), here):
            path = tuple(title for _, _, title in headings[-1:])
            found += parted(path, spans)
    return headings, tuple(found)


def qasper(data: Path, part: str) -> Iterator[LongDocument]:
    """QASPER: for the report whole papers, where the sentences that hold the answer stand for the evidence.

    Else the paragraphs that are evidence for some question, of several papers together under the papers' titles; the
    one hop is to the sentences of a question's own paragraphs whose words agree best with the answer's
    (`supervision.alike`), or to all of them when none does.
    """
    if part == "report":
        for row in lines(data / "qasper/papers.jsonl.gz"):
            if row.field("questions", list):
                yield _paper(row)
        return
    papers: list[list[Record]] = []
    for row in lines(data / "qasper/evidence.jsonl"):
        if (share(row.text("title")) < _QASPER_DEVELOPMENT) == (part == "development"):
            if not papers or papers[-1][0].text("title") != row.text("title"):
                papers.append([])
            papers[-1].append(row)
    together = _Evidence()
    number = 1
    for paper in papers:
        together.add(paper)
        if len(together.sheet.paragraphs) >= _TOGETHER:
            yield together.finish(f"qasper-{part}-{number}")
            together, number = _Evidence(), number + 1
    if together.questions:
        yield together.finish(f"qasper-{part}-{number}")


def _paper(row: Record) -> LongDocument:
    sheet = Sheet()
    sheet.paragraph(row.words("abstract"))
    for text in row.texts("paragraphs"):
        if reads_as_heading(text):
            sheet.heading(text)
        else:
            sheet.paragraph(text)
    document = sheet.finish(row.name("_id"), row.text("title"), "qasper/papers.jsonl.gz")
    spans = [span for paragraph in sheet.paragraphs for span in paragraph.sentences]
    questions = []
    for number, item in enumerate(row.records("questions"), start=1):
        answer = item.text("answer")
        found = holding(document.text, spans, [answer])
        kind = _kind(answer, bool(found))
        hops = (found,) if found and kind == "extractive" else ()
        questions.append(LongQuestion(f"{document.id}-{number}", item.text("question"), (answer,), hops, kind))
    return LongDocument(document, tuple(questions), tuple(sheet.paragraphs))


def _kind(answer: str, stands: bool) -> str:
    plain = answer.strip().rstrip(".").lower()
    return plain if plain in ("yes", "no") else "extractive" if stands else "abstractive"


@dataclass
class _Evidence:
    sheet: Sheet = field(default_factory=Sheet)
    questions: list[tuple[Record, list[int]]] = field(default_factory=list)

    def add(self, paper: list[Record]) -> None:
        """Add the questions of one paper; a paragraph that several rest on stands once."""
        places: dict[tuple[str, str], int] = {}
        self.sheet.heading(paper[0].text("title"))
        above: list[str] = []
        asked = [(row, list(_pieces(row.text("evidence")))) for row in paper]
        for heading, text in dict.fromkeys(piece for _, pieces in asked for piece in pieces):
            path = heading.split(" ::: ")
            same = next((n for n, (a, b) in enumerate(zip_longest(path, above)) if a != b), len(path))
            for depth, title in enumerate(path[same:], start=same + 2):
                self.sheet.heading(title, depth)
            if len(path) == same < len(above):
                self.sheet.heading("", same + 2)
            above = path
            self.sheet.paragraph(text)
            places[heading, text] = len(self.sheet.paragraphs) - 1
        for row, pieces in asked:
            self.questions.append((row, [places[piece] for piece in dict.fromkeys(pieces)]))

    def finish(self, id_: str) -> LongDocument:
        """All of it as one document."""
        document = self.sheet.finish(id_, "", "qasper/evidence.jsonl")
        asked = tuple(
            self._asked(document.text, row, [self.sheet.paragraphs[place] for place in places])
            for row, places in self.questions
        )
        return LongDocument(document, asked, tuple(self.sheet.paragraphs))

    def _asked(self, text: str, row: Record, evidence: Iterable[Paragraph]) -> LongQuestion:
        spans: list[Span] = [span for paragraph in evidence for span in paragraph.sentences]
        answer = row.text("answer")
        found = holding(text, spans, [answer])
        kind = _kind(answer, bool(found))
        best = (found or alike(text, spans, answer)) if kind in ("extractive", "abstractive") else ()
        hops = (tuple(best or spans),) if spans else ()
        return LongQuestion(row.name("_id"), row.text("question"), (answer,), hops, kind)


def _pieces(evidence: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of evidence, each with the line of its headings."""
    for piece in re.split(r"\n\n(?=[^\n]*\n-----\n)", evidence.strip()):
        heading, rule, text = piece.partition(_RULE)
        if not rule:
            heading, text = "", piece
        if text.strip():
            yield heading.strip(), text.strip()


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
    """PolicyQA, the policy of a site a document: its segments in the file's order.

    A question that stands more than once in a policy, each time with answers of another segment, is one with them all.
    """
    name = "test.json.gz" if part == "report" else "dev.json.gz"
    for article in elements(data / "policyqa" / name, under="data"):
        site = article.text("title")
        if part == "report" or (share(site) < _POLICY_DEVELOPMENT) == (part == "development"):
            found = _article(article, f"policyqa-{site}", site, f"policyqa/{name}")
            yield replace(found, questions=merged(found.questions))


def merged(questions: Iterable[LongQuestion]) -> tuple[LongQuestion, ...]:
    """Questions of one document and one hop, those of the same words as one: any of their answers is right."""
    same: dict[str, list[LongQuestion]] = {}
    for one in questions:
        same.setdefault(" ".join(one.text.lower().split()), []).append(one)
    return tuple(
        replace(
            some[0],
            answers=unique([a for one in some for a in one.answers]),
            hops=(tuple(sorted(unique([span for one in some for span in one.hops[0]]))),),
        )
        for some in same.values()
    )


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
