"""Judged searches: BEIR folders, qrels, and sets (QUEST)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import lines, rows, unique
from answerable.errors import UsageError

_SPLITS = ("test", "dev", "train")


def beir(path: Path) -> Iterator[Example]:
    """Queries of a BEIR folder (Thakur et al. 2021) that are judged: `queries.jsonl` and `qrels/*.tsv`.

    https://github.com/beir-cellar/beir, licences by data set. `path` is the folder (then the first of test, dev and
    train is read) or one of its qrels files. BEIR has no answers: `answers` is empty, which does not say that there are
    none. `supporting` are the relevant documents, the most relevant first; meta `relevance` their grades.
    """
    folder, judged = _beir_files(path)
    qrels = read_qrels(judged)
    for row in lines(folder / "queries.jsonl"):
        id_ = row.name("_id")
        grades = {document: grade for document, grade in qrels.get(id_, {}).items() if grade > 0}
        if id_ in qrels:
            order = sorted(grades, key=lambda document: (-grades[document], document))
            yield Example(id_, row.text("text"), (), supporting=tuple(order), meta={"relevance": grades})


def _beir_files(path: Path) -> tuple[Path, Path]:
    if path.is_dir():
        for split in _SPLITS:
            if (judged := path / "qrels" / f"{split}.tsv").is_file():
                return path, judged
        raise UsageError(f"{path} holds no qrels/test.tsv, dev.tsv or train.tsv", hint="name a folder as BEIR has it")
    return path.parent.parent, path


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Judgements of a TSV file of `query-id`, `corpus-id` and `score`, as BEIR writes them."""
    qrels: dict[str, dict[str, int]] = {}
    for row in rows(path, ("query-id", "corpus-id", "score")):
        try:
            grade = int(row.text("score"))
        except ValueError as error:
            raise row.broken("score", "is not a whole number") from error
        qrels.setdefault(row.text("query-id"), {})[row.text("corpus-id")] = grade
    return qrels


def quest(path: Path) -> Iterator[Example]:
    """QUEST (Malaviya et al. 2023), JSONL: `train`, `val`, `test`, or one of the `prefiltered_` files.

    https://storage.googleapis.com/gresearch/quest/train.jsonl, val.jsonl and test.jsonl, Apache 2.0. `answers` and
    `supporting` are the titles of the documents that fit, which are their ids too; `kind` the template. meta: `set`
    (true), `domain`, `original_query` (the atomic sets marked), `attributions`, `expression` (the tree as printed, in
    sets that `answerable-bench sets` built) and, where some documents have no text here, `covered`. A query without
    documents is passed on with an empty set. A record without an id is called by its number. Where `covered` is false,
    `supporting` is empty.
    """
    for row in lines(path):
        about = row.record("metadata") if "metadata" in row else row
        documents = unique(row.texts("docs"))
        covered = row.field("covered", bool) if "covered" in row else True
        meta = {"set": True, "domain": about.words("domain"), "original_query": row.words("original_query")}
        if "attributions" in about:
            meta["attributions"] = about.field("attributions", dict)
        if "expression" in row:
            meta["expression"] = row.text("expression")
        if "covered" in row:
            meta["covered"] = covered
        yield Example(
            id=row.name("_id") if "_id" in row else str(row.number),
            question=row.text("query"),
            answers=documents,
            supporting=documents if covered else (),
            kind=about.words("template"),
            meta=meta,
        )
