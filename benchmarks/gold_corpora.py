"""A data set's own passages as the JSONL the indexer reads: `_id`, `title` and `text`, or a table's header and rows.

`_id` is what `Example.supporting` of the same data set says, so that a search over what is written here can be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from answerable.datasets.records import (
    WHOLE,
    Record,
    any_objects,
    content_id,
    joined,
    lines,
    members,
    rows,
)
from answerable.datasets.rules import snippet_id
from answerable.datasets.squad import paragraphs
from answerable.errors import FormatError, UsageError

Passage = dict[str, Any]

_EMAIL = re.compile(r"(?:Enron Email Number: )?(?:PERSONAL_)?(e\d+_p\d+)")


def objects(path: Path) -> Iterator[tuple[str, Record]]:
    """The fields of one great JSON object whose values are objects, as records."""
    for key, value, number in members(path):
        if not isinstance(value, dict):
            raise FormatError(f"{path}: record {number} is not a JSON object", hint=WHOLE)
        yield key, Record(value, path, number)


def squad(path: Path) -> Iterator[Passage]:
    """The paragraphs of a SQuAD-format file."""
    for id_, title, paragraph in paragraphs(path):
        yield _passage(id_, title, paragraph.text("context"))


def hotpotqa(path: Path) -> Iterator[Passage]:
    """The paragraphs given with the questions of HotpotQA or 2WikiMultihopQA, each title once (the first)."""
    seen: set[str] = set()
    for row in any_objects(path):
        for title, sentences in row.pairs("context", str, list):
            if not all(isinstance(sentence, str) for sentence in sentences):
                raise row.broken("context", "has a sentence that is not text")
            if title not in seen:
                seen.add(title)
                yield _passage(title, title, joined(tuple(sentences)))


def musique(path: Path) -> Iterator[Passage]:
    """The paragraphs given with the questions of MuSiQue, each once."""
    seen: set[str] = set()
    for row in lines(path):
        for paragraph in row.records("paragraphs"):
            title, text = paragraph.text("title"), paragraph.text("paragraph_text")
            id_ = content_id(title, text)
            if id_ not in seen:
                seen.add(id_)
                yield _passage(id_, title, text)


def sharc(path: Path) -> Iterator[Passage]:
    """The snippets of ShARC's questions, each once."""
    seen: set[str] = set()
    for row in any_objects(path):
        snippet = row.text("snippet")
        id_ = snippet_id(row)
        if id_ not in seen:
            seen.add(id_)
            yield _passage(id_, "", snippet)


def concurrentqa(path: Path) -> Iterator[Passage]:
    """ConcurrentQA's `enron_only_corpus.json`, `wiki_only_corpus.json` or `combined_corpus.json`, passage by passage.

    An e-mail passage is called `e856_p1`, a passage of Wikipedia by its title, as the questions call them.
    """
    for _, row in objects(path):
        title = row.text("title")
        email = _EMAIL.fullmatch(title)
        shown = (row.words("email_title") or title) if email else title
        yield _passage(email[1] if email else title, shown, row.text("text"))


def dpr(path: Path) -> Iterator[Passage]:
    """DPR's `psgs_w100.tsv`, which PAQ uses too: id, text and title of 100-word passages of Wikipedia.

    https://dl.fbaipublicfiles.com/paq/v1/psgs_w100.tsv.gz, CC BY-SA 3.0.
    """
    for row in rows(path, ("id", "text", "title")):
        yield _passage(row.text("id"), row.text("title"), row.text("text"))


def beir(path: Path) -> Iterator[Passage]:
    """The corpus of a BEIR folder, or a `corpus.jsonl`."""
    for row in lines(path / "corpus.jsonl" if path.is_dir() else path):
        yield _passage(row.name("_id"), row.words("title"), row.text("text"))


def quest(path: Path) -> Iterator[Passage]:
    """QUEST's `documents.jsonl`, called by their titles. https://storage.googleapis.com/gresearch/quest/documents.zip"""
    for row in lines(path):
        yield _passage(row.text("title"), row.text("title"), row.text("text"))


def conditionalqa(path: Path) -> Iterator[Passage]:
    """ConditionalQA's `documents.json`, or JSONL of `_id` and `html`: pages of HTML elements, as text without tags."""
    for row in any_objects(path):
        elements = [re.sub(r"<[^>]+>", " ", element) for element in row.texts("contents", "html")]
        text = "\n".join(" ".join(element.split()) for element in elements)
        yield _passage(row.text("url", "_id"), row.words("title"), text)


def linked_passages(path: Path) -> Iterator[Passage]:
    """Passages of HybridQA and OTT-QA: one object of `/wiki/...` to text (`all_passages.json`), or a folder of such
    objects (`request_tok`).

    https://github.com/wenhuchen/WikiTables-WithLinks, MIT; text CC BY-SA 3.0.
    """
    seen: set[str] = set()
    for file in sorted(path.glob("*.json")) if path.is_dir() else (path,):
        for id_, text, number in members(file):
            if not isinstance(text, str):
                raise FormatError(f"{file}: record {number} is not text", hint="name a file of linked passages")
            if id_ not in seen:
                seen.add(id_)
                yield _passage(id_, id_.removeprefix("/wiki/").replace("_", " "), text)


def linked_tables(path: Path) -> Iterator[Passage]:
    """Tables of HybridQA and OTT-QA: `all_plain_tables.json`, or a folder such as `tables_tok`, a table a file."""
    if not path.is_dir():
        for id_, table in objects(path):
            yield _table(id_, table)
        return
    for file in sorted(path.glob("*.json")):
        yield _table(file.stem, Record({key: value for key, value, _ in members(file)}, file, 1))


def _table(id_: str, table: Record) -> Passage:
    header = [_cell(table, "header", cell)["text"] for cell in table.field("header", list)]
    body = table.field("data", list)
    if not all(isinstance(row, list) for row in body):
        raise table.broken("data", "is not a list of rows")
    return {
        "_id": id_,
        "title": table.text("title"),
        "section": table.words("section_title"),
        "section_text": table.words("section_text"),
        "intro": table.words("intro"),
        "url": table.words("url"),
        "header": header,
        "rows": [[_cell(table, "data", cell) for cell in row] for row in body],
    }


def _cell(table: Record, name: str, cell: Any) -> dict[str, Any]:
    """A cell is its text, or a list of its text and its links."""
    match cell:
        case str(text):
            return {"text": text, "links": []}
        case [str(text), [*links]] if all(isinstance(link, str) for link in links):
            return {"text": text, "links": links}
        case _:
            raise table.broken(name, "has a cell that is not a text, with or without links")


def _passage(id_: str, title: str, text: str) -> Passage:
    return {"_id": id_, "title": title, "text": text}


CORPORA: dict[str, Callable[[Path], Iterator[Passage]]] = {
    "squad": squad,
    "hotpotqa": hotpotqa,
    "2wikimultihopqa": hotpotqa,
    "musique": musique,
    "sharc": sharc,
    "concurrentqa": concurrentqa,
    "dpr": dpr,
    "beir": beir,
    "quest": quest,
    "conditionalqa": conditionalqa,
    "linked-passages": linked_passages,
    "linked-tables": linked_tables,
}
"""What makes a corpus of a data set's files, by name."""


def passages(path: Path, name: str) -> Iterator[Passage]:
    """The passages of a data set's file or folder. Raises UsageError where the name is not one of `CORPORA`."""
    if name not in CORPORA:
        raise UsageError(f"there is no corpus form `{name}`", hint=f"one of {', '.join(CORPORA)}")
    return CORPORA[name](path)
