"""Retrieval over two enclaves of different kinds: mails beside pages, tables beside passages, in one run.

    python benchmarks/mixed.py --corpora mails=DIR tables=DIR [--limit 150] [--json FILE]

Each DIR is what `benchmarks/mixed_corpora.py` wrote; its workspace, with an enclave for each of the two files, is made
in DIR. Privacy is off: what is measured is how enclaves share the places, not what may be sent where.

lexical, dense, hybrid: both enclaves ranked in one way. each: every enclave by the mode that finds most of its own gold
passages on the questions of the part "fitting" (recall@10, hybrid where two are as good). lexical, dense and hybrid,
equal: each enclave has the same number of places at each hop (`beam.ranking = "enclave"`; Arora et al. 2022, section
6.3). Only questions of the part "report" are reported.

Two enclaves make four paths of two hops, of which sharing keeps `width` / 2 chains each: twice as many as `width`. So
that nobody reads more, those that do not share have twice the width at questions of two hops. read: passages met of 20.

all@20: for each hop a gold document is among the first twenty passages met when chains of two hops are read best first;
for questions of one hop, chains of one. hop 1, hop 2: the gold document of that hop is among the ten best passages of
one search, by the question alone or with the gold passage of the first hop (the one that hybrid ranks highest among
200, or the question is left out). Where places are shared equally these are five of each enclave.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import common
from answerable.chains.beam import BeamSettings, gather
from answerable.evaluation.tasks.passages import met
from answerable.indexes.index import Mode
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Hit, Privacy, Query, Skill
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from mixed_corpora import KINDS

READ, BEST, DEEP = 20, 10, 200
MODES: tuple[Mode, ...] = ("hybrid", "dense", "lexical")
MEASURES = ("all@20", "read", "hop 1", "hop 2")

Row = dict[str, Any]
Marks = dict[str, float]


@dataclass(frozen=True)
class System:
    """How the two enclaves are ranked, and how their hits share the places."""

    mode: Mode
    equal: bool = False
    each: bool = False


SYSTEMS = {
    "lexical": System("lexical"),
    "dense": System("dense"),
    "hybrid": System("hybrid"),
    "each": System("hybrid", each=True),
    "lexical, equal": System("lexical", equal=True),
    "dense, equal": System("dense", equal=True),
    "hybrid, equal": System("hybrid", equal=True),
}


def opened(folder: Path, kind: str) -> Workspace:
    """The workspace of a corpus, made or gone on with."""
    settings = {"models.encoder": "minilm", "journal.keep": False}
    workspace = open_workspace(folder / "minilm", create=True, settings=settings)
    for enclave, declared in zip(KINDS[kind], ("private", "public"), strict=True):
        workspace.index([folder / f"{enclave}.jsonl"], enclave, declared)
    return workspace


def document(hit: Hit) -> str:
    """The id that the data has for a hit's document."""
    return hit.passage.document_id.rpartition("#")[2]


def holding(hits: Iterable[Hit], step: Sequence[str]) -> bool:
    """Whether one of the hits is of a document of this step."""
    return not set(step).isdisjoint(map(document, hits))


def best(door: Retriever, query: Query, k: int, equal: bool = False) -> list[Hit]:
    """The k best hits of one search over all enclaves, or k shared among them."""
    hops = door.search(query, Skill.EXPANDED if query.because else Skill.SINGLE, k)
    if equal:
        return [hit for hop in hops for hit in hop.hits[: k // len(hops)]]
    hits = [hit for hop in hops for hit in hop.hits]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id, hit.passage.enclave))[:k]


def queries(door: Retriever, row: Row) -> list[Query | None]:
    """The query of each hop, as if the passage before it had been found; None where it is not among the best."""
    first = Query(row["question"])
    if len(row["steps"]) == 1:
        return [first]
    gold = (hit for hit in best(door, first, DEEP) if holding([hit], row["steps"][0]))
    found = next(gold, None)
    return [first, first.follow((found,)) if found else None]


def judged(row: Row, door: Retriever, asked: Sequence[Query | None], system: System, beam: BeamSettings) -> Marks:
    """The measures of one question, each 0 or 1, and how many passages were read."""
    hops = len(row["steps"])
    width = beam.width * (1 if system.equal or hops == 1 else 2)
    ranking = replace(beam, hops=hops, width=width, ranking="enclave" if system.equal else "overall")
    evidence = gather(Query(row["question"]), door, ranking)
    read = list(islice(met(evidence.chains), READ))
    marks = {"all@20": float(all(holding(read, step) for step in row["steps"])), "read": float(len(read))}
    for number, (query, step) in enumerate(zip(asked, row["steps"], strict=True), start=1):
        if query is not None:
            marks[f"hop {number}"] = float(holding(best(door, query, BEST, system.equal), step))
    return marks


def under(door: Retriever, system: System, chosen: dict[str, Mode]) -> Retriever:
    """The door as a system has it, which remembers what it found for itself alone."""
    modes = chosen if system.each else {}
    return replace(door, settings=RetrieverSettings(mode=system.mode), modes=modes).remembering()


def choose(door: Retriever, rows: Iterable[Row], kind: str) -> tuple[dict[str, Mode], dict[str, dict[str, float]]]:
    """For each enclave the mode that finds most of its own gold passages, and what each finds: recall@10 there."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for query, step, domain in zip(queries(door, row), row["steps"], row["slice"], strict=True):
            if query is None:
                continue
            skill = Skill.EXPANDED if query.because else Skill.SINGLE
            home = KINDS[kind]["PG".index(domain)]
            for mode in MODES:
                hops = under(door, System(mode), {}).search(query, skill, BEST)
                hits = next(hop.hits for hop in hops if hop.enclave == home)
                found[home][mode].append(float(holding(hits, step)))
    recall = {enclave: {mode: fmean(ones) for mode, ones in modes.items()} for enclave, modes in found.items()}
    return {enclave: max(MODES, key=modes.__getitem__) for enclave, modes in recall.items()}, recall


def measure(door: Retriever, rows: Sequence[Row], chosen: dict[str, Mode], beam: BeamSettings) -> dict[str, Any]:
    """By system and slice the mean of each measure, and how many questions there were."""
    marks: dict[str, dict[str, list[Marks]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        asked = queries(door, row)
        for name, system in SYSTEMS.items():
            mark = judged(row, under(door, system, chosen), asked, system, beam)
            for slice_ in ("all", row["slice"]):
                marks[name][slice_].append(mark)
    return {
        name: {slice_: {"questions": len(ones), **means(ones)} for slice_, ones in slices.items()}
        for name, slices in marks.items()
    }


def means(marks: Sequence[Marks]) -> Marks:
    """The mean of each measure over the questions that have it, shares in per cent."""
    held = {name: [mark[name] for mark in marks if name in mark] for name in MEASURES}
    return {name: common.mean(values, 1 if name == "read" else 100) for name, values in held.items() if values}


def main(words: list[str] | None = None) -> None:
    """Index what is not indexed yet, choose on one part, and print tables of the other."""
    parser = common.parser(__doc__, limit=150)
    parser.add_argument("--corpora", nargs="+", metavar="KIND=DIR", required=True)
    given = parser.parse_args(words)
    beam = BeamSettings(k=10, width=10, keep_short=False)
    told = {}
    for kind, _, folder in (one.partition("=") for one in given.corpora):
        rows = list(common.rows(Path(folder) / "questions.jsonl"))
        reported = [row for row in rows if row["part"] == "report"]
        sample = random.Random(4).sample(reported, min(given.limit, len(reported)))
        with opened(Path(folder), kind) as workspace:
            door = workspace.engine().retriever.under(Privacy.NONE)
            chosen, recall = choose(door, (row for row in rows if row["part"] == "fitting"), kind)
            figures = measure(door, sample, chosen, beam)
        told[kind] = {"chosen": chosen, "fitting": recall, "systems": figures}
    common.tell(given.json, told)


if __name__ == "__main__":
    main()
