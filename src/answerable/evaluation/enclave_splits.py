"""A corpus as two enclaves, private and public, and its questions by the enclaves their hops need.

At random an article's side follows from the seed and its title alone (HotpotQA-PAIR, Arora et al. 2022, section 4.1);
by source some files are private and the rest public. Passages that repeat the documents of an export are left out, and
no document comes twice. A split is a folder that is written whole or not at all:

    private.jsonl, public.jsonl   the records of the corpus, byte for byte, to be indexed as two enclaves
    questions.jsonl               the questions whose documents are all in the corpus, each with its slice
    split.json                    what was asked for and what came out: seed, share, files, counts by slice
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from answerable.corpora.lines import repeats
from answerable.corpora.sources import Limits, clean, lines, open_stream
from answerable.corpora.tables import table_document
from answerable.datasets.examples import Example
from answerable.datasets.records import lines as read_lines
from answerable.errors import FormatError, UsageError
from answerable.evaluation.hop_order import Gold, Hops, hop_order, slice_of
from answerable.evaluation.tasks.passages import name_of
from answerable.privacy.small_files import writing
from answerable.text import one_line

PRIVATE, PUBLIC = "P", "G"
"""The paper's letters: P for private, G for global."""
FILES = {PRIVATE: "private.jsonl", PUBLIC: "public.jsonl"}
QUESTIONS, MANIFEST = "questions.jsonl", "split.json"
_SCALE = 2**64


@dataclass(frozen=True, slots=True)
class Plan:
    """How the documents are divided: by source where `private` names files, else at random.

    `share` is the part of the articles that becomes private, from 0 to 1.
    """

    share: float = 0.5
    seed: int = 1
    private: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise UsageError(f"a share of {self.share} cannot be private", hint="give one from 0 to 1")

    def domain(self, path: Path, article: str) -> str:
        """Where a record of file `path` goes that belongs to `article`."""
        if self.private:
            return PRIVATE if path in self.private else PUBLIC
        return draw(article, self.seed, self.share)


@dataclass(frozen=True, slots=True)
class Split:
    """What came of a split: documents a domain, questions a slice, how many hop orders were known in which way, and
    how many questions were left out: a document they need is not in the corpus, or they name none or no answer."""

    folder: Path
    documents: Mapping[str, int]
    slices: Mapping[str, int]
    known: Mapping[str, int]
    left_out: int


def draw(article: str, seed: int, share: float) -> str:
    """The side of an article: private with probability `share`, by a hash of the seed and its name."""
    return PRIVATE if _hashed(f"{seed}\0{article}") < share * _SCALE else PUBLIC


def _hashed(text: str) -> int:
    """A number below `_SCALE`."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def split(
    corpus: Sequence[Path],
    examples: Iterable[Example],
    folder: Path,
    plan: Plan,
    progress: Callable[[str, int, int], None] | None = None,
) -> Split:
    """Write a split of `corpus` (and of `plan.private`) to `folder`, with the questions that it can label.

    The corpus is JSONL (`.gz` too), a passage or a table a line, and is read once as a stream; only the documents the
    questions need are held, and 8 bytes of each other one. `progress` is told of records read. An earlier split in
    `folder` is replaced.

    Raises `UsageError` as `require_room` does, or where a file is given twice, `FormatError` where a file cannot be
    read, has a line that is no record or a document that was there before, and `WorkspaceError` where `folder` cannot
    be written.
    """
    paths = [*plan.private, *corpus]
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("a file of the corpus is named twice")
    require_room(folder, paths)
    asked = list(examples)
    wanted = {id for example in asked for id in example.supporting}
    with writing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            golds, documents = _divide(paths, plan, making, wanted, progress)
            slices, known = _label(asked, golds, making / QUESTIONS)
            done = Split(folder, documents, slices, known, len(asked) - slices.total())
            (making / MANIFEST).write_text(json.dumps(_manifest(plan, corpus, done), indent=1) + "\n", "utf-8")
            _move(making, folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return done


def labels(folder: Path) -> dict[str, str]:
    """Question ids of a split with their slices. Raises `UsageError` where `folder` is no split."""
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{folder} is no split", hint="make one with answerable evaluate split")
    return {row.name("_id"): row.text("slice") for row in read_lines(folder / QUESTIONS)}


def require_room(folder: Path, read: Iterable[Path]) -> None:
    """Raise `UsageError` where `folder` is there and no split, or holds one of the files that are `read`."""
    for path in read:
        if path.resolve().parent == folder.resolve():
            raise UsageError(f"{path} is in {folder}, where files are replaced", hint="name another folder")
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / MANIFEST).is_file())):
        raise UsageError(f"{folder} exists and is no split", hint="name a new folder")


def _divide(
    paths: Sequence[Path],
    plan: Plan,
    folder: Path,
    wanted: set[str],
    progress: Callable[[str, int, int], None] | None,
) -> tuple[dict[str, Gold], dict[str, int]]:
    """Write each record to its side's file; the documents wanted, by id and by title, and the count of each side."""
    golds: dict[str, Gold] = {}
    titled: dict[str, Gold] = {}
    met: set[int] = set()
    documents = {PRIVATE: 0, PUBLIC: 0}
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {
            domain: stack.enter_context((folder / name).open("wb")) for domain, name in FILES.items()
        }
        for path in paths:
            for number, record, line in _records(path):
                id, title, text = _id(record), _title(record), _text(record)
                name, own = name_of(id, wanted), _hashed(f"{id.rpartition('#')[2]}\0{text}")
                if own in met:
                    what, hint = "is a document that was there before", "an export holds what its sources do"
                    raise FormatError(f"line {number} of {path} {what}", hint=f"name each document once: {hint}")
                if name in golds:
                    what, hint = "is called as one before it that questions name", "give documents names of their own"
                    raise FormatError(f"line {number} of {path} {what}", hint=hint)
                met.add(own)
                domain = plan.domain(path, title or id)
                files[domain].write(line if line.endswith(b"\n") else line + b"\n")
                documents[domain] += 1
                for called, known in ((name, golds), (title, titled)):
                    if called in wanted and called not in known:
                        known[called] = Gold(called, title, text, domain)
                if progress and documents[PRIVATE] + documents[PUBLIC] & 0xFFF == 0:
                    progress("split", documents[PRIVATE] + documents[PUBLIC], 0)
    return {**titled, **golds}, documents


def _label(examples: Iterable[Example], golds: Mapping[str, Gold], path: Path) -> tuple[Counter[str], Counter[str]]:
    """Write the questions whose documents are all there, and count them by slice and by how their order is known."""
    slices: Counter[str] = Counter()
    known: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        for example in examples:
            if not example.answers or not example.supporting or any(id not in golds for id in example.supporting):
                continue
            hops = hop_order(example, golds)
            slice = slice_of(hops, golds)
            slices[slice] += 1
            known[hops.known] += 1
            file.write(json.dumps(_question(example, hops, slice)) + "\n")
    return slices, known


def _question(example: Example, hops: Hops, slice: str) -> dict[str, Any]:
    """A question as the loaders of multi-hop questions over a pool of passages read it, with its slice.

    `gold` are the supporting documents in the order of the hops, and `order` says how that is known.
    """
    return {
        "_id": example.id,
        "question": example.question,
        "answer": example.answers[0],
        **({"aliases": list(example.answers[1:])} if example.answers[1:] else {}),
        "type": example.kind,
        "supporting": [list(fact) for fact in example.facts],
        "gold": list(hops.ids),
        "context": [],
        "covered": True,
        "slice": slice,
        "order": hops.known,
    }


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any], bytes]]:
    """The records of a JSONL file, each with the number (from 1) and the bytes of its line.

    Blank lines and the passages of an export are passed over.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder", hint="name its files of JSONL; of an export, documents.jsonl")
    limits = Limits()
    with open_stream(path, str(path), limits) as stream:
        for number, line in enumerate(lines(stream, limits.max_record), start=1):
            if line is not None and line.isspace():
                continue
            try:
                record = None if line is None else json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if line is None or not isinstance(record, dict) or not _id(record):
                raise FormatError(f"line {number} of {path} is no record with an _id", hint="give JSONL as BEIR has it")
            if not repeats(record):
                yield number, record, line


def _id(record: Mapping[str, Any]) -> str:
    for key in ("_id", "id"):
        if isinstance(value := record.get(key), str | int) and value != "":
            return str(value)
    return ""


def _title(record: Mapping[str, Any]) -> str:
    return title if isinstance(title := record.get("title"), str) else ""


def _text(record: dict[str, Any]) -> str:
    if isinstance(record.get("rows"), list):
        table = table_document(record, "", "", "", 0)
        return table.text if table else ""
    text = next((v for k in ("text", "contents", "content", "body") if isinstance(v := record.get(k), str)), "")
    return one_line(clean(text))


def _manifest(plan: Plan, corpus: Sequence[Path], done: Split) -> dict[str, Any]:
    how: dict[str, Any] = {"private": [path.name for path in plan.private]} if plan.private else {
        "seed": plan.seed, "share": plan.share,
    }  # fmt: skip
    return {
        "split": "by source" if plan.private else "at random",
        **how,
        "corpus": [path.name for path in corpus],
        "documents": {FILES[domain]: count for domain, count in done.documents.items()},
        "questions": dict(sorted(done.slices.items())),
        "order known by": dict(sorted(done.known.items())),
        "left out": done.left_out,
    }


def _move(making: Path, folder: Path) -> None:
    """Put the files in place, for their owner alone, the manifest last: a folder without one is no split."""
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in (*FILES.values(), QUESTIONS, MANIFEST):
        (making / name).chmod(0o600)
        (making / name).replace(folder / name)
