"""What the members of sets are worth, and what each step of deciding on them brings: judged once, decided on in turn.

    python benchmarks/set_members.py --workspace DIR --data test.jsonl --atoms atoms.jsonl \
        --documents documents.jsonl.gz --judged FILE [--limit N] [--json FILE]

The documents are indexed in DIR already. Of each query the documents found are judged on each constraint, those taken
away in their own words and with their noun, and kept in FILE, with which an interrupted run goes on. From these the
sets are decided on as `find` did and then with one step more at a time, so that differences are of the same documents,
judged alike. A member is excluded where the data has it in what is taken away.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.metrics.ranking import set_scores
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.sets.meaning import read_atoms
from answerable.evaluation.tasks.passages import name_of
from answerable.sets.algebra import belonging, given_the_rest, placed
from answerable.sets.candidates import gather
from answerable.sets.expression import (
    And,
    Atom,
    Expression,
    Minus,
    Or,
    atoms,
    members,
    printed,
    read_expression,
    signed,
)
from answerable.sets.find import BATCH, ELSEWHEN, called
from answerable.sets.find_settings import FindSettings
from answerable.sets.taken import judged_as
from answerable.sets.threshold import CERTAIN, best_count
from answerable.text import other_years
from answerable.types import Asker, Query
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

Floats = NDArray[np.float64]
FIRST = 10
ASIDE = 100
"""Documents that are looked at where it is not asked how far there are members."""
BINS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.01)


@dataclass(frozen=True, slots=True)
class Way:
    """How members are decided on: by the words with the noun, with none excluded as likely as not, held against its
    place, by the years it names, as far as there are members, and from which probability on."""

    noun: bool = False
    excluded: bool = False
    years: bool = False
    place: float = 0.0
    gain: float | None = None
    least: float = 0.05


NOW = FindSettings()
WAYS: dict[str, Way] = {"as it was": (way := Way())}
for name, step in (
    ("with its noun", {"noun": True}),
    ("none excluded", {"excluded": True}),
    ("by its years", {"years": True}),
    ("by its place", {"place": NOW.place}),
    ("as far as there are", {"gain": NOW.gain}),
    ("the least raised", {"least": NOW.least}),
):
    WAYS[name] = way = replace(way, **step)


@dataclass(frozen=True, slots=True)
class Judged:
    """A query's documents, best first, the probability of each constraint, by its words, and what the data says."""

    meant: Expression
    read: Expression
    gold: frozenset[str]
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    said: Mapping[str, Floats]


def judge(workspace: Workspace, example: Example, depth: int, whole: bool = False) -> dict[str, Any]:
    """A line of the file of judgements: of the first `depth` documents. `whole`: with nothing taken apart."""
    scout = workspace._scout_now()
    parsed = scout._understand(example.question, frozenset()).readings[0].expression
    finder, read = scout.finder, Atom(example.question) if whole else parsed
    words = tuple(dict.fromkeys((*atoms(read), *judged_as(read).values())))
    asker, gold = Asker("reader", frozenset(finder.retriever.enclaves)), frozenset(example.supporting)
    rows: list[list[Any]] = []
    for gathered in gather(Query(example.question, asker), read, finder.retriever, finder.settings):
        for start in range(0, min(depth, len(gathered.prospects)), BATCH):
            batch = gathered.prospects[start : start + BATCH]
            own = finder._passages(batch)
            texts = [(passage.heading, passage.text) for passages in own for passage in passages]
            parts = np.split(finder.judge.judge(words, texts), np.cumsum([len(one) for one in own])[:-1])
            for one, part in zip(batch, parts, strict=True):
                rows.append([name_of(one.document, gold), *(round(float(share), 5) for share in part.max(axis=0))])
    meant = example.meta["expression"]
    return {"id": example.id, "meant": meant, "e": printed(read), "cons": words, "gold": sorted(gold), "rows": rows}


def judged(line: Mapping[str, Any], texts: Mapping[str, str]) -> Judged:
    """What a line of the file says."""
    shares = np.array([row[1:] for row in line["rows"]], np.float64).reshape(-1, len(line["cons"]))
    said = {words: shares[:, column] for column, words in enumerate(line["cons"])}
    trees = read_expression(line["meant"]), read_expression(line["e"])
    documents = tuple(row[0] for row in line["rows"])
    return Judged(*trees, frozenset(line["gold"]), documents, tuple(texts[one] for one in documents), said)


def decide(one: Judged, way: Way) -> tuple[list[str], list[float], int]:
    """The members, best first, with their probabilities, and how many documents were looked at."""
    words = judged_as(one.read)
    taken = {text for text, negated in signed(one.read) if negated}
    fits = {text: one.said.get(words[text] if way.noun else text, one.said[text]) for text in words}
    if way.years:
        for text, said in words.items():
            fits[text] = fits[text] * [ELSEWHEN if other_years(said, read) else 1.0 for read in one.texts]
    if way.excluded:
        fits = given_the_rest(one.read, fits)
        first = [(title, text) for title, _, text in (read.partition("\n") for read in one.texts)]
        fits |= {text: np.where(called(text, first), 1.0, fits[text]) for text in taken}
        fits = {text: np.where(p >= CERTAIN, 1.0, p) if text in taken else p for text, p in fits.items()}
    likely = placed(belonging(one.read, fits), 0, way.place)
    looked = min(len(likely), ASIDE if way.gain is None else 2 * BATCH)
    shown = np.where(likely >= way.least, likely, 0.0)
    while way.gain is not None and looked < len(likely):
        if shown[looked - BATCH : looked].sum() <= way.gain * shown[:looked].sum():
            break
        looked = min(len(likely), looked + BATCH)
    order = np.argsort(-likely[:looked], kind="stable")
    most = max(best_count(likely[order]), int((likely[order] >= CERTAIN).sum()))
    chosen = [at for at in order[:most].tolist() if likely[at] >= way.least and likely[at]]
    return [one.documents[at] for at in chosen], [float(likely[at]) for at in chosen], looked


def excluded(expression: Expression, sets: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The documents in what is taken away."""
    match expression:
        case Minus(left, right):
            return excluded(left, sets) | members(right, sets)
        case And(parts) | Or(parts):
            return frozenset().union(*(excluded(part, sets) for part in parts))
    return frozenset()


def scores(one: Judged, way: Way, sets: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """What a way gives to one query."""
    given, shares, looked = decide(one, way)
    found = set_scores(given, one.gold)
    right = [document in one.gold for document in given]
    out = excluded(one.meant, sets)
    ten = right[:FIRST]
    return {
        **{"precision": found.precision, "recall": found.recall, "F1": found.f1},
        **{"members": len(given), "looked at": looked, "first ten": sum(ten) / len(ten) if ten else None},
        "excluded": sum(document in out for document in given),
        "not": any(taken for _, taken in signed(one.meant)),
        "told": list(zip(shares, right, strict=True)),
    }


def averages(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Averages over queries; of the first ten over those with members, and of members excluded over all of them."""
    found: dict[str, Any] = {"queries": len(rows), "none found": sum(not row["members"] for row in rows)}
    for name in ("precision", "recall", "F1", "members", "looked at", "first ten"):
        held = [row[name] for row in rows if row[name] is not None]
        found[name] = common.mean(held) if held else None
    found["excluded"] = sum(row["excluded"] for row in rows) / max(1, sum(row["members"] for row in rows))
    return found


def believed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Of the members within each bin of probabilities how many there are, what was said of them, and how many fit."""
    told = [one for row in rows for one in row["told"]]
    bins = []
    for low, high in pairwise(BINS):
        held = [(share, right) for share, right in told if low <= share < high]
        if held:
            said, true = (sum(map(float, column)) / len(held) for column in zip(*held, strict=True))
            bins.append({"from": low, "members": len(held), "said": round(said, 4), "true": round(true, 4)})
    return bins


def paired(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What changed on the same queries, with what holds 95 % of it: of the first ten where both have members."""
    found: dict[str, Any] = {}
    for name in ("F1", "first ten"):
        both = [(a[name], b[name]) for a, b in zip(before, after, strict=True) if None not in (a[name], b[name])]
        if both:
            gap = paired_bootstrap([a for a, _ in both], [b for _, b in both], common.SEED, common.ROUNDS)
            found[name] = {"queries": len(both), "mean": gap.mean, "low": gap.low, "high": gap.high, "p": gap.p}
    return found


def main(words: list[str] | None = None) -> None:
    """Judge what is not judged yet, decide in every way, and print a line for each."""
    given = arguments().parse_args(words)
    examples = [one for one in load(given.data, "quest") if one.supporting]
    if given.only_not:
        examples = [
            one for one in examples if any(taken for _, taken in signed(read_expression(one.meta["expression"])))
        ]
    random.Random(0).shuffle(examples)
    there = {json.loads(line)["id"] for line in given.judged.open()} if given.judged.exists() else set()
    wanted = [one for one in examples[: given.limit] if one.id not in there]
    if wanted:
        settings = {"models.reader": "overlap", "search.mode": given.mode}
        with open_workspace(given.workspace, settings=settings) as workspace, given.judged.open("a") as file:
            for one in wanted:
                file.write(json.dumps(judge(workspace, one, given.depth, given.whole)) + "\n")
    sets = read_atoms(given.atoms)
    asked = {one.id for one in examples[: given.limit]}
    with gzip.open(given.documents, "rt", encoding="utf8") as lines:
        texts = {row["_id"]: f"{row.get('title') or ''}\n{row['text']}" for row in map(json.loads, lines)}
    held = [judged(line, texts) for line in lines_of(given.judged, asked)]
    figures: dict[str, Any] = {}
    first: list[dict[str, Any]] = []
    for name, way in WAYS.items():
        rows = [scores(one, way, sets) for one in held]
        first = first or rows
        nots = [at for at, row in enumerate(rows) if row["not"]]
        taking, before = [rows[at] for at in nots], [first[at] for at in nots]
        figures[name] = {"all": averages(rows), "not": averages(taking), "believed": believed(rows)}
        figures[name] |= {"change": paired(first, rows), "change in not": paired(before, taking)}
        for what in ("all", "not"):
            told = (f"{key} {value:.3f}" for key, value in figures[name][what].items() if value is not None)
            print(f"{name:<20} {what:<4}", *told, flush=True)
    record: dict[str, Any] = {"queries": len(held), "ways": figures}
    if given.against:
        record["against"] = against(
            given.against, {one["id"]: one for one in lines_of(given.judged, asked)}, texts, sets
        )
    common.write(given.json, record)


def lines_of(path: Path, asked: Collection[str]) -> list[Mapping[str, Any]]:
    """The judgements of a file, of the queries that are asked."""
    return [line for line in map(json.loads, path.open()) if line["id"] in asked]


def against(
    path: Path, ours: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str], sets: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    """The same queries by the judgements of another judge, both decided on as `find` does now, and what changed from it
    to ours."""
    theirs = lines_of(path, ours)
    way = WAYS["the least raised"]
    before = [scores(judged(line, texts), way, sets) for line in theirs]
    after = [scores(judged(ours[line["id"]], texts), way, sets) for line in theirs]
    nots = [at for at, row in enumerate(before) if row["not"]]
    change = paired(before, after), paired([before[at] for at in nots], [after[at] for at in nots])
    told = {"before": averages(before), "after": averages(after), "change": change[0], "change in not": change[1]}
    for name, one in told.items():
        print("against", name, json.dumps(one), flush=True)
    return told


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, "workspace", "data", limit=200)
    parser.add_argument("--atoms", type=Path, required=True, help="the documents of each constraint")
    parser.add_argument("--documents", type=Path, required=True, help="the documents, as they are indexed")
    parser.add_argument("--judged", type=Path, required=True, help="where judgements are kept")
    parser.add_argument("--against", type=Path, help="what another judge said of the same queries, to compare with")
    parser.add_argument("--whole", action="store_true", help="judge each query as one constraint")
    parser.add_argument("--only-not", action="store_true", help="queries that take something away alone")
    parser.add_argument("--mode", choices=("hybrid", "lexical"), default="hybrid", help="how documents are found")
    parser.add_argument("--depth", type=int, default=150, help="documents judged of a query, at most (150)")
    return parser


if __name__ == "__main__":
    main()
