"""The reader on questions whose articles it never saw: EM and F1 a data set, and SQuAD 2.0 with "no answer".

    python benchmarks/reader.py --data DATA [--model FOLDER] [--limit N] [--json FILE]

Baseline in the same run: the overlap reader, which needs no weights. The threshold for "no answer" is chosen on the
development articles and used on the report articles; the two share no article with each other or with training.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import common
from answerable.evaluation.metrics.answers import exact, f1
from answerable.readers.overlap import OverlapReader
from answerable.readers.reader import Reader
from answerable.readers.span import SpanReader
from answerable.training.reading import SPAN, PoolPassage, Reading, load_pool
from answerable.training.sources import load_source
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

SETS = (
    "squad1",
    "squad2",
    "nq",
    "hotpotqa",
    "2wikimultihopqa",
    "musique",
    "boolq",
    "fever",
    "policyqa",
    "covidqa",
    "subjqa",
    "written",
    "polar",
    "bridges",
)
LONG = {"covidqa": 100}
"""Sets of whole papers, seconds a question: no more than so many of them."""


def chain_of(reading: Reading) -> Chain:
    """The reading's own passages as one chain, in the order they stand."""
    hits = [
        Hit(Passage(f"p{i}", f"d{i}", "bench", title, text, 0, len(text)), 1.0, PUBLIC, Skill.SINGLE)
        for i, (title, text) in enumerate(reading.passages)
    ]
    return Chain(tuple(hits), 1.0, PUBLIC)


def best(reader: Reader, reading: Reading) -> tuple[str, float]:
    """The reader's best answer and its score; ('', -inf) when it has none."""
    found = reader.read(reading.question, [chain_of(reading)])
    return (found[0].text, found[0].score) if found else ("", float("-inf"))


def null_threshold(rows: list[tuple[str, float, Reading]]) -> float:
    """The score below which saying nothing gives the best F1 on these rows."""
    options = sorted({score for _, score, _ in rows})
    options = options[:: max(1, len(options) // 200)]
    return max(options, key=lambda t: sum(f1(said if s >= t else "", r.answers) for said, s, r in rows))


def said(
    name: str, reader: Reader, rows: list[Reading], data: Path, pool: dict[str, PoolPassage], limit: int
) -> tuple[list[str], float]:
    """What a reader says to each question of a set, and questions a second.

    Where nothing may be said, it is below a threshold chosen on other questions.
    """
    threshold = float("-inf")
    if any(row.kind != SPAN and not row.answers for row in rows):
        tuning = load_source(name, data, pool, "development" if name == "squad2" else "train")
        tuning = random.Random(2).sample(tuning, min(limit, len(tuning)))
        threshold = null_threshold([(*best(reader, row), row) for row in tuning])
    began = time.perf_counter()
    found = [best(reader, row) for row in rows]
    rate = len(rows) / (time.perf_counter() - began)
    return [text if score >= threshold else "" for text, score in found], rate


def main(words: list[str] | None = None) -> None:
    """Run and print a table."""
    parser = common.parser(__doc__, "data", limit=1000)
    parser.add_argument("--model", type=Path, default=Path("src/answerable/models/reader/model.onnx"))
    parser.add_argument("--sets", nargs="*", default=SETS)
    given = parser.parse_args(words)
    pool = load_pool(given.data / "multihop/passages.jsonl.gz")
    readers: dict[str, Reader] = {
        "span": SpanReader(given.model, Path("src/answerable/models/tokenizer.json")),
        "overlap": OverlapReader(),
    }
    table = common.Table()
    for name in given.sets:
        rows = load_source(name, given.data, pool, "report")
        rows = random.Random(1).sample(rows, min(given.limit, LONG.get(name, given.limit), len(rows)))
        for label, reader in readers.items():
            texts, rate = said(name, reader, rows, given.data, pool, given.limit)
            em = common.mean([exact(t, r.answers) for t, r in zip(texts, rows, strict=True)], 100)
            f = common.mean([f1(t, r.answers) for t, r in zip(texts, rows, strict=True)], 100)
            table.add({"set": name, "reader": label, "questions": len(rows), "em": em, "f1": f, "rate": rate})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
