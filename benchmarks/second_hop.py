"""How often the second passage of two is found without the first: what words, vectors and both find from the question.

    python benchmarks/second_hop.py --workspace DIR --split DIR [--encoder minilm] [--limit 150]
        [--modes lexical] [--read 50] [--json FILE]

Arora et al. 2022 (PAIR), section 6.3: BM25 "often cheats by retrieving the Hop 2 passage, without the Hop 1 passage";
where it retrieves the second passage in the first hop it scores 64.2 F1, and where not 18.3. Questions of two hops in a
known order are asked, from a split of `answerable evaluate split` or of `answerable-bench build`, over the
workspace where its two enclaves are indexed. Privacy is off, as in that section.

first@k, second@k: the gold passage of that hop is among the k best of one search with the question alone.
alone@k: the second is, and the first is not. length: characters of the question. words 1, words 2: the share of the
question's words, without those that say nothing, that stand in that passage; chance: in the other questions' passages.
With `--read` so many questions are asked whole, searching by words: the F1 of the best answer (given or not) where the
first search found the second passage among the `beam.k` of its enclave, and where it did not.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.hop_order import ORDERED
from answerable.evaluation.tasks.asking import answer_scores, guess
from answerable.evaluation.tasks.passages import name_of
from answerable.languages import STOP_WORDS
from answerable.retriever import Retriever, RetrieverSettings
from answerable.text import words
from answerable.types import Hit, Privacy, Query, Skill
from answerable.workspace.opening import open_workspace

PLACES = (10, 100)
MODES = ("lexical", "dense", "hybrid")

Row = dict[str, Any]


def asked(split: Path, count: int) -> list[Row]:
    """Questions of two hops whose order is known, drawn with a fixed seed."""
    rows = [row for row in common.rows(split / "questions.jsonl") if len(row["gold"]) == 2 and row["order"] in ORDERED]
    return random.Random(4).sample(rows, min(count, len(rows)))


def texts(split: Path, wanted: set[str]) -> dict[str, str]:
    """Title and text of the gold passages, by id."""
    rows = (row for name in ("public", "private") for row in common.rows(split / f"{name}.jsonl"))
    return {row["_id"]: f"{row.get('title', '')} {row['text']}" for row in rows if row["_id"] in wanted}


def first_search(door: Retriever, row: Row) -> list[str]:
    """The documents of the best passages of all enclaves together, by the data's ids."""
    hits = [hit for hop in door.search(Query(row["question"]), Skill.SINGLE, PLACES[-1]) for hit in hop.hits]
    best = sorted(hits, key=lambda hit: (-hit.score, hit.passage.id, hit.passage.enclave))[: PLACES[-1]]
    return _named(best, row)


def _named(hits: Iterable[Hit], row: Row) -> list[str]:
    return [name_of(hit.passage.document_id, row["gold"]) for hit in hits]


def found(ids: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """first@k, second@k and alone@k of one question."""
    marks: dict[str, float] = {}
    for k in PLACES:
        first, second = (one in ids[:k] for one in gold)
        marks |= {f"first@{k}": float(first), f"second@{k}": float(second), f"alone@{k}": float(second and not first)}
    return marks


def shared(question: str, text: str) -> float:
    """The share of the question's words that stand in a text."""
    own = {word for word in words(question) if word not in STOP_WORDS}
    return len(own.intersection(words(text))) / len(own) if own else 0.0


def overlaps(rows: Sequence[Row], held: dict[str, str]) -> list[dict[str, float]]:
    """length, words 1, words 2 and chance of each question; chance is the second passage of the question after it."""
    after = [*rows[1:], *rows[:1]]
    return [
        {
            "length": len(row["question"]),
            "words 1": shared(row["question"], held[row["gold"][0]]),
            "words 2": shared(row["question"], held[row["gold"][1]]),
            "chance": shared(row["question"], held[other["gold"][1]]),
        }
        for row, other in zip(rows, after, strict=True)
    ]


def by_slice(rows: Sequence[Row], marks: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Means over all questions and over each slice; shares in per cent."""
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row, mark in zip(rows, marks, strict=True):
        for name in ("all", row["slice"]):
            groups[name].append(mark)
    return {
        name: {
            "questions": len(ones),
            **{key: common.mean([one[key] for one in ones], 1 if key == "length" else 100) for key in ones[0]},
        }
        for name, ones in groups.items()
    }


def read(folder: Path, encoder: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Guess F1 where the first search by words found the second passage, and where not."""
    scores: dict[str, list[float]] = {"found": [], "not found": []}
    settings = {"models.encoder": encoder, "search.mode": "lexical", "journal.keep": False}
    with open_workspace(folder, settings=settings) as workspace:
        for row in rows:
            answer = workspace.ask(row["question"], privacy=Privacy.NONE)
            first = [hit for hop in answer.evidence.hops if not hop.query.because for hit in hop.hits]
            which = "found" if row["gold"][1] in _named(first, row) else "not found"
            scores[which].append(answer_scores(guess(answer), [str(row["answer"])])["F1"])
    return {
        name: {"questions": len(ones), **({"F1": common.mean(ones, 100)} if ones else {})}
        for name, ones in scores.items()
    }


def main(words: list[str] | None = None) -> None:
    """Search, count, and print a table for each mode."""
    parser = common.parser(__doc__, "workspace", limit=150)
    parser.add_argument("--split", type=Path, required=True)
    parser.add_argument("--encoder", default="minilm", help="the workspace's")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=["lexical"])
    parser.add_argument("--read", type=int, default=0)
    given = parser.parse_args(words)
    rows = asked(given.split, given.limit)
    held = texts(given.split, {id for row in rows for id in row["gold"]})
    told: dict[str, Any] = {"questions": by_slice(rows, overlaps(rows, held))}
    settings = {"models.encoder": given.encoder, "journal.keep": False}
    with open_workspace(given.workspace, settings=settings) as workspace:
        door = workspace.engine().retriever.under(Privacy.NONE)
        if missing := sorted(set(door.enclaves) - set(door.indexes)):
            parser.error(f"{', '.join(missing)} cannot be searched with this encoder")
        for mode in given.modes:
            ranked = replace(door, settings=RetrieverSettings(mode=mode), modes={})
            told[mode] = by_slice(rows, [found(first_search(ranked, row), row["gold"]) for row in rows])
    if given.read:
        told["read"] = read(given.workspace, given.encoder, rows[: given.read])
    common.tell(given.json, told)


if __name__ == "__main__":
    main()
