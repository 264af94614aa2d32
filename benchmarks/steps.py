"""Two steps with the query updated, against the same weights without the update, one step, BM25 and a plain encoder.

    python benchmarks/steps.py --data DATA --workspace DIR [--limit 300] [--sets NAME ...] [--systems NAME ...]
        [--json FILE]

Paired: every system answers the same questions over documents opened once, with the same reader and as many windows.
`walk` takes two steps for each piece of evidence, and puts pairs in order where it wants two; `no update` has its
weights and queries that stay as they were; `one step` attends to sentences once by the second of these queries, BM25
kept, for one piece; `single hop` once by the first, BM25 kept, and puts pairs of the best sentences in order as the
walk does; `bm25` reads the best paragraphs by words; `plain` those by rank of BM25 and of the encoder that searches
(reciprocal ranks), on every fourth question since it encodes each document again. Systems decide themselves how many
pieces of evidence they want, as when a person asks; but without its update the walk seldom goes on, so that `as many
pieces` is `no update` with the number of them that the walk takes. `stop`: the walk takes as many as there are.

`F1` is SQuAD's. `hits`: the best sentence holds some of the last piece of evidence. `read`: of each piece something
stands in what was read, where the answer's piece is known. Differences are tested by paired bootstrap and, where all
values are 0 or 1, by McNemar's exact test. Questions are taken from all sets in turn, and what is interrupted
resumes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.documents.reader import Shelved
from answerable.documents.walk import WalkSettings
from answerable.encoders.choose import MINILM, SKILLS, open_encoder
from answerable.encoders.encoder import Encoder, Vectors
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, pieces
from answerable.evaluation.long.open import open_guide
from answerable.evaluation.long.systems import alone, densest, fullest, rarity, rows_of
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.tasks.long import Shelves, survey
from answerable.evaluation.tasks.navigating import meets, wanted
from answerable.readers.reader import best_first
from answerable.types import Candidate, Chain, Skill
from answerable.workspace.models import open_reader

MULTIHOP = ("hotpotqa", "musique", "2wikimultihopqa", "hybridqa", "ottqa")
SINGLE = ("squad", "nq", "covidqa", "policyqa", "doc2dial", "conditionalqa")
ROUND = 20
"""Questions of a set that are asked before the next set."""
RRF = 60
PLAIN, TWIN = "plain", "as many pieces"
Read = tuple[Sequence[Candidate], Sequence[Chain], Sequence[int]]
"""Candidates, best first; the chains that were read; the sentences held to be evidence, best first."""


class Systems:
    """All systems over one document at a time; what two of them read alike is read once."""

    def __init__(self) -> None:
        self.guide, self.about = open_guide(SKILLS, "span", 1)
        ranker: Any = open_reader(SKILLS, 1)[0]
        ranked = replace(self.guide, ranker=ranker)
        self.encoder: Encoder = open_encoder(MINILM, 1)
        self.guides = {
            "walk": ranked,
            "no update": replace(ranked, walking=WalkSettings(update=False)),
            TWIN: replace(ranked, walking=WalkSettings(update=False)),
            "one step": replace(self.guide, walking=WalkSettings(update=False)),
            "single hop": replace(ranked, walking=WalkSettings(single=True)),
        }
        self._vectors: tuple[Shelved, Vectors] | None = None

    def pieces(self, shelf: Shelved, question: str) -> int:
        """How many pieces of evidence the walk takes."""
        walked = self.guides["walk"].walk(shelf, question)
        return 2 if walked and walked.second else 1

    def answer(self, name: str, shelf: Shelved, question: str) -> Read:
        """One question to one system."""
        if name in self.guides:
            guide = self.guides[name]
            count = 1 if name == "one step" else self.pieces(shelf, question) if name == TWIN else 0
            found = guide.read(shelf, question, count)
            assert found.walked is not None
            rows = [second for _, second, _ in found.pairs] or [one for one, _ in found.walked.first.best(8)]
            return found.candidates, found.chains, rows
        scores = shelf.wording.bm25(question)
        if name == PLAIN:
            scores = _fused(scores, self._paragraphs(shelf) @ self.encoder.encode_query(question, Skill.SINGLE))
        order = [int(i) for i in np.lexsort((np.arange(len(scores)), -scores))[: self.guide.settings.windows]]
        rare = rarity(shelf, question)
        room = self.guide.settings.wide // 2
        chains = [alone(densest(shelf.book, i, rare, room), float(scores[i])) for i in order]
        rows = [fullest(shelf.book, rows_of(shelf.book, i), rare) for i in order]
        return best_first(self.guide.reader.read(question, chains)), chains, rows

    def _paragraphs(self, shelf: Shelved) -> Vectors:
        """Every paragraph under its headings by the plain encoder, made once for a document."""
        if self._vectors is None or self._vectors[0] is not shelf:
            text = shelf.book.document.text
            passages = [(" > ".join(one.path), text[one.start : one.end]) for one in shelf.book.paragraphs]
            self._vectors = shelf, self.encoder.encode_passages(passages)
        return self._vectors[1]


def _fused(one: Vectors, other: Vectors) -> Vectors:
    """Reciprocal ranks of two scorings of the same paragraphs, summed."""
    ranks = [np.argsort(np.lexsort((np.arange(len(some)), -some))) for some in (one, other)]
    found: Vectors = sum((1.0 / (RRF + rank) for rank in ranks), np.zeros(len(one))).astype(np.float32)
    return found


def scores(document: LongDocument, asked: LongQuestion, shelf: Shelved, read: Read) -> dict[str, float]:
    """What one answer is worth; see the module."""
    candidates, chains, rows = read
    found: dict[str, float] = {"characters": sum(len(hit.passage.text) for one in chains for hit in one.hits)}
    said = " ".join(candidates[0].text.split()) if candidates else ""
    if asked.answers:
        found |= {"EM": exact(said, asked.answers), "F1": f1(said, asked.answers)}
    gold = pieces(document, asked)
    if gold and gold[-1]:
        passages = [hit.passage for one in chains for hit in one.hits]
        found["hits"] = float(bool(rows) and meets(shelf.book.span(rows[0]), gold[-1]))
        found["read"] = float(all(any(meets((p.start, p.end), piece) for p in passages) for piece in gold))
    return found


def asked_in_turn(data: Path, sets: Sequence[str], limit: int) -> Iterator[tuple[str, LongDocument, LongQuestion, int]]:
    """Questions of every set in turn, some of each, with their numbers; those of one document stand together."""
    held = {}
    for name in sets:
        drawn = survey(data, name, "report", wanted, limit, 25)
        held[name] = [(one, asked) for one, some in drawn.documents for asked in some]
    for first in range(0, limit, ROUND):
        for name in sets:
            for number, (document, asked) in enumerate(held[name][first : first + ROUND], first):
                yield name, document, asked, number


def run(given: argparse.Namespace, path: Path) -> None:
    """Ask what is not there yet, a line of JSON a question."""
    done = {(row["set"], row["id"]) for row in common.kept(path)}
    systems = Systems()
    shelves = Shelves(systems.guide.navigator)
    with path.open("a", encoding="utf-8") as kept:
        for name, document, asked, number in asked_in_turn(given.data, given.sets, given.limit):
            if (name, asked.id) in done or not document.paragraphs:
                continue
            shelf, seconds = shelves.open(document)
            words = asked_of(asked)[0]
            row: dict[str, Any] = {"set": name, "id": asked.id, "opened": round(seconds, 3), "systems": {}}
            row |= {"pieces": systems.pieces(shelf, words), "gold": len(pieces(document, asked))}
            every = [*systems.guides, "bm25", *([PLAIN] if number % 4 == 0 else [])]
            for system in [one for one in every if not given.systems or one in given.systems]:
                began = time.process_time()
                read = systems.answer(system, shelf, words)
                took = round(time.process_time() - began, 4)
                row["systems"][system] = {**scores(document, asked, shelf, read), "seconds": took}
            print(json.dumps(row), file=kept, flush=True)


def difference(rows: Sequence[Mapping[str, Any]], one: str, other: str, measure: str) -> dict[str, float] | None:
    """How much better `one` is than `other` on the same questions, in points of 100; None without any."""
    pairs = [
        (row["systems"][other][measure], row["systems"][one][measure])
        for row in rows
        if measure in row["systems"].get(other, {}) and measure in row["systems"].get(one, {})
    ]
    if not pairs:
        return None
    found = paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs])
    better, worse = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
    told = {"n": len(pairs), "by": 100 * found.mean, "low": 100 * found.low, "high": 100 * found.high, "p": found.p}
    if all(value in (0.0, 1.0) for pair in pairs for value in pair):
        told["McNemar"] = common.sign_test(better, worse)
    return {**told, "better": better, "worse": worse}


def figures(rows: Sequence[Mapping[str, Any]], sets: Sequence[str]) -> dict[str, Any]:
    """Means and differences of each set, and of several together."""
    groups: dict[str, Callable[[str], bool]] = {name: name.__eq__ for name in sets}
    groups |= {"multi-hop": MULTIHOP.__contains__, "single documents": SINGLE.__contains__}
    found: dict[str, Any] = {}
    for name, holds in groups.items():
        some = [row for row in rows if holds(row["set"])]
        if not some:
            continue
        stops = [row["pieces"] == row["gold"] for row in some if row.get("gold")]
        names = list(dict.fromkeys(system for row in some for system in row["systems"]))
        found[name] = {
            "questions": len(some),
            "opening": common.mean([row["opened"] for row in some]),
            "stop": common.mean(stops, 100) if stops else None,
            "systems": {system: _means(some, system) for system in names},
            "against the walk": {
                system: {m: difference(some, system, "walk", m) for m in ("F1", "EM", "hits", "read")}
                for system in names
                if system != "walk"
            },
        }
    return found


def _means(rows: Sequence[Mapping[str, Any]], system: str) -> dict[str, Any]:
    held = [row["systems"][system] for row in rows if system in row["systems"]]
    told: dict[str, Any] = {"n": len(held)}
    for measure, times in (
        ("F1", 100),
        ("EM", 100),
        ("hits", 100),
        ("read", 100),
        ("characters", 1),
        ("seconds", 1000),
    ):
        if values := [one[measure] for one in held if measure in one]:
            told[measure] = common.mean(values, times)
    return told


def main(words: list[str] | None = None) -> None:
    """Ask, and print a line for each set and system."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--sets", nargs="*", default=(*MULTIHOP, *SINGLE), choices=(*MULTIHOP, *SINGLE))
    parser.add_argument("--systems", nargs="*", default=[], help="only these")
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    path = given.workspace / "steps.jsonl"
    run(given, path)
    table = figures([row for row in common.kept(path) if row["set"] in given.sets], given.sets)
    common.tell(given.json, table)


if __name__ == "__main__":
    main()
