"""Chains read as paths: what a path reader makes of the chains that a search kept, beside the span reader.

    python benchmarks/paths.py --data DATA --workspace DIR [--limit 150] [--read 20]
        [--part report|development] [--weights 1.0] [--json FILE]

Questions of HotpotQA and 2WikiMultihopQA, two hops over the pool with the encoder of skills, in the workspace that
`skills.py` makes in DIR. Every system reads the same chains of two passages, the first `--read`.

passage EM: the best chain is the gold passages. Sentences: F1 of those said to support the answer, in the best chain,
against all gold ones. Answer: EM and F1 of the best answer; joint: F1 of both. All as HotpotQA computes them.
"as searched" takes the best chain of the search, but the span reader the best answer of all of them; "as read" ranks
them as paths first and then answers from the best, as the paper does; "by paths alone" forgets the order of the search;
"both" adds `--weights` times a path's score to that of each of its answers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import common
from answerable.chains.beam import BeamSettings, gather
from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.shipped import open_shipped
from answerable.evaluation.metrics.hotpot import answer_scores, joint_scores, set_scores
from answerable.readers.paths import PathReader, ReadPath, open_paths, ranked
from answerable.readers.span import SpanReader
from answerable.retriever import RetrieverSettings
from answerable.training.paths.draw import placed
from answerable.training.reading import PoolPassage, load_pool
from answerable.types import Candidate, Chain, Query
from answerable.workspace.models import open_reader
from hotpot import documents
from skills import POOL, opened, questions

SETS = ("hotpotqa", "2wikimultihopqa")
Marks = dict[str, float]


def best(candidates: Sequence[Candidate]) -> Candidate | None:
    """The best answer, ties by text."""
    return min(candidates, key=lambda c: (-c.score, c.text), default=None)


def facts(path: ReadPath, pool: dict[str, PoolPassage]) -> list[tuple[str, int]]:
    """Titles and numbers of the sentences that a reader says support the answer, by the sentences of the data."""
    found = []
    for one in path.supporting:
        hit = path.chain.hits[one.hit]
        passage = pool[hit.passage.document_id.rpartition("#")[2]]
        middle = (one.start + one.end) // 2
        found += [(passage.title, n) for n, (start, end) in enumerate(placed(passage)) if start <= middle < end]
    return found


def marks(row: dict[str, Any], chain: Chain, said: Candidate | None, support: list[tuple[str, int]] | None) -> Marks:
    """The measures of one question; without `support` nothing is said of sentences."""
    answer = answer_scores(said.text if said else "", (row["answer"], *(row.get("aliases") or ())))
    made = {"passage EM": float(set(row["gold"]) == set(documents(chain))), "EM": answer.em, "F1": answer.f1}
    gold = [(title, number) for title, number in row["supporting"] if number is not None]
    if support is not None and gold:
        sentences = set_scores(support, gold)
        made |= {"sentences": sentences.f1, "joint": joint_scores(answer, sentences).f1}
    return made


def measure(
    rows: list[tuple[dict[str, Any], list[Chain]]],
    span: SpanReader,
    paths: PathReader,
    pool: dict[str, PoolPassage],
    weights: Sequence[float],
) -> dict[str, Marks]:
    """The means over questions of each system, in per cent, and the median time of reading in milliseconds."""
    found: dict[str, list[Marks]] = {}
    for row, chains in rows:
        began = time.perf_counter()
        said = best(span.read(row["question"], chains))
        spent = time.perf_counter() - began
        made = {"as searched, span reader": marks(row, chains[0], said, None) | {"ms": spent}}
        began = time.perf_counter()
        read = paths.look(row["question"], chains)
        spent = time.perf_counter() - began
        made["as searched, path reader"] = _of(row, read[0], pool)
        made["by paths alone, path reader"] = _of(row, max(read, key=lambda path: path.score), pool)
        order = ranked(read)
        top = order[0][0]
        made["as read, path reader"] = _of(row, top, pool) | {"ms": spent}
        made["as read, span reader"] = marks(row, top.chain, best(span.read(row["question"], [top.chain])), None)
        for weight in weights:
            joined = [
                (path, replace(c, score=c.score + weight * score)) for path, score in order for c in path.candidates
            ]
            path, one = min(joined, key=lambda pair: (-pair[1].score, pair[1].text), default=(top, None))
            made[f"both, {weight:g}"] = marks(row, path.chain, one, facts(path, pool))
        for name, values in made.items():
            found.setdefault(name, []).append(values)
    return {name: _means(values) for name, values in found.items()}


def _of(row: dict[str, Any], path: ReadPath, pool: dict[str, PoolPassage]) -> Marks:
    return marks(row, path.chain, best(path.candidates), facts(path, pool))


def _means(values: list[Marks]) -> Marks:
    names = dict.fromkeys(name for one in values for name in one)
    held = {name: [one[name] for one in values if name in one] for name in names}
    return {
        name: 1000 * statistics.median(each) if name == "ms" else common.mean(each, 100) for name, each in held.items()
    }


def main(words: list[str] | None = None) -> None:
    """Index what is not indexed yet, and print a table."""
    parser = common.parser(__doc__, "data", "workspace", limit=150)
    parser.add_argument("--read", type=int, default=20)
    parser.add_argument("--part", default="report", choices=("report", "development"))
    parser.add_argument("--weights", type=float, nargs="*", default=[1.0])
    given = parser.parse_args(words)
    paths, span = open_paths(open_shipped(encoder_folder(SKILLS))), open_reader("span")[0]
    assert isinstance(span, SpanReader)
    pool = load_pool(given.data / POOL)
    asked = {name: rows for name, rows in questions(given.data, given.part, given.limit).items() if name in SETS}
    table = common.Table()
    with opened(given.workspace, "skills", [given.data / POOL], linking=False) as workspace:
        door = replace(workspace.engine().retriever, settings=RetrieverSettings(mode="hybrid"))
        for group, rows in asked.items():
            held = []
            for row in rows:
                chains = gather(Query(row["question"]), door, BeamSettings(hops=2, k=10, width=given.read)).chains
                held.append((row, [chain for chain in chains if len(chain.hits) == 2][: given.read]))
            for name, means in measure([one for one in held if one[1]], span, paths, pool, given.weights).items():
                table.add({"set": group, "system": name, "questions": len(rows), "read": given.read, **means})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
