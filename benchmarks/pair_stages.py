"""How fast the stages of making pairs are, one after another, and how many questions the filters keep.

    python benchmarks/pair_stages.py --workspace DIR --enclave NAME --documents FILE [--json FILE]

`--documents` are indexed into the enclave where it is not there yet, as public text: whatever `answerable index` reads,
or a file of SQuAD, whose paragraphs become documents. Passages are drawn from it by chance that is always the same; the
first block warms up the parts and is not counted. One question is made of each span, by one thread:
rates are by the time of the processor, so that others on the machine do not count. The engine is asked some of the
questions too: with its own settings, and with one hop and as few passages as the global filter.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import common
from answerable.chains.beam import BeamSettings
from answerable.engine import Engine, Terms
from answerable.qapairs.generation.filtering import READ
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.qapairs.generation.stages import BLOCK
from answerable.types import Passage
from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import (
    GLOBAL,
    LOCAL,
    Wanted,
    filter_fit,
    open_extractors,
    open_filter,
    open_generator,
    open_selector,
    recipe_of,
)
from answerable.workspace.workspace import Workspace

PASSAGES, ENGINE_QUESTIONS = 200, 50
WANTED = Wanted(per_answer=1)


class Counting:
    """A reader that counts the passages it reads."""

    def __init__(self, reader: Any) -> None:
        self.name, self.read_passages, self._reader = reader.name, 0, reader

    def read(self, question: str, chains: Sequence[Any]) -> Any:
        """As the reader's own."""
        self.read_passages += len(chains)
        return self._reader.read(question, chains)


def documents(path: Path) -> list[dict[str, str]] | None:
    """The paragraphs of a file of SQuAD as documents, None for another file."""
    if ".json" not in path.suffixes:
        return None
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        articles = json.load(file)["data"]
    return [
        {"id": f"{number}-{place}", "title": article["title"].replace("_", " "), "text": paragraph["context"]}
        for number, article in enumerate(articles)
        for place, paragraph in enumerate(article["paragraphs"])
    ]


def indexed(workspace: Workspace, enclave: str, path: Path) -> None:
    """The documents in the enclave, unless it is there."""
    if enclave in workspace.enclaves():
        return
    made = documents(path)
    with tempfile.TemporaryDirectory() as folder:
        if made is not None:
            path = Path(folder) / "paragraphs.jsonl"
            common.write_rows(path, made)
        workspace.index([path], enclave, "public")


def drawn(workspace: Workspace, enclave: str, count: int) -> list[list[Passage]]:
    """Blocks of passages, one more than are counted."""
    store = workspace._store
    ids = [row.id for row in store.rows(enclave)]
    chosen = random.Random(0).sample(ids, min(len(ids), count + BLOCK))
    return [store.passages(enclave, chosen[at : at + BLOCK]) for at in range(0, len(chosen), BLOCK)]


@contextmanager
def timed(figures: dict[str, Any], stage: str) -> Iterator[None]:
    """Seconds of the processor for a stage, added up over blocks."""
    began = time.process_time()
    yield
    figures[stage]["seconds"] += time.process_time() - began


def measured(workspace: Workspace, enclave: str, blocks: Sequence[Sequence[Passage]]) -> dict[str, Any]:
    """Counts and seconds of each stage, without the first block."""
    settings, threads = workspace.settings, workspace.settings.models.threads
    where = workspace.enclaves()[enclave]
    recipe = recipe_of(settings, where, WANTED)
    selector = open_selector(recipe.selector, threads)
    extractors = open_extractors(WANTED.extractors, threads)
    generator = open_generator(settings, WANTED.generator, WANTED.per_answer, threads)
    how, fit = (settings, workspace.folder, where), filter_fit(settings)
    filters = {name: open_filter(*how, name, threads, fit) for name in (LOCAL, GLOBAL)}
    reader = Counting(filters[GLOBAL]._reader)
    filters[GLOBAL]._reader = reader
    stages = ("select", "extract", "generate", LOCAL, GLOBAL)
    figures: dict[str, Any] = {}
    both, asked = 0, list[str]()
    for number, passages in enumerate(blocks):
        if number <= 1:  # the first block warms up
            figures = {stage: {"seconds": 0.0, "passages": 0, "made": 0} for stage in stages}
            both, asked, reader.read_passages = 0, [], 0
        with timed(figures, "select"):
            selector.score(passages)
        with timed(figures, "extract"):
            rows = [_union(found) for found in zip(*(one.extract(passages) for one in extractors), strict=True)]
        with timed(figures, "generate"):
            made = generator.generate(passages, rows)
        made = [_firsts(row, WANTED.per_answer) for row in made]
        verdicts = {}
        for name, filter in filters.items():
            with timed(figures, name):
                verdicts[name] = filter.consistent(passages, made)
            figures[name]["made"] += sum(one > 0 for row in verdicts[name] for one in row)
        for stage in stages:
            figures[stage]["passages"] += len(passages)
        figures["extract"]["made"] += sum(map(len, rows))
        figures["generate"]["made"] += sum(map(len, made))
        both += sum(a > 0 < b for x, y in zip(*verdicts.values(), strict=True) for a, b in zip(x, y, strict=True))
        asked += [one.question for row in made for one in row]
    return _told(figures, both, reader.read_passages, asked)


def _told(figures: dict[str, Any], both: int, read: int, asked: list[str]) -> dict[str, Any]:
    questions = len(asked)
    seconds = {stage: max(one["seconds"], 1e-9) for stage, one in figures.items()}
    told: dict[str, Any] = {
        "passages": figures["select"]["passages"],
        "answers": figures["extract"]["made"],
        "questions": questions,
        "select": {"passages a second": figures["select"]["passages"] / seconds["select"]},
        "extract": {
            "passages a second": figures["extract"]["passages"] / seconds["extract"],
            "answers a second": figures["extract"]["made"] / seconds["extract"],
        },
        "generate": {
            "passages a second": figures["generate"]["passages"] / seconds["generate"],
            "questions a second": questions / seconds["generate"],
        },
        "both": both / max(questions, 1),
        "asked": asked,
    }
    for name in (LOCAL, GLOBAL):
        told[name] = {
            "questions a second": questions / seconds[name],
            "kept": figures[name]["made"] / max(questions, 1),
        }
    told[GLOBAL]["passages read"] = read / max(questions, 1)
    return told


def _union(found: Sequence[Sequence[Extracted]]) -> list[Extracted]:
    best = {(one.start, one.end): one for row in reversed(found) for one in row}
    return [best[place] for place in sorted(best)]


def _firsts(made: Sequence[Generated], most: int) -> list[Generated]:
    seen: dict[Extracted, int] = {}
    kept = []
    for one in made:
        seen[one.answer] = seen.get(one.answer, 0) + 1
        if seen[one.answer] <= most:
            kept.append(one)
    return kept


def rate(ask: Callable[[str], Any], questions: Sequence[str]) -> float:
    """Questions a second, one after another."""
    ask(questions[0])
    began = time.process_time()
    for question in questions:
        ask(question)
    return len(questions) / (time.process_time() - began)


def engines(workspace: Workspace, questions: Sequence[str]) -> dict[str, float]:
    """Questions a second of the engine as it is set, and with one hop and the global filter's passages and reader."""
    from answerable.workspace.models import open_reader

    engine = workspace.engine()
    reader, calibration = open_reader(workspace.settings.reader, workspace.settings.models.threads)
    beam = BeamSettings(hops=1, k=READ, width=READ)
    plain = Engine(engine.retriever, reader, calibration, engine.find, beam, replace(engine.settings, read=READ))
    some = random.Random(1).sample(list(questions), min(len(questions), ENGINE_QUESTIONS))
    whole = some[: ENGINE_QUESTIONS // 5]
    return {
        "as set": rate(lambda one: engine.ask(one, Terms()), whole),
        "one hop": rate(lambda one: plain.ask(one, Terms()), some),
    }


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__, "workspace")
    parser.add_argument("--enclave", required=True)
    parser.add_argument("--documents", type=Path, required=True)
    given = parser.parse_args(words)
    with open_workspace(given.workspace, create=True, settings={"models.threads": 1}) as workspace:
        indexed(workspace, given.enclave, given.documents)
        blocks = drawn(workspace, given.enclave, PASSAGES)
        figures = measured(workspace, given.enclave, blocks)
        figures["engine"] = engines(workspace, figures.pop("asked"))
    common.tell(given.json, figures)


if __name__ == "__main__":
    main()
