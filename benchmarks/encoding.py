"""Passages and queries a second of each encoder, and how near int8 and bf16 stay to each other.

    python benchmarks/encoding.py PASSAGES.jsonl.gz [--count N] [--threads N] [--json FILE]

PASSAGES has a `title` and a `text` on each line; N are taken evenly from it. Rates are the median of three rounds in
turn, tokenising included. Run it alone: two threads on two processors stall as soon as anything else runs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from answerable.encoders.choose import for_passages, open_encoder
from answerable.encoders.encoder import Encoder
from answerable.types import Skill

ROUNDS = 3


def sample(path: Path, count: int) -> list[tuple[str, str]]:
    """`count` passages at even distances through the file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = list(lines)
    chosen = [json.loads(rows[i * len(rows) // count]) for i in range(min(count, len(rows)))]
    return [(row.get("title", ""), row["text"]) for row in chosen]


def rate(work: Callable[[], Any], pieces: int) -> float:
    """Pieces a second of one run."""
    began = time.perf_counter()
    work()
    return pieces / (time.perf_counter() - began)


def main() -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", type=Path)
    parser.add_argument("--count", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    passages = sample(given.passages, given.count)
    shipped = open_encoder(threads=given.threads)
    encoders: dict[str, Encoder] = {"hashed": open_encoder("hashed"), "int8 ONNX": shipped}
    fast = for_passages(shipped)
    if fast is not shipped:
        encoders["bf16 torch"] = fast
    short = [title for title, _ in passages if title][:500] or ["a question"]
    long = [f"{title} {text}" for title, text in passages[:200]]
    tasks: dict[str, tuple[Callable[[Encoder], Any], int]] = {
        "passages": (lambda e: e.encode_passages(passages), len(passages)),
        "short queries": (lambda e: [e.encode_query(text, Skill.SINGLE) for text in short], len(short)),
        "expanded queries": (lambda e: [e.encode_query(text, Skill.EXPANDED) for text in long], len(long)),
    }
    rates: dict[str, dict[str, list[float]]] = {name: {task: [] for task in tasks} for name in encoders}
    vectors = {name: encoder.encode_passages(passages[:256]) for name, encoder in encoders.items()}  # warms them up too
    for _ in range(ROUNDS):
        for name, encoder in encoders.items():
            for task, (work, pieces) in tasks.items():
                rates[name][task].append(rate(lambda e=encoder, w=work: w(e), pieces))  # type: ignore[misc]
    table = {name: {task: round(statistics.median(r), 1) for task, r in found.items()} for name, found in rates.items()}
    words = statistics.mean(len(text.split()) for _, text in passages)
    print(f"{len(passages)} passages of {words:.0f} words on average, in one second:")
    for name, found in table.items():
        print(f"{name:<12}" + "".join(f"{value:>10.0f} {task}" for task, value in found.items()))
    if fast is not shipped:
        near = float(np.mean((vectors["int8 ONNX"] * vectors["bf16 torch"]).sum(axis=1)))
        print(f"int8 and bf16 vectors of a passage: cosine {near:.4f} on average")
    if given.json:
        given.json.write_text(json.dumps({"passages": len(passages), "words": words, "rates": table}, indent=1) + "\n")


if __name__ == "__main__":
    main()
