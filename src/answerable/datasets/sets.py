"""Questions whose answer is a set of things: QUEST."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import lines, unique


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
