"""The corpora as passages: mail cleaned, cut and freed of repetitions, pages as they are (appendix D.1).

A mail and what answers it are one document: a subject with "Re:" or the like goes on with the thread of its mailbox.
Mail is cut into passages of up to 150 words; where windows overlap, the later one begins where the earlier ends, so
that a question has one place for its evidence. Repetitions, short passages and tables of figures are dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.corpora.duplicates import Duplicates
from answerable.corpora.formats import Limits, Report, find_files, read_documents
from answerable.corpora.passages import split
from answerable.corpora.sources import distinct
from answerable.errors import FormatError, UsageError
from answerable.types import Passage
from answerable_bench.grammar import HEADER, clean_mail, clean_page, is_prose
from answerable_bench.plan import PRIVATE, PUBLIC
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl

FILES = {PRIVATE: "private.jsonl", PUBLIC: "public.jsonl"}
_LEAST_WORDS = 12
_ANSWER = re.compile(r"^(?:(?:re|fw|fwd|aw) *: *)+", re.IGNORECASE)
_FEW = 1000  # documents between two words of progress


def stamps(paths: Sequence[Path]) -> list[list[Any]]:
    """What tells whether the files under `paths` have changed: name, size and time of each."""
    found = [file for path in paths for file in sorted(path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
    return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in found]


def gather_private(paths: Sequence[Path], folder: Path, report: Report, progress: Progress) -> Counts:
    """Write the private passages. Ids are `e12_p3`, as ConcurrentQA's: the thirteenth thread's fourth passage."""
    names = ("documents", "threads", "passages cut", "repeated", "short", "figures", "kept", "words")
    counts = dict.fromkeys(names, 0)
    met = Duplicates()
    threads: dict[tuple[str, str], str] = {}
    places: Counter[str] = Counter()

    def records() -> Iterator[dict[str, Any]]:
        for path in paths:
            for mailbox, document in _documents(path, "private", report):
                counts["documents"] += 1
                if counts["documents"] % _FEW == 1:
                    progress("mail", counts["documents"], 0)
                subject, answers = _ANSWER.subn("", document.title.strip())
                thread = (mailbox, subject.lower())
                if not answers or thread not in threads or not subject:
                    threads[thread] = f"e{counts['threads']}"
                    counts["threads"] += 1
                name = threads[thread]
                cut = split(document)
                kept = met.admit(document, cut)
                counts["passages cut"] += len(cut)
                counts["repeated"] += len(cut) - len(kept)
                for passage in _apart(kept, name, places, counts):
                    yield {**_record(replace(passage, document_id=name)), "mailbox": mailbox}

    counts["kept"] = write_jsonl(folder / FILES[PRIVATE], records())
    if not counts["kept"]:
        raise UsageError("the private files hold no passage of text", hint="name mailboxes or folders of documents")
    return counts


def gather_public(paths: Sequence[Path], folder: Path, report: Report, progress: Progress) -> Counts:
    """Write the public passages, each title and text once, under the ids their files give them."""
    counts = dict.fromkeys(("documents", "repeated", "kept", "words"), 0)
    texts: set[int] = set()
    names: dict[str, int] = {}

    def passages() -> Iterator[Passage]:
        for path in paths:
            for _, document in _documents(path, "public", report):
                counts["documents"] += 1
                if counts["documents"] % _FEW == 0:
                    progress("pages", counts["documents"], 0)
                cut = split(document)
                for number, passage in enumerate(cut):
                    text = clean_page(passage.text)
                    own = hash((passage.title, text))
                    if own in texts:
                        counts["repeated"] += 1
                        continue
                    texts.add(own)
                    name = document.id.partition("#")[2] or document.id
                    name = distinct(name if len(cut) == 1 else f"{name}_p{number}", names)
                    counts["words"] += len(text.split())
                    yield replace(passage, id=name, text=text, start=number, end=number + 1, section="")

    counts["kept"] = write_jsonl(folder / FILES[PUBLIC], (_record(passage) for passage in passages()))
    if not counts["kept"]:
        raise UsageError("the public files hold no passage of text", hint="name JSONL with _id, title and text")
    return counts


def read_passages(folder: Path, domain: str) -> dict[str, Passage]:
    """The passages of a domain by id, in order. `start` is the number of the passage in its document."""
    enclave = FILES[domain].removesuffix(".jsonl")
    return {
        row["_id"]: Passage(
            row["_id"], row["document"], enclave, row["title"], row["text"], row["number"], row["number"] + 1
        )
        for row in read_jsonl(folder / FILES[domain])
    }


def _documents(path: Path, enclave: str, report: Report) -> Iterator[tuple[str, Any]]:
    limits = Limits()
    for found in find_files([path], report):
        try:
            for document in read_documents(found, enclave, limits, report):
                yield found.source, document
        except FormatError as error:
            report(f"skipped {found.source}: {error}")


def _apart(kept: Sequence[Passage], name: str, places: Counter[str], counts: Counts) -> Iterator[Passage]:
    """The passages of one mail, cleaned, none beginning before the last one ended; numbered on in their thread."""
    end = 0
    for passage in kept:
        begin = max(passage.start, end)
        end = max(end, passage.end)
        text = clean_mail(passage.text[begin - passage.start :])
        header = HEADER.match(text)
        body = text[header.end() :] if header else text
        if len(body.split()) < _LEAST_WORDS:
            counts["short"] += 1
        elif not is_prose(body):
            counts["figures"] += 1
        else:
            counts["words"] += len(text.split())
            number = places[name]
            yield replace(passage, id=f"{name}_p{number}", text=text, start=number, end=number + 1)
            places[name] += 1


def _record(passage: Passage) -> dict[str, Any]:
    return {
        "_id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "document": passage.document_id,
        "number": passage.start,
    }
