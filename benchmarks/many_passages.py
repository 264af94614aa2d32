"""Readers on the same passages of a question, the right ones among others: EM, F1 and seconds, in one run.

    python benchmarks/many_passages.py --data DATA [--readers span FOLDER ...] [--passages 10] [--limit 200]

Questions are those kept for the report, which nothing was learned from: multi-hop ones with the passages that came with
them (those that came with none are left out), Natural Questions with the paragraphs of the same corpus that BM25 finds
for them and that hold no answer. Needs the extra `train`.

alone: each passage is a chain of its own. pairs: of multi-hop questions every two passages are one too, since a reader
of chains sees only what stands in one. A reader of many passages reads the same either way, and is asked once.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from itertools import combinations
from pathlib import Path

import common
from answerable.evaluation.metrics.answers import exact, f1
from answerable.readers.fused import FusedReader
from answerable.training.corpora import Corpora
from answerable.training.fusion.draw import with_near
from answerable.training.paths.draw import Asked, Part
from answerable.training.paths.sources import Pool
from answerable.training.reading import Reading, load_pool, multihop
from answerable.training.skills.mine import LexicalSearches
from answerable.training.sources import load_source
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill
from answerable.workspace.models import open_reader

SETS = ("hotpotqa", "2wikimultihopqa", "musique", "nq")


def load(name: str, data: Path, pool: Pool, passages: int, limit: int) -> list[Asked]:
    """Questions of the report, drawn with a fixed seed, each with its right and its wrong passages."""
    if name == "nq":
        rows: list[tuple[Reading, tuple[str, ...]]] = [
            (row, ()) for row in load_source(name, data, pool, "report") if row.answers
        ]
    else:
        rows = [(row, ids) for row, ids in multihop(data / name / "dev.jsonl", pool, name) if ids]
    asked = []
    for row, ids in random.Random(5).sample(rows, min(limit, len(rows))):
        right = tuple(Part(*text, right=True) for text in row.passages)
        wrong = tuple(Part(pool[id_].title, pool[id_].text) for id_ in ids)
        asked.append(Asked(row.id, row.question, right, wrong, row.kind, row.answers, name))
    with tempfile.TemporaryDirectory() as work:
        corpora = Corpora(data)
        return with_near(asked, corpora, Path(work) / "near.jsonl", LexicalSearches(corpora, Path(work)), passages - 1)


def chains_of(asked: Asked, passages: int) -> tuple[list[Chain], list[Chain]]:
    """Chains of one passage and of two, over up to `passages` of a question in a random order."""
    parts = [*asked.right, *asked.wrong[: max(0, passages - len(asked.right))]]
    random.Random(asked.id).shuffle(parts)
    hits = []
    for number, part in enumerate(parts):
        passage = Passage(str(number), str(number), "bench", part.title, part.text, 0, len(part.text))
        hits.append(Hit(passage, 1.0, PUBLIC, Skill.SINGLE))
    return [Chain((hit,), 1.0, PUBLIC) for hit in hits], [Chain(two, 2.0, PUBLIC) for two in combinations(hits, 2)]


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, "data", limit=200)
    parser.add_argument("--readers", nargs="+", default=["span"], help="as models.reader: a name or a folder")
    parser.add_argument("--passages", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--threads", type=int, default=0)
    return parser


def main(words: list[str] | None = None) -> None:
    """Run and print a table."""
    given = arguments().parse_args(words)
    pool = load_pool(given.data / "multihop/passages.jsonl.gz")
    readers = [open_reader(name, given.threads)[0] for name in given.readers]
    table = common.Table()
    for name in given.sets:
        asked = load(name, given.data, pool, given.passages, given.limit)
        shown = [chains_of(one, given.passages) for one in asked]
        for reader in readers:
            for label in ("alone",) if name == "nq" or isinstance(reader, FusedReader) else ("alone", "pairs"):
                began = time.perf_counter()
                said = []
                for one, (alone, pairs) in zip(asked, shown, strict=True):
                    found = reader.read(one.question, [*alone, *(pairs if label == "pairs" else ())])
                    said.append(found[0].text if found else "")
                each = (time.perf_counter() - began) / len(asked)
                em, f = (
                    common.mean([m(t, one.answers) for t, one in zip(said, asked, strict=True)], 100)
                    for m in (exact, f1)
                )
                row = {"set": name, "reader": reader.name, "chains": label, "questions": len(asked)}
                table.add(row | {"em": em, "f1": f, "seconds": each})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
