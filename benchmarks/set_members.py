"""What the members of sets are worth, and what each step of deciding on them brings: judged once, decided on in turn.

    python benchmarks/set_members.py --workspace DIR --data test.jsonl [--atoms atoms.jsonl] \
        --documents documents.jsonl.gz --judged FILE [--whole] [--limit N] [--json FILE]

The documents are indexed in DIR already. Of each query the documents found are judged on each constraint, those taken
away in their own words and with their noun, and kept in FILE, with which an interrupted run goes on. From these the
sets are decided on as `find` did and then with one step more at a time, so that differences are of the same documents,
judged alike. A member is excluded where the data has it in what is taken away, which `--atoms` tell. With `--whole` the
same queries are also found with nothing taken apart: one constraint, all else alike.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.metrics.hotpot import set_scores
from answerable.evaluation.sets.meaning import TEMPLATES, meant, read_atoms, template
from answerable.evaluation.tasks.passages import name_of
from answerable.sets.against import called, read_against
from answerable.sets.algebra import belonging, given_the_rest, placed, together
from answerable.sets.bounds import judged_within
from answerable.sets.candidates import gather
from answerable.sets.evidence import as_asked, judged_as
from answerable.sets.expression import (
    And,
    Atom,
    Expression,
    Minus,
    Or,
    asked_for,
    atoms,
    members,
    printed,
    read_expression,
    signed,
)
from answerable.sets.find import BATCH, ELSEWHEN
from answerable.sets.find_settings import FindSettings
from answerable.sets.threshold import CERTAIN, best_count
from answerable.sets.times import other_years
from answerable.types import Asker, Query
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

Floats = NDArray[np.float64]
Sets = Mapping[str, frozenset[str]]
FIRST = 10
ASIDE = 100
"""Documents that are looked at where it is not asked how far there are members."""


@dataclass(frozen=True, slots=True)
class Way:
    """How members are decided on: by the words with the noun, with none excluded as likely as not, held against its
    place, by the years it names, as far as there are members, from which probability on, and read for what is taken
    away, and the query held against them as it was asked."""

    noun: bool = False
    excluded: bool = False
    years: bool = False
    place: float = 0.0
    gain: float | None = None
    least: float = 0.05
    read: bool = False
    whole: float = 0.0


NOW = FindSettings()
WAYS: dict[str, Way] = {"as it was": (way := Way())}
for name, step in (
    ("with its noun", {"noun": True}),
    ("none excluded", {"excluded": True}),
    ("by its years", {"years": True}),
    ("by its place", {"place": NOW.place}),
    ("as far as there are", {"gain": NOW.gain}),
    ("the least raised", {"least": NOW.least}),
    ("read for what is taken away", {"read": True}),
    ("as it was asked", {"whole": NOW.whole_weight}),
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
    whole: Sequence[Floats]
    """The query as it was asked, where it is several constraints."""
    reads: tuple[Collection[str], ...]
    """Of each document that what is asked for may fit the constraints that are taken away and are read in it."""


def judge(workspace: Workspace, example: Example, depth: int) -> dict[str, Any]:
    """A line of the file of judgements: of the first `depth` documents."""
    scout = workspace._scout_now()
    read = scout._parse(example.question)[0].expression
    finder = scout.finder
    reader = finder.reader
    assert reader is not None
    said = judged_as(read)
    whole = [as_asked(example.question)] if len(said) > 1 else []
    words = tuple(dict.fromkeys((*atoms(read), *said.values(), *whole)))
    wanted = [words.index(text) for text in atoms(asked_for(read))]
    asker, gold = Asker("reader", frozenset(finder.retriever.enclaves)), frozenset(example.supporting)
    rows: list[list[Any]] = []
    reads: list[list[str]] = []
    for gathered in gather(Query(example.question, asker), read, finder.retriever, finder.settings):
        for start in range(0, min(depth, len(gathered.prospects)), BATCH):
            batch = gathered.prospects[start : start + BATCH]
            own = finder._passages(batch)
            texts = [(passage.heading, passage.text) for passages in own for passage in passages]
            shares = judged_within(finder.judge.judge, words, texts)
            parts = np.split(shares, np.cumsum([len(one) for one in own])[:-1])
            for one, passages, part in zip(batch, own, parts, strict=True):
                best = part.max(axis=0)
                rows.append([name_of(one.document, gold), *(round(float(share), 5) for share in best)])
                more = gathered.against.get((one.enclave, one.document), {})
                fits = best[wanted].max() >= NOW.least
                reads.append([*read_against(reader(), read, said, passages, more, ())] if fits else [])
    asked = printed(meant(example) or read)
    told = {"meant": asked, "e": printed(read), "cons": words, "whole": whole, "gold": sorted(gold)}
    return {"id": example.id, **told, "rows": rows, "read": reads}


def whole(workspace: Workspace, example: Example) -> dict[str, Any]:
    """A line of the file of finds with nothing taken apart: the members and how many documents were looked at."""
    found = workspace.find(example.question, Atom(" ".join(example.question.split())), evidence=False).found
    gold = frozenset(example.supporting)
    told = [[name_of(one.document, gold), round(one.probability, 5)] for one in found.members]
    asked = printed(meant(example) or found.expression)
    return {"id": example.id, "meant": asked, "gold": sorted(gold), "members": told, "looked at": found.considered}


def judged(line: Mapping[str, Any], texts: Mapping[str, str]) -> Judged:
    """What a line of the file says."""
    shares = np.array([row[1:] for row in line["rows"]], np.float64).reshape(-1, len(line["cons"]))
    said = {words: shares[:, column] for column, words in enumerate(line["cons"])}
    trees = read_expression(line["meant"]), read_expression(line["e"])
    documents = tuple(row[0] for row in line["rows"])
    read = tuple(texts[one] for one in documents)
    return Judged(
        *trees,
        frozenset(line["gold"]),
        documents,
        read,
        said,
        [said[one] for one in line["whole"]],
        tuple(line["read"]),
    )


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
    if way.read:
        for text in taken:
            fits[text] = np.where([text in told for told in one.reads], 1.0, fits[text])
    belongs = belonging(one.read, fits)
    for whole in one.whole:
        belongs = together(belongs, whole, way.whole)
    likely = placed(belongs, 0, way.place)
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


def excluded(expression: Expression, sets: Sets) -> frozenset[str]:
    """The documents in what is taken away."""
    match expression:
        case Minus(left, right):
            return excluded(left, sets) | members(right, sets)
        case And(parts) | Or(parts):
            return frozenset().union(*(excluded(part, sets) for part in parts))
    return frozenset()


def scores(
    asked: Expression, gold: Collection[str], decided: tuple[list[str], list[float], int], sets: Sets
) -> dict[str, Any]:
    """What was decided on is worth to one query. `sets`: as far as the data knows the documents of constraints."""
    given, shares, looked = decided
    found = set_scores(given, gold)
    right = [document in gold for document in given]
    taken = [said for said, negated in signed(asked) if negated]
    out = excluded(asked, sets) if set(taken) <= set(sets) else None
    ten = right[:FIRST]
    return {
        **{"precision": found.precision, "recall": found.recall, "F1": found.f1},
        **{"members": len(given), "looked at": looked, "first ten": sum(ten) / len(ten) if ten else None},
        "excluded": None if out is None else sum(document in out for document in given),
        "not": bool(taken),
        "template": TEMPLATES.get(template(asked) or "", "other"),
        "told": list(zip(shares, right, strict=True)),
    }


def averages(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Averages over queries; of the first ten over those with members, and of members excluded over all of them."""
    found: dict[str, Any] = {"queries": len(rows), "none found": sum(not row["members"] for row in rows)}
    for name in ("precision", "recall", "F1", "members", "looked at", "first ten"):
        held = [row[name] for row in rows if row[name] is not None]
        found[name] = common.mean(held) if held else None
    known = all(row["excluded"] is not None for row in rows)
    many = max(1, sum(row["members"] for row in rows))
    found["excluded"] = sum(row["excluded"] for row in rows) / many if known else None
    return found


def changes(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What changed on the same queries: of the first ten where both have members."""
    found: dict[str, Any] = {}
    for name in ("F1", "first ten"):
        both = [(a[name], b[name]) for a, b in zip(before, after, strict=True) if None not in (a[name], b[name])]
        found |= {name: common.change(both)} if both else {}
    return found


def by_template(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The queries of each template, and their F1."""
    names = [name for name in TEMPLATES.values() if any(row["template"] == name for row in rows)]
    held = {name: [row["F1"] for row in rows if row["template"] == name] for name in names}
    return {name: {"queries": len(values), "F1": common.mean(values)} for name, values in held.items()}


def told(first: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of a way, and what changed from the first to it."""
    nots = [at for at, row in enumerate(rows) if row["not"]]
    taking, before = [rows[at] for at in nots], [first[at] for at in nots]
    found = {
        "all": averages(rows),
        "not": averages(taking),
        "templates": by_template(rows),
        "believed": common.believed(one for row in rows for one in row["told"]),
    }
    return found | {"change": changes(first, rows), "change in not": changes(before, taking)}


def kept(path: Path, wanted: Sequence[Example], make: Callable[[Example], dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of a file, of these queries, in their order; those that are not there yet are made and added."""
    path.touch()
    there = {line["id"]: line for line in common.rows(path)}
    with path.open("a", encoding="utf8") as file:
        for one in wanted:
            if one.id not in there:
                there[one.id] = make(one)
                file.write(json.dumps(there[one.id]) + "\n")
                file.flush()
    return [there[one.id] for one in wanted]


def main(words: list[str] | None = None) -> None:
    """Judge what is not judged yet, decide in every way, and print a line for each."""
    parser = common.parser(__doc__, "workspace", "data", limit=200)
    parser.add_argument("--atoms", type=Path, help="the documents of each constraint, where the data knows")
    parser.add_argument("--documents", type=Path, required=True, help="the documents, as they are indexed")
    parser.add_argument("--judged", type=Path, required=True, help="where judgements are kept")
    parser.add_argument("--whole", action="store_true", help="also find each query as one constraint")
    parser.add_argument("--mode", choices=("hybrid", "lexical"), default="hybrid", help="how documents are found")
    parser.add_argument("--depth", type=int, default=150, help="documents judged of a query, at most (150)")
    given = parser.parse_args(words)
    examples = [one for one in load(given.data, "quest") if one.supporting]
    random.Random(0).shuffle(examples)
    wanted = examples[: given.limit]
    settings = {"search.mode": given.mode, "find.candidates": given.depth}
    apart: list[dict[str, Any]] = []
    with open_workspace(given.workspace, settings=settings) as workspace:
        lines = kept(given.judged, wanted, lambda one: judge(workspace, one, given.depth))
        if given.whole:
            apart = kept(given.judged.with_suffix(".whole.jsonl"), wanted, lambda one: whole(workspace, one))
    sets: Sets = read_atoms(given.atoms) if given.atoms else {}
    texts = {row["_id"]: f"{row.get('title') or ''}\n{row['text']}" for row in common.rows(given.documents)}
    held = [judged(line, texts) for line in lines]
    ways = {name: [scores(one.meant, one.gold, decide(one, way), sets) for one in held] for name, way in WAYS.items()}
    for line in apart:
        documents, shares = ([member[at] for member in line["members"]] for at in (0, 1))
        ways.setdefault("nothing taken apart", []).append(
            scores(read_expression(line["meant"]), line["gold"], (documents, shares, line["looked at"]), sets)
        )
    first = next(iter(ways.values()))
    figures = {name: told(first, found) for name, found in ways.items()}
    record: dict[str, Any] = {"queries": len(held), "ways": figures}
    if apart:
        record["taking apart brings"] = changes(ways["nothing taken apart"], ways[[*WAYS][-1]])
    common.tell(given.json, record)


if __name__ == "__main__":
    main()
