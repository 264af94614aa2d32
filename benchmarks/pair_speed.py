"""How fast pairs are looked up, how well and in how many bytes, in each shape of an index (PAQ, sections 5.2.2, 5.2.3).

    python benchmarks/pair_speed.py --work DIR --workspace DIR --enclave NAME \
        [--count 1000000] [--asked 2000] [--shapes graph-f16,...] [--set DIR] [--json FILE]

Of the questions there are, evenly spread ones are held out and asked, the others are indexed. `end`: questions a second
from the text to the best pair's text; `search`: the same without encoding; `single`: asked one at a time; `cpu`:
searches in a second of one processor's time, for machines that do other things besides. `recall@1` and `@10`: the share
of the best by float32 vectors that are found among as many. `--work` keeps vectors from one run to the next. `--set`: a
folder of pairs_sets.py, whose pairs are put among the others and whose questions are asked too: `EM` of the best pair,
and how many of them are looked up in a second (`people`).
A shape that is a budget covers the matcher too.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.corpora.store import Store
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.encoders.encoder import Vectors
from answerable.evaluation.metrics.answers import exact as exact_match
from answerable.qapairs.index.budget import parse_bytes
from answerable.qapairs.index.build import BuiltPairs, build_pair_index
from answerable.qapairs.index.opened import OpenedPairs, open_pair_index
from answerable.qapairs.lookup import Matcher
from answerable.qapairs.pair_settings import PairSettings
from answerable.types import QAPair
from answerable.workspace.models import open_matcher
from answerable.workspace.pair_stages import matcher_bytes
from answerable.workspace.settings import load as load_settings
from making import Variant, pairs

SHAPES = ("flat-i8", "graph-f16", "graph-i8", "500MB", "200MB")
"""How an index is asked for: its kind and its numbers, or a budget."""
K, BATCH = 10, 512
ENCLAVE = "pairs"
_BLOCK = 8192


@dataclass
class Remembered:
    """A matcher whose vectors of the questions to be indexed were worked out before. `rows`: (n, d) float16."""

    name: str
    dimension: int
    rows: np.ndarray
    places: dict[str, int]

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """As they were worked out."""
        found: Vectors = self.rows[[self.places[question] for question in questions]].astype(np.float32)
        return found


def pairs_of(given: argparse.Namespace, count: int) -> Iterator[QAPair]:
    """So many pairs from wherever they are, each question once."""
    seen: set[str] = set()
    with Store(given.workspace / "store.sqlite") as store:
        for n, (_, pair) in enumerate(store.pairs(given.enclave)):
            if pair.question not in seen and len(seen) < count:
                seen.add(pair.question)
                yield QAPair(f"{n:08d}", pair.question, pair.answers, "", ENCLAVE, pair.score)


def of_set(folder: Path) -> tuple[list[QAPair], list[Example]]:
    """The pairs that were made of a set, and the questions that people asked of it."""
    made = pairs(folder / "made.jsonl", Variant(2, "global"))
    rows = [QAPair(f"s{n:07d}", one.question, one.answers, "", ENCLAVE, one.score) for n, one in enumerate(made)]
    return list({one.question: one for one in rows}.values()), list(load(folder / "questions.jsonl", "nq-open"))


def right(index: OpenedPairs, vectors: Vectors, people: Sequence[Example]) -> float:
    """Share of people's questions whose nearest pair has the answer (exact match)."""
    found = index.search(vectors, 1)
    return sum(exact_match(own[0][0].answers[0], one.answers) for own, one in zip(found, people, strict=True)) / len(
        people
    )


def encoded(matcher: Matcher, questions: Sequence[str], place: Path) -> tuple[np.ndarray, float]:
    """(n, d) float16 of all questions, kept in a file, and how many were encoded in a second."""
    if place.is_file() and (rows := np.load(place, mmap_mode="r")).shape == (len(questions), matcher.dimension):
        return rows, 0.0
    shape = (len(questions), matcher.dimension)
    made = np.lib.format.open_memmap(place, mode="w+", dtype=np.float16, shape=shape)
    began = time.perf_counter()
    for start in range(0, len(questions), 512):
        made[start : start + 512] = matcher.encode_questions(questions[start : start + 512])
    return made, len(questions) / (time.perf_counter() - began)


def exact(rows: np.ndarray, asked: Vectors) -> np.ndarray:
    """(m, K) numbers of the best of all rows for each question, best first."""
    scores = np.full((len(asked), K), -np.inf, np.float32)
    best = np.zeros((len(asked), K), np.int64)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float32)
        all_scores = np.concatenate([scores, asked @ block.T], axis=1)
        numbers = np.concatenate(
            [best, np.broadcast_to(np.arange(len(block)) + start, (len(asked), len(block)))], axis=1
        )
        chosen = np.argpartition(-all_scores, K - 1, axis=1)[:, :K]
        scores, best = np.take_along_axis(all_scores, chosen, 1), np.take_along_axis(numbers, chosen, 1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(best, order, 1)


def measured(
    index: OpenedPairs,
    matcher: Matcher,
    asked: Sequence[str],
    vectors: Vectors,
    truth: Sequence[Sequence[str]],
) -> dict[str, float]:
    """Questions a second in each way of asking, and recall."""
    index.search(vectors[:BATCH], 1)  # what is read from disk for the first time is not counted

    def rate(questions: int, step: int, whole: bool, clock: Callable[[], float] = time.perf_counter) -> float:
        began = clock()
        for start in range(0, questions, step):
            rows = matcher.encode_questions(asked[start : start + step]) if whole else vectors[start : start + step]
            index.search(rows, 1)
        return questions / (clock() - began)

    found = [[pair.id for pair, _ in matched] for matched in index.search(vectors, K)]
    first = sum(mine[:1] == best[:1] for mine, best in zip(found, truth, strict=True)) / len(truth)
    among = sum(len(set(mine) & set(best)) / len(best) for mine, best in zip(found, truth, strict=True)) / len(truth)
    return {
        "end": rate(len(asked), BATCH, whole=True),
        "search": rate(len(asked), BATCH, whole=False),
        "cpu": rate(len(asked), BATCH, whole=False, clock=time.process_time),
        "single": rate(min(200, len(asked)), 1, whole=False),
        "recall@1": first,
        "recall@10": among,
    }


def built(store: Store, given: argparse.Namespace, matcher: Matcher, shape: str) -> tuple[BuiltPairs, float]:
    """The index of a shape, and the seconds it took beside encoding."""
    kind, _, numbers = shape.partition("-")
    settings = PairSettings(index=kind, numbers=numbers) if numbers else PairSettings()  # type: ignore[arg-type]
    budget = None if numbers else parse_bytes(shape)
    began = time.perf_counter()
    model = matcher_bytes(load_settings(None, {})) if budget else 0
    made = build_pair_index(store, given.work, ENCLAVE, matcher, settings, budget, model=model)
    return made, time.perf_counter() - began


def rows_of(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each shape; first one of the encoding."""
    given.work.mkdir(parents=True, exist_ok=True)
    matcher = open_matcher("skills")[0]
    theirs, people = of_set(given.set) if given.set else ([], [])
    own = {pair.question for pair in theirs}
    there = [pair for pair in pairs_of(given, given.count + given.asked - len(theirs)) if pair.question not in own]
    step = max(2, len(there) // given.asked)
    held, kept = (
        there[::step][: given.asked],
        [pair for n, pair in enumerate(there) if n % step or n // step >= given.asked] + theirs,
    )
    rows, speed = encoded(matcher, [pair.question for pair in kept], given.work / "vectors.npy")
    remembered = Remembered(matcher.name, matcher.dimension, rows, {pair.question: n for n, pair in enumerate(kept)})
    asked = [pair.question for pair in held]
    vectors = np.concatenate([matcher.encode_questions(asked[n : n + 512]) for n in range(0, len(asked), 512)])
    truth = [[kept[n].id for n in best] for best in exact(rows, vectors)]
    yield {"pairs": len(kept), "asked": len(asked), "matcher": matcher.name, "encoded a second": speed}
    (given.work / "store.sqlite").unlink(missing_ok=True)
    with Store(given.work / "store.sqlite") as store:
        with store.write() as transaction:
            transaction.put_imported(ENCLAVE, "benchmark", kept)
        del there, kept
        wanted = matcher.encode_questions([one.question for one in people]) if people else None
        for shape in given.shapes.split(","):
            made, seconds = built(store, given, remembered, shape)
            index = open_pair_index(store, given.work, ENCLAVE, matcher.name)
            figures = measured(index, matcher, asked, vectors, truth)
            if wanted is not None:
                began = time.perf_counter()
                figures["EM"] = right(index, wanted, people)
                figures["people"] = len(people) / (time.perf_counter() - began)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            words = made.shape.words if made.shape else ""
            size = {"held": made.pairs, "bytes": made.bytes, "bytes a pair": made.bytes / made.pairs}
            yield {
                "shape": shape,
                "words": words,
                **figures,
                **size,
                "seconds to build": seconds,
                "most memory": memory,
            }


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for what is made")
    parser.add_argument("--set", type=Path, help="a folder of pairs_sets.py")
    parser.add_argument("--workspace", type=Path, required=True, help="whose pairs are asked for")
    parser.add_argument("--enclave", required=True)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--asked", type=int, default=2000)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    given = parser.parse_args(words)
    rows = common.Table()
    for row in rows_of(given):
        rows.add(row)
    common.write(given.json, {**rows[0], "shapes": {row["shape"]: row for row in rows[1:]}}, given.asked)


if __name__ == "__main__":
    main()
