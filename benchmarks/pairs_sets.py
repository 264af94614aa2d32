"""The sets on which pairs are measured: a small corpus, questions that it answers, and all that is made of it.

    python benchmarks/pairs_sets.py --data DATA --workspace DIR SET [--articles 9] [--limit 250] [--others 250]
        [--filters local global] [--most 2] [--generator learned] [--no-make]

    squad      the SQuAD 1.1 articles kept for the report; other articles' questions are the training ones
    nq         NQ's development questions, their gold passages and so many others
    squad-tune, nq-tune    as squad and nq, of articles and questions that are for tuning: no model learned from them
    hops-dev   HotpotQA's training questions, which need two passages, their passages and so many others: for thresholds
    open       NQ-open questions without passages, over the corpus of nq: those an answer of which is found by words

Writes DIR/SET: passages.jsonl, questions.jsonl, training.jsonl, the workspace `ws` and, but for open, the
run made.jsonl of everything that the parts make of it (`making.py`). Stopped, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.datasets.parts import squad_part
from answerable.datasets.records import Record, lines
from answerable.evaluation.qapairs.matching import evenly
from answerable.types import Passage
from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import (
    ALL,
    LEARNED,
    SELECTION,
    Wanted,
    filter_fit,
    open_extractors,
    open_filter,
    open_generator,
    open_selector,
)  # fmt: skip
from answerable.workspace.workspace import Workspace
from making import Makers, make
from which import articles, as_rows, by_words, standing, within

ENCLAVE = "text"
SQUAD, SQUAD_TRAIN = Path("squad/squad1.1.json.gz"), Path("squad/squad-train-part.json.gz")
NQ, NQ_TRAIN, NQ_PASSAGES = Path("nq/nq-dev.json.gz"), Path("nq/nq-train.json.gz"), Path("nq/nq-passages.jsonl.gz")
HOPS, HOPS_PASSAGES = Path("hotpotqa/train.jsonl"), Path("multihop/passages.jsonl.gz")
WITHOUT = {"open": Path("nq/nq-open-dev.jsonl")}
"""Questions that come without passages."""
CORPUS = dict.fromkeys(WITHOUT, "nq")
"""The set whose passages, and pairs, these are asked of."""
SETS = ("squad", "squad-tune", "nq", "nq-tune", "hops-dev")
REPORTED = 250
"""Questions of NQ that a report is made on, at most: none of these is in nq-tune."""
TOLD = 200
"""Passages between two lines of progress."""
Rows = list[dict[str, Any]]


def of_articles(path: Path, wanted: Callable[[str], bool], given: argparse.Namespace) -> tuple[Rows, list[Example]]:
    """Paragraphs of whole articles and their questions."""
    found = articles(path, wanted, given.articles)
    rows = [row for ones in found.values() for row in ones]
    names = {row["_id"] for row in rows}
    return rows, evenly(list(within(load(path, "squad"), names)), given.limit)


def gold_and_others(every: Mapping[str, Record], asked: Iterable[Example], others: int) -> Rows:
    """The passages that these questions need, and so many others, evenly drawn, in their order."""
    gold = {name for one in asked for name in one.supporting}
    chosen = gold | set(evenly([name for name in every if name not in gold], others))
    return [
        {"_id": name, "title": row.words("title"), "text": row.text("text")}
        for name, row in every.items()
        if name in chosen
    ]


def of_nq(data: Path, name: str, given: argparse.Namespace) -> tuple[Rows, list[Example]]:
    """NQ's questions, the gold passages of these, and others, evenly drawn."""
    every = {row.name("_id"): row for row in lines(data / NQ_PASSAGES)}
    known = list(within(load(data / NQ, "squad"), every))
    if name == "nq-tune":
        reported = {one.id for one in evenly(known, REPORTED)}
        known = [one for one in known if one.id not in reported]
    asked = evenly(known, given.limit)
    return gold_and_others(every, asked, given.others), asked


def of_hops(data: Path, given: argparse.Namespace) -> tuple[Rows, list[Example]]:
    """HotpotQA's training questions, the passages that they need, and others, evenly drawn."""
    every = {row.name("_id"): row for row in lines(data / HOPS_PASSAGES)}
    asked = evenly(list(within(load(data / HOPS), every)), given.limit)
    return gold_and_others(every, asked, given.others), asked


def training_of(name: str, data: Path) -> Iterable[Example]:
    """The questions that stand in for pairs: those that models learn from, without what is kept for tuning."""
    path = data / (SQUAD_TRAIN if name.startswith("squad") else NQ_TRAIN)
    return (one for one in load(path, "squad") if one.answers)


def prepare(name: str, data: Path, folder: Path, given: argparse.Namespace) -> None:
    """Write the set's files and index its passages, where that was not done with the same options."""
    told = {"set": name, "articles": given.articles, "questions": given.limit, "others": given.others}
    mark = folder / "set.json"
    if mark.is_file():
        if json.loads(mark.read_text("utf8")) != told:
            sys.exit(f"error: {folder} holds this set with other options; name another --work")
        return
    folder.mkdir(parents=True, exist_ok=True)
    if name in WITHOUT:
        with open_workspace(folder.parent / CORPUS[name] / "ws") as opened:
            every = [one for one in load(data / WITHOUT[name]) if one.answers]
            found = list(standing(every, by_words(opened)))
        asked = evenly(found, given.limit)
        told |= {"of": len(every), "standing": len(found)}
    else:
        if name.startswith("squad"):
            part = "development" if name.endswith("tune") else "report"
            rows, asked = of_articles(data / SQUAD, lambda title: squad_part(title) == part, given)
        elif name.startswith("hops"):
            rows, asked = of_hops(data, given)
        else:
            rows, asked = of_nq(data, name, given)
        common.write_rows(folder / "passages.jsonl", rows)
        with open_workspace(folder / "ws", create=True, settings={"pairs.answer": False}) as opened:
            opened.index([folder / "passages.jsonl"], ENCLAVE, "public")
    common.write_rows(folder / "questions.jsonl", as_rows(asked))
    common.write_rows(folder / "training.jsonl", as_rows(training_of(name, data)))
    (folder / "counts.json").write_text(json.dumps(told | {"kept": len(asked)}) + "\n", "utf8")
    mark.write_text(json.dumps({key: told[key] for key in ("set", "articles", "questions", "others")}) + "\n", "utf8")


def passages_of(workspace: Workspace) -> list[Passage]:
    """The passages of the corpus, by id."""
    store = workspace._store
    ids = [row.id for row in store.rows(ENCLAVE)]
    return store.passages(ENCLAVE, ids)


def open_makers(workspace: Workspace, given: argparse.Namespace) -> Makers:
    """The parts that `answerable pairs build` would use, by the same names; filters are asked about every question, and
    read all that they would look at, however unsure it is."""
    settings, threads = workspace.settings, workspace.settings.models.threads
    target = workspace.enclaves()[ENCLAVE]
    (extractor,) = open_extractors(Wanted().extractors, threads)
    return Makers(
        extractor,
        open_generator(settings, given.generator, given.most, threads),
        [open_filter(settings, workspace.folder, target, name, threads, None) for name in given.filters],
        open_selector(LEARNED if (SELECTION / "manifest.json").is_file() else ALL, threads),
        filter_fit(settings),
    )


def main(words: list[str] | None = None) -> None:
    """Prepare a set and make pairs of it."""
    parser = common.parser(__doc__, "data", "workspace", limit=250, record=False)
    parser.add_argument("name", metavar="SET", choices=(*SETS, *WITHOUT))
    parser.add_argument("--articles", type=int, default=9)
    parser.add_argument("--others", type=int, default=250)
    parser.add_argument("--generator", default=Wanted().generator)
    parser.add_argument("--filters", nargs="*", default=["local", "global"], choices=("local", "global"))
    parser.add_argument("--most", type=int, default=2)
    parser.add_argument("--no-make", action="store_true")
    given = parser.parse_args(words)
    folder = given.workspace / given.name
    prepare(given.name, given.data, folder, given)
    if given.no_make or given.name in WITHOUT:
        return
    with open_workspace(folder / "ws", settings={"pairs.answer": False}) as opened:

        def tell(stage: str, done: int, total: int) -> None:
            if done % TOLD < 16 or done == total:
                print(f"{given.name}: {stage} {done:,} of {total:,} passages", file=sys.stderr, flush=True)

        make(passages_of(opened), open_makers(opened, given), folder / "made.jsonl", tell)


if __name__ == "__main__":
    main()
