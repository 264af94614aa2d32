"""The stages over blocks of passages: select, generate, filter (PAQ, section 3 and figure 1).

Each reads what the one before it wrote, and does only the blocks that are not there yet:

    WORKSPACE/pairs/ENCLAVE/RECIPE/manifest.json             the parts and their settings
    WORKSPACE/pairs/ENCLAVE/RECIPE/STAGE/00000012.jsonl      a head line, then a line for each passage of block 12

Keys of passages are never used twice, and block 12 holds those from 12 times `BLOCK` on. A file that is there is whole,
and counts only for the very passages that its head names.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass, replace
from functools import partial
from hashlib import blake2b
from math import ceil
from pathlib import Path
from typing import Any

from answerable.corpora.database import explained, own_folder
from answerable.corpora.store import Store
from answerable.indexes.index import Progress, silent
from answerable.qapairs.generation.parts import Extracted, Extractor, Filter, Generated, Generator, Selector
from answerable.text import normalise_question
from answerable.types import Label, Passage, QAPair
from answerable.work.spread import Opener, Task, Workers

BLOCK = 16
"""Keys of a block: what a kill may lose of each stage, and what one worker is given at once."""
_FORM = 3
"""Grows when files come to look otherwise, so that older ones are not taken for these."""


@dataclass(frozen=True, slots=True)
class Block:
    """Passages whose keys lie in one range, in their order, by key and by id."""

    number: int
    keys: tuple[int, ...]
    ids: tuple[str, ...]

    def only(self, keys: frozenset[int] | set[int]) -> Block:
        """The same block without the passages that are not among `keys`."""
        kept = [(key, id) for key, id in zip(self.keys, self.ids, strict=True) if key in keys]
        return Block(self.number, tuple(key for key, _ in kept), tuple(id for _, id in kept))


def blocks(passages: Iterable[tuple[int, str]]) -> list[Block]:
    """(key, id) of passages as blocks, by key."""
    found: dict[int, list[tuple[int, str]]] = {}
    for key, id in passages:
        found.setdefault(key // BLOCK, []).append((key, id))
    return [Block(number, *zip(*sorted(rows), strict=True)) for number, rows in sorted(found.items())]


class Work:
    """The files of one enclave and one recipe. Every method raises `WorkspaceError` where they cannot be used."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        """Make the folder, for its owner alone, and say in it what makes what is to come."""
        self.folder = folder
        with explained(folder):
            for place in (folder.parent.parent, folder.parent, folder):
                own_folder(place)
            _write(folder / "manifest.json", [json.dumps({"form": _FORM, **manifest}, ensure_ascii=False, indent=1)])

    def has(self, stage: str, block: Block) -> bool:
        """Whether a stage is done with just the passages of a block."""
        return self._head(stage, block.number).get("keys") == list(block.keys)

    def write(self, stage: str, block: Block, rows: Sequence[Any], counts: Mapping[str, int]) -> None:
        """Keep what a stage made: a row for each passage of a block, and what it counted."""
        head = {"form": _FORM, "keys": block.keys, "counts": counts}
        path = self._path(stage, block.number)
        with explained(path):
            own_folder(path.parent)
            _write(path, (json.dumps(one, ensure_ascii=False) for one in (head, *rows)))

    def read(self, stage: str, block: Block) -> list[Any]:
        """The rows that a stage made of these passages, which are some or all of a block of its."""
        path = self._path(stage, block.number)
        with explained(path), open(path, encoding="utf-8") as file:
            rows = dict(zip(json.loads(file.readline())["keys"], file, strict=True))
        return [json.loads(rows[key]) for key in block.keys]

    def counts(self, stage: str, done: Iterable[Block]) -> Counter[str]:
        """What a stage counted in these blocks, added up."""
        total: Counter[str] = Counter()
        for block in done:
            total.update(self._head(stage, block.number).get("counts", {}))
        return total

    def discard(self, but: str = "") -> None:
        """Remove the files, all of them or all `but` those of one stage, and folders in which nothing else is."""
        with explained(self.folder):
            if but:
                for path in self.folder.iterdir():
                    if path.is_dir() and path.name != but:
                        shutil.rmtree(path)
                return
            shutil.rmtree(self.folder)
            for place in (self.folder.parent, self.folder.parent.parent):
                if not any(place.iterdir()):
                    place.rmdir()

    def _path(self, stage: str, number: int) -> Path:
        return self.folder / stage / f"{number:08d}.jsonl"

    def _head(self, stage: str, number: int) -> dict[str, Any]:
        try:
            with open(self._path(stage, number), encoding="utf-8") as file:
                head = json.loads(file.readline())
        except (OSError, ValueError):
            return {}  # not there, or not ours: it is made again
        return head if isinstance(head, dict) and head.get("form") == _FORM else {}


def _write(path: Path, lines: Iterable[str]) -> None:
    """Lines to a file for its owner alone, whole or not at all; what a kill leaves of one is written over."""
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)  # a full disk needs the room
        raise


def pair_id(enclave: str, passage_id: str, question: str) -> str:
    """The id of the pair with this question made of a passage: 128 bits of the three, as hexadecimal digits.

    The question counts as `text.normalise_question` has it, so that a question made twice is one pair.
    """
    content = "\0".join((enclave, passage_id, normalise_question(question)))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


SELECT, GENERATE, FILTER = "select", "generate", "filter"
Rows = list[Any]
Given = tuple[list[Passage], Rows]
"""What a worker is given: the passages of a block, and what the stage before made of each."""
Made = tuple[Rows, dict[str, int]]
"""What a stage makes of a block: a row for each passage, and what it counted."""
Opened = Callable[[Given], Made]


@dataclass(frozen=True, slots=True)
class Parts:
    """What opens the parts of each stage, in whichever process: each a function of a module, or a `partial` of one.

    `filter`: None keeps every question. `per_answer`: questions kept for one answer, at most.
    """

    selector: Callable[[], Selector]
    extractors: Callable[[], Sequence[Extractor]]
    generator: Callable[[], Generator]
    filter: Callable[[], Filter] | None = None
    per_answer: int = 4


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of one enclave: where passages are, where files go, who works, and whose text they are given."""

    store: Store
    enclave: str
    work: Work
    parts: Parts
    workers: Workers
    label: Label
    progress: Progress = silent

    def select(self, blocks: Sequence[Block], share: float) -> set[int]:
        """Score these passages; the keys of the best share (0 to 1) of them, and of those that score as high."""
        self._run(partial(_selecting, self.parts.selector), blocks, SELECT)
        scored = [
            (score, key)
            for block in blocks
            for key, score in zip(block.keys, self.work.read(SELECT, block), strict=True)
        ]
        least = sorted((score for score, _ in scored), reverse=True)[: ceil(share * len(scored))]
        return {key for score, key in scored if least and score >= least[-1]}

    def make(self, chosen: Sequence[Block]) -> None:
        """Generate and filter; afterwards `pairs` knows what came of these blocks."""
        parts = self.parts
        self._run(partial(_generating, parts.extractors, parts.generator, parts.per_answer), chosen, GENERATE)
        if parts.filter:
            self._run(partial(_filtering, parts.filter), chosen, FILTER, before=GENERATE)

    def counts(self, chosen: Sequence[Block]) -> dict[str, dict[str, int]]:
        """What each of the later stages counted in these blocks."""
        names = (GENERATE, FILTER) if self.parts.filter else (GENERATE,)
        return {name: dict(self.work.counts(name, chosen)) for name in names}

    def pairs(self, block: Block) -> dict[str, list[QAPair]]:
        """The pairs of a block by passage id, by place in the passage; ids without any have an empty list.

        A pair's score is how probable it is that its passage is asked about, times that of the question there
        (PAQ, section 3), times that it is right, by the filter.
        """
        rows = self.work.read(GENERATE, block)
        kept = self.work.read(FILTER, block) if self.parts.filter else [[1.0] * len(row) for row in rows]
        likely = self.work.read(SELECT, block)
        found: dict[str, list[QAPair]] = {}
        for id, score, row, verdicts in zip(block.ids, likely, rows, kept, strict=True):
            judged = zip(_made(row), verdicts, strict=True)
            made = [replace(one, score=one.score * right) for one, right in judged if right]
            found[id] = _pairs(self.enclave, id, score, made)
        return found

    def _run(self, opener: Opener[Given, Made], blocks: Sequence[Block], stage: str, before: str = "") -> None:
        """Do one stage of the blocks that it is not done for."""
        missing = [block for block in blocks if not self.work.has(stage, block)]
        total = sum(len(block.keys) for block in blocks)
        done = total - sum(len(block.keys) for block in missing)
        if missing:
            self.progress(stage, done, total)
        what = f"{stage} of {self.enclave}, passages"
        tasks = (
            Task(f"{what} {block.keys[0]} to {block.keys[-1]}", self.label, self._given(block, before))
            for block in missing
        )
        with closing(self.workers.map(opener, tasks)) as results:
            for number, (rows, counts) in results:
                self.work.write(stage, missing[number], rows, counts)
                done += len(missing[number].keys)
                self.progress(stage, done, total)

    def _given(self, block: Block, before: str) -> Given:
        passages = self.store.passages(self.enclave, block.ids)
        return passages, self.work.read(before, block) if before else []


def _selecting(opener: Callable[[], Selector]) -> Opened:
    selector = opener()
    return lambda given: ([float(one) for one in selector.score(given[0])], {"passages": len(given[0])})


def _generating(
    extractors: Callable[[], Sequence[Extractor]], generator: Callable[[], Generator], per_answer: int
) -> Opened:
    opened, asking = extractors(), generator()

    def work(given: Given) -> Made:
        each = [extractor.extract(given[0]) for extractor in opened]
        answers = [_together(found) for found in zip(*each, strict=True)]
        rows = [_first(made, per_answer) for made in asking.generate(given[0], answers)]
        counts = Counter({"passages": len(given[0]), "answers": sum(map(len, answers))})
        counts.update(f"answers by {one.extractor}" for row in answers for one in row)
        counts["questions"] = sum(map(len, rows))
        counts["answers asked about"] = sum(len({one.answer for one in row}) for row in rows)
        return [[(one.question, astuple(one.answer), one.score, one.generator) for one in row] for row in rows], counts

    return work


def _filtering(opener: Callable[[], Filter]) -> Opened:
    filter = opener()

    def work(given: Given) -> Made:
        made = [_made(row) for row in given[1]]
        rows = [[float(one) for one in row] for row in filter.consistent(given[0], made)]
        kept = sum(one > 0 for row in rows for one in row)
        return rows, {"questions": sum(map(len, made)), f"kept by {filter.name}": kept}

    return work


def _together(found: Sequence[Sequence[Extracted]]) -> list[Extracted]:
    """What several extractors found, by place; of the same characters the likeliest, or else the first."""
    best: dict[tuple[int, int], Extracted] = {}
    for row in found:
        for one in row:
            place = (one.start, one.end)
            if place not in best or one.score > best[place].score:
                best[place] = one
    return [best[place] for place in sorted(best)]


def _first(made: Sequence[Generated], per_answer: int) -> list[Generated]:
    """The first questions of each answer; a question is not made twice of one."""
    seen: Counter[Extracted] = Counter()
    told: set[tuple[Extracted, str]] = set()
    kept = []
    for one in made:
        same = (one.answer, normalise_question(one.question))
        whole = one.question.strip() and one.answer.text.strip()
        if whole and seen[one.answer] < per_answer and same not in told:
            seen[one.answer] += 1
            told.add(same)
            kept.append(one)
    return kept


def _made(row: Sequence[Any]) -> list[Generated]:
    return [Generated(question, Extracted(*answer), score, by) for question, answer, score, by in row]


def _pairs(enclave: str, passage_id: str, likely: float, made: Sequence[Generated]) -> list[QAPair]:
    """A passage's pairs by place. Of questions that are alike only the likeliest stays, with its answer."""
    best: dict[str, tuple[float, int, Generated]] = {}
    for number, one in enumerate(made):
        score = min(1.0, max(0.0, likely * one.score))
        same = normalise_question(one.question)
        if same not in best or score > best[same][0]:
            best[same] = (score, number, one)
    ordered = sorted(best.values(), key=lambda kept: (kept[2].answer.start, kept[2].answer.end, kept[1]))
    pairs = []
    for score, _, one in ordered:
        id, span = pair_id(enclave, passage_id, one.question), (one.answer.start, one.answer.end)
        pairs.append(QAPair(id, one.question, (one.answer.text,), passage_id, enclave, score, *span))
    return pairs
