"""Questions asked of all of Wikipedia, without a passage: NQ-open, TriviaQA, WebQuestions, EntityQuestions, PAQ."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, check, elements, lines, rows, unique

_DESCRIPTION = re.compile(r'\(description (?:"((?:[^"\\]|\\.)*)"|([^()]*))\)')


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
        yield Example(_id(row), row.text("question"), _answers(row), supporting, kind=row.words("kind"))


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


def entityquestions(path: Path) -> Iterator[Example]:
    """Simple questions on entities, a file for each relation (Sciavolino et al. 2021), a JSON array or JSONL.

    https://github.com/princeton-nlp/EntityQuestions, folder dataset; see there for the licence. `kind` is the relation,
    from a name such as `P19.test.json`; ids begin with it.
    """
    relation = path.name.split(".")[0]
    for row in any_objects(path):
        yield Example(f"{relation}-{row.number}", row.text("question"), _answers(row), kind=relation)


def webquestions(path: Path) -> Iterator[Example]:
    """Questions over Freebase (Berant et al. 2013), a JSON array of `utterance`, `targetValue` and `url`.

    https://nlp.stanford.edu/software/sempre/, CC BY 4.0. The answers are the descriptions in `targetValue`.
    """
    for row in elements(path):
        found = _DESCRIPTION.findall(row.text("targetValue"))
        if not found:
            raise row.broken("targetValue", "holds no (description ...)")
        answers = unique(re.sub(r"\\(.)", r"\1", quoted) or bare.strip() for quoted, bare in found)
        yield Example(str(row.number), row.text("utterance"), answers, meta={"url": row.words("url")})


def triviaqa(path: Path) -> Iterator[Example]:
    """Trivia questions (Joshi et al. 2017): the `qa/*.json` of triviaqa-rc and `unfiltered-web-*.json`.

    https://nlp.cs.washington.edu/triviaqa/; the questions' copyright is their authors'. Answers are the value, its
    aliases, their normalised forms and what people wrote (the official script accepts the last two); `supporting` the
    titles of the Wikipedia pages given.
    """
    for row in elements(path, under="Data"):
        gold = row.record("Answer")
        answers = [gold.text("Value"), *gold.texts("Aliases"), *gold.texts("NormalizedAliases")]
        if "HumanAnswers" in gold:
            answers += gold.texts("HumanAnswers")
        pages = row.records("EntityPages") if "EntityPages" in row else iter(())
        yield Example(
            id=row.name("QuestionId"),
            question=row.text("Question"),
            answers=unique(answers),
            supporting=unique(page.text("Title") for page in pages),
            kind=gold.words("Type"),
            meta={"source": row.words("QuestionSource")},
        )


def paq(path: Path) -> Iterator[Example]:
    """PAQ's metadata (Lewis et al. 2021): generated questions with the passages they were made of, JSONL.

    https://github.com/facebookresearch/PAQ, `PAQ.metadata.jsonl.gz` and `PAQ.unfiltered_metadata.jsonl.gz`,
    CC BY-SA 3.0. The answer is the consistency filter's; `supporting` are ids of `psgs_w100.tsv`; `kind` the subsets,
    joined by `+`; meta: `passage_score`, `spans` (passage, offset, text, extractor) and, unfiltered, `consistent`.
    """
    for row in lines(path):
        spans = [
            (span.name("passage_id"), span.field("offset", int), span.text("text"), span.words("extractor"))
            for span in row.records("answers")
        ]
        meta = {"passage_score": row.field("passage_score", float), "spans": tuple(spans)}
        if "consistent" in row:
            meta["consistent"] = row.field("consistent", bool)
        yield Example(
            id=str(row.number),
            question=row.text("question"),
            answers=(row.text("answer", "canonical_answer"),),
            supporting=unique(span[0] for span in spans),
            kind="+".join(row.texts("subsets")),
            meta=meta,
        )


def _id(row: Record) -> str:
    for name in ("_id", "id"):
        if name in row:
            return row.name(name)
    return str(row.number)


def _answers(row: Record) -> tuple[str, ...]:
    name = row.one_of("answers", "answer")
    return (row.text(name),) if isinstance(row.fields[name], str) else unique(row.texts(name))
