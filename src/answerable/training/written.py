"""Lessons in reading that were written for this project, over mails, notes, help pages, papers and an encyclopaedia.

`recipes/lessons/reading.jsonl.gz`, and beside it `polar.jsonl.gz`, questions for yes and no in which "not" and "only"
tell nothing, `bridges.jsonl.gz`, questions over a mail and the page of something that it names, and `nearby.jsonl.gz`,
in which what answers stands beside another of its kind, or is put in other words than the question. A line a passage:
`title`, either its `text` or where it stands in a mailbox of the data (`mailbox`, `mail`, the message id, and its
characters `start` to `end`) or in its encyclopaedia (`page`), and its `questions`, each with a `kind`, `span`, `yes`,
`no` or `none`, and for a span its `answer`, which stands in the passage. What has no answer looks as if it had one. A
line with `passages` has several of them, read one after the other. `found`, where a line has it, says that its passages
are what a search found for a question of another line, which they do not answer.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from answerable.corpora.mail import read_mbox
from answerable.corpora.sources import Limits
from answerable.errors import FormatError
from answerable.training.reading import NO, NONE, SPAN, YES, Reading, lines_of

LESSONS = Path(__file__).resolve().parents[3] / "recipes/lessons/reading.jsonl.gz"
FILES: Mapping[str, Path] = {
    "written": LESSONS,
    "probable": LESSONS.with_name("probable.jsonl.gz"),
    "polar": LESSONS.with_name("polar.jsonl.gz"),
    "bridges": LESSONS.with_name("bridges.jsonl.gz"),
    "nearby": LESSONS.with_name("nearby.jsonl.gz"),
}
"""The files of lessons, by the names of recipes."""
_KINDS = {"span": SPAN, "yes": YES, "no": NO, "none": NONE}


def written(data: Path, lessons: Path = LESSONS) -> Iterator[Reading]:
    """The readings of a file of lessons, those over mails with the mailboxes of `data`.

    Raises `FormatError` for lessons or mailboxes that are missing or broken.
    """
    rows = list(lines_of(lessons))
    parts = [row.get("passages", [row]) for row in rows]
    texts = iter(texts_of([one for held in parts for one in held], data))
    for number, (row, held) in enumerate(zip(rows, parts, strict=True)):
        passages = tuple((one["title"], next(texts)) for one in held)
        for place, asked in enumerate(row["questions"]):
            kind, answer = _KINDS[asked["kind"]], asked.get("answer", asked["kind"])
            span = _standing(answer, passages) if kind == SPAN else None
            if kind == SPAN and span is None:
                raise FormatError(f"{lessons.name}, line {number + 1}: an answer does not stand in its text")
            said = () if kind == NONE else (answer,)
            id_ = f"{lessons.name.partition('.')[0]}-{number}-{place}"
            yield Reading(id_, asked["question"], passages, kind, span, said, "written")


def _standing(answer: str, passages: Sequence[tuple[str, str]]) -> tuple[int, int, int] | None:
    """The passage in which an answer stands, and its characters there."""
    places = ((number, text.find(answer)) for number, (_, text) in enumerate(passages))
    return next(((number, at, at + len(answer)) for number, at in places if at >= 0), None)


def texts_of(rows: Sequence[Mapping[str, Any]], data: Path) -> list[str]:
    """The text of each passage: its own, or the characters `start` to `end` of a mail in `data`, of a page of the
    encyclopaedia there (`page`, its id), or of what has an `id` in a `file` there: its `_id`, or which paragraph of a
    file of pages with paragraphs it is.

    Raises `FormatError` for data that are not there.
    """
    mails = _mails(data, rows)
    filed = _filed(data, rows)
    return [
        row["text"]
        if "text" in row
        else mails[row["mailbox"], row["mail"]][row["start"] : row["end"]]
        if "mailbox" in row
        else filed[_place(row)][slice(row.get("start"), row.get("end"))]
        for row in rows
    ]


def _place(row: Mapping[str, Any]) -> tuple[str, str | int]:
    return ("wiki/passages.jsonl.gz", row["page"]) if "page" in row else (row["file"], row["id"])


def _filed(data: Path, rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str | int], str]:
    """The texts of files that lessons are over, by file and id."""
    wanted = {_place(row) for row in rows if "page" in row or "file" in row}
    found: dict[tuple[str, str | int], str] = {}
    for name in sorted({name for name, _ in wanted}):
        if name.endswith(".json.gz"):
            whole = json.loads(gzip.decompress((data / name).read_bytes()))["data"]
            texts = enumerate(one["context"] for page in whole for one in page["paragraphs"])
            found |= {(name, number): text for number, text in texts if (name, number) in wanted}
        else:
            each = ((name, row["_id"], row["text"]) for row in lines_of(data / name))
            found |= {(name, id_): text for name, id_, text in each if (name, id_) in wanted}
    return found


def _mails(data: Path, rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """The texts of the mails that lessons are over, by mailbox and message id."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if "mailbox" in row:
            wanted[row["mailbox"]].add(row["mail"])
    found: dict[tuple[str, str], str] = {}
    for mailbox, ids in wanted.items():
        path = data / "enron" / f"{mailbox}.mbox.gz"
        if not path.is_file():
            raise FormatError(f"there is no {path}, whose mails the written lessons are over")
        for one in read_mbox(path, path.name, "mail", Limits(), lambda _: None):
            if one.meta["message_id"] in ids:
                found.setdefault((mailbox, one.meta["message_id"]), one.text)
    return found
