"""What privacy costs over a public and a private enclave, and what each lever wins back: every way for every question.

    python benchmarks/privacy_price.py --set NAME WORKSPACE QUESTIONS LIMIT [--timed 20] --workspace DIR

Each question is asked in every way of `WAYS` before the next one, and what a model makes of a text is kept until then,
so that what the ways have in common is worked out once. Processor time is of the first `--timed` questions, for which
nothing is kept. The answers lie in DIR, and the same command goes on with them; questions are drawn evenly from the
slices.

WORKSPACE has the enclaves `public`, which lies elsewhere, and `private`. Its mirror is the same index declared to lie
here; half of one holds every other passage. Parts are those that `ask --decompose` proposes; keywords are the telling
words of a question without their order. Both as if the asker had granted them; without privacy they are searched with
as well.

A question of GP whose own words, by the word index of `private`, find its private passage before all others needs no
public one to be found: such questions are no GP here and stand apart, as `GP alone`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import common
from answerable.chains.beam import BeamSettings
from answerable.chains.plan import parts
from answerable.corpora.store import HalfVectors
from answerable.datasets.examples import Example
from answerable.datasets.multihop import pooled
from answerable.datasets.records import lines
from answerable.encoders.encoder import Vectors
from answerable.encoders.session import Feed, Session
from answerable.engine import Engine, Terms
from answerable.evaluation.metrics.confidence import Curve, area, coverage_at_risk, risk_coverage
from answerable.evaluation.slices import USUAL
from answerable.evaluation.tasks import asking, passages
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.indexes.terms import analyzer
from answerable.privacy.enclaves import EnclaveTable, mirror
from answerable.types import Passage, Privacy
from answerable.workspace.opening import open_workspace
from answerable.workspace.terms import terms_of
from answerable.workspace.workspace import Workspace

PUBLIC, MIRROR = "public", "mirror"
ALONE = "GP alone"
SLICES = (*USUAL, ALONE)
READ = 20
"""Passages among which the gold ones are counted."""
Telling = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Way:
    """How a question is asked. `place`: where the public text lies. `told`: texts of the question that may travel."""

    privacy: Privacy
    place: str = "elsewhere"
    beam: Mapping[str, Any] | None = None
    told: Telling | None = None


def keywords(question: str) -> list[str]:
    """The telling words of a question in one text, in the order of the alphabet."""
    telling = set(analyzer(stop=True).analyze(question))
    words = {word.strip(".,;:?!“”\"'()") for word in question.split()}
    kept = (word for word in words if telling & set(analyzer(stop=True).analyze(word)))
    return [" ".join(sorted(kept, key=str.lower))]


AHEAD, NO_AHEAD = {"ahead": 50}, {"ahead": 0}
WAYS: Mapping[str, Way] = {
    "none": Way(Privacy.NONE),
    "none, as many chains": Way(Privacy.NONE, beam={"width": 10}),
    "none, 50 passages a search": Way(Privacy.NONE, beam={"k": 50}),
    "none, parts": Way(Privacy.NONE, told=parts),
    "document": Way(Privacy.DOCUMENT, beam=NO_AHEAD),
    "document, ahead": Way(Privacy.DOCUMENT, beam=AHEAD),
    "document, half mirror": Way(Privacy.DOCUMENT, "half", NO_AHEAD),
    "document, half mirror, ahead": Way(Privacy.DOCUMENT, "half", AHEAD),
    "document, mirror": Way(Privacy.DOCUMENT, "here", NO_AHEAD),
    "query": Way(Privacy.QUERY, beam=NO_AHEAD),
    "query, parts": Way(Privacy.QUERY, beam=NO_AHEAD, told=parts),
    "query, parts, ahead": Way(Privacy.QUERY, beam=AHEAD, told=parts),
    "query, keywords": Way(Privacy.QUERY, beam=NO_AHEAD, told=keywords),
    "query, keywords, ahead": Way(Privacy.QUERY, beam=AHEAD, told=keywords),
    "query, half mirror": Way(Privacy.QUERY, "half", NO_AHEAD),
    "query, mirror": Way(Privacy.QUERY, "here", NO_AHEAD),
}


@dataclass(frozen=True, slots=True)
class Half:
    """Every other passage of an enclave, by its id, as an enclave of its own."""

    whole: SearchableEnclave

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The best k of them among the best of all."""
        found = self.whole.search(query_text, vector, mode, 4 * k)
        return [row for row in found if hashlib.blake2b(row[0].encode()).digest()[0] % 2][:k]

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """The same; a mirror is never fetched from."""
        return self.search(query_text, vector, mode, k), {}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored ones."""
        return [replace(one, enclave=MIRROR) for one in self.whole.passages(ids)]


def engines(opened: Workspace) -> dict[str, Engine]:
    """The engine of a workspace by where its public text lies."""
    base = opened.engine()
    door = base.retriever
    here = EnclaveTable([*(one for one in door.enclaves.values() if one.name != PUBLIC), mirror(PUBLIC)])
    both = EnclaveTable([*door.enclaves.values(), mirror(MIRROR)])
    halved = {**door.indexes, MIRROR: Half(door.indexes[PUBLIC])}
    doors = {"elsewhere": door, "here": replace(door, enclaves=here),
             "half": replace(door, enclaves=both, indexes=halved)}  # fmt: skip
    return {place: replace(base, retriever=one) for place, one in doors.items()}


def terms(opened: Workspace, way: Way, question: str) -> Terms:
    """On which terms a question is asked."""
    texts = [text for text in way.told(question) if text] if way.told else []
    granted = [(PUBLIC, text) for text in texts] if way.privacy is Privacy.QUERY else []
    found, _ = terms_of(opened.settings, (), None, privacy=way.privacy, parts=granted)
    return replace(found, parts=tuple(texts))


def answered(engine: Engine, how: Terms, example: Example) -> dict[str, Any]:
    """One question asked one way: its figures, what was said, and which passages were found first."""
    began = time.process_time()
    answer = engine.ask(example.question, how)
    took = time.process_time() - began
    said = asking.guess(answer)
    found = asking.answer_scores(said, example.answers)
    hops, chains = answer.evidence.hops, answer.evidence.chains
    ranking = [id for id, _ in passages.found(example, chains)["ranking"][:READ]]
    gold = set(example.supporting)
    sure = {"shipped": answer.confidence, "softmax": dict(answer.confidences).get("softmax", 0.0)}
    searches = sum(one.refused is None for one in hops)
    return {"EM": found["EM"], "F1": found["F1"], "found": len(gold & set(ranking)) / len(gold), **sure,
            "searches": searches, "ms": 1000 * took, "said": said, "first": ranking[:4]}  # fmt: skip


@contextmanager
def kept(keep: bool) -> Iterator[None]:
    """Within, what models make of equal texts is worked out once, if it is to be kept."""
    made: dict[tuple[Any, ...], list[Any]] = {}
    run = Session.run

    def once(session: Session, feed: Feed) -> list[Any]:
        key = (id(session), *((name, value.shape, value.tobytes()) for name, value in sorted(feed.items())))
        if key not in made:
            made[key] = run(session, feed)
        return made[key]

    with patch.object(Session, "run", once if keep else run):
        yield


def slice_of(slice: str, example: Example, private: SearchableEnclave) -> str:
    """The slice a question counts in: where the first hop of GP is not needed to find the second passage, apart."""
    if slice != "GP":
        return slice
    first = private.passages([id for id, _ in private.search(example.question, None, "lexical", 1)])
    gold = example.supporting[-1]
    return ALONE if any(passages.name_of(one.document_id, {gold}) == gold for one in first) else slice


def drawn(path: Path, limit: int, private: SearchableEnclave) -> list[tuple[str, Example]]:
    """Questions with their slices, the slices in turn."""
    slices: dict[str, list[tuple[str, Example]]] = defaultdict(list)
    for row in lines(path):
        example = pooled(row)
        slice = slice_of(row.fields["slice"], example, private)
        slices[slice].append((slice, example))
    for ones in slices.values():
        ones.sort(key=lambda one: hashlib.blake2b(one[1].id.encode()).digest())
    turns = zip_longest(*(slices[name] for name in sorted(slices)))
    return [one for turn in turns for one in turn if one is not None][:limit]


Row = dict[str, Any]


def ask_all(opened: Workspace, questions: Sequence[tuple[str, Example]], timed: int, path: Path) -> list[Row]:
    """Every question in every way, those answered before as they lie there."""
    done = common.kept(path)
    known = {row["id"] for row in done}
    places, beam = engines(opened), opened.engine().beam
    with path.open("a", encoding="utf-8") as file:
        for number, (slice, example) in enumerate(questions):
            if example.id in known:
                continue
            row: Row = {"id": example.id, "slice": slice, "timed": number < timed, "ways": {}}
            with kept(number >= timed):
                for name, way in WAYS.items():
                    engine = replace(places[way.place], beam=_beam(beam, way))
                    row["ways"][name] = answered(engine, terms(opened, way, example.question), example)
            file.write(json.dumps(row) + "\n")
            file.flush()
            done.append(row)
    asked = {example.id for _, example in questions}
    return [row for row in done if row["id"] in asked]


def _beam(beam: BeamSettings, way: Way) -> BeamSettings:
    return replace(beam, **(way.beam or {}))


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The averages of each way, by slice; what each way costs and how sure it is."""
    told: dict[str, Any] = {"questions": len(rows)}
    for name in WAYS:
        ones = [(row["slice"], row["ways"][name]) for row in rows]
        found: dict[str, float] = {
            key: common.mean((one[key] for _, one in ones), 100) for key in ("EM", "F1", "found")
        }
        for slice in SLICES:
            held = [one["F1"] for own, one in ones if own == slice]
            found |= {slice: common.mean(held, 100)} if held else {}
        found["searches"] = fmean(one["searches"] for _, one in ones)
        timed = [row["ways"][name]["ms"] for row in rows if row["timed"]]
        found |= {"ms": fmean(timed)} if timed else {}
        curves = {(sure, at): _curve(ones, sure, at) for sure in ("shipped", "softmax") for at in ("", *SLICES)}
        found |= {f"{at} area by {sure}".strip(): 100 * area(curve) for (sure, at), curve in curves.items() if curve}
        goal = 1 - fmean(row["ways"]["none"]["F1"] for row in rows) + 1e-9
        if whole := curves["shipped", ""]:
            found["coverage to match"] = 100 * coverage_at_risk(whole, goal)
        told[name] = found
    lost = [row["ways"]["none"]["F1"] - row["ways"]["document"]["F1"] for row in rows]
    won = [row["ways"]["document, ahead"]["F1"] - row["ways"]["document"]["F1"] for row in rows]
    told["lost by document"], told["won back by default"] = common.mean(lost, 100), common.mean(won, 100)
    told["of each slice"] = {slice: sum(row["slice"] == slice for row in rows) for slice in SLICES}
    return told


def _curve(ones: Sequence[tuple[str, Mapping[str, float]]], sure: str, at: str) -> Curve | None:
    """Risk against coverage of the answers of a slice, or of all, the surest first; None where there are none."""
    held = [(one[sure], 1 - one["F1"]) for slice, one in ones if at in ("", slice)]
    return risk_coverage(*zip(*held, strict=True)) if held else None


def main(words: list[str] | None = None) -> None:
    """Ask, and write the record."""
    parser = common.parser(__doc__, "workspace")
    names = ("NAME", "WORKSPACE", "QUESTIONS", "LIMIT")
    parser.add_argument("--set", nargs=4, action="append", required=True, metavar=names)
    parser.add_argument("--timed", type=int, default=20)
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    told = {}
    for name, folder, questions, limit in given.set:
        if not limit.isdecimal():
            parser.error(f"LIMIT of {name} is {limit!r}, and no number")
        with open_workspace(folder, trust=True) as opened:
            asked = drawn(Path(questions), int(limit), opened.engine().retriever.indexes["private"])
            rows = ask_all(opened, asked, given.timed, given.workspace / f"{name}.jsonl")
        told[name] = figures(rows)
    common.tell(given.json, told, [told[name]["questions"] for name in told])


if __name__ == "__main__":
    main()
