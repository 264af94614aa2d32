"""Indexes, evaluations and whole finds by two processes: what one process makes, to the last digit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import answerable
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.runs import records, writing
from answerable.evaluation.tasks.asking import Asking
from answerable.evaluation.tasks.task import Data, fill, header
from answerable.indexes import build
from answerable.serialize import found_record
from answerable.sets.overlap import OverlapJudge
from answerable.workspace.workspace import Workspace
from tests.indexes.samples import sentences

STAND_INS = {"models.encoder": "hashed", "models.reader": "overlap", "models.judge": "overlap"}
TOLD = {"seconds", "hops"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of sixty documents, and questions of them."""
    place = tmp_path_factory.mktemp("same")
    rows = [{"_id": str(number), "title": f"T{number}", "text": text} for number, text in enumerate(sentences(60))]
    (place / "notes.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    asked = [
        {"question": f"Where is the {row['text'].split()[1]}?", "answer": ["lamp"]}
        for number, row in enumerate(rows[:5])
    ]
    (place / "asked.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in asked))
    with opened(place, 1) as made:
        made.index([place / "notes.jsonl"], "notes")
    return place


def opened(folder: Path, processes: int) -> Workspace:
    settings = {**STAND_INS, "work.processes": processes}
    return answerable.open(folder / "w", create=True, settings=settings)


def timeless(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TOLD} for row in rows]


def test_an_evaluation_is_the_same_also_where_one_process_began_it(folder: Path) -> None:
    survey, made = Data(folder / "asked.jsonl", "nq-open").survey(), []
    for name, counts in (("one", (1,)), ("two", (1, 2))):
        for turn, processes in enumerate(counts):
            with opened(folder, processes) as workspace, pytest.MonkeyPatch.context() as patch:
                task = Asking(workspace)
                with writing(folder / name, header(task, survey)) as run:
                    if len(counts) > 1 and turn == 0:
                        patch.setattr(run, "append", stopping(run.append))
                        with pytest.raises(KeyboardInterrupt):
                            fill(task, survey, run)
                        continue
                    if processes > 1:
                        patch.setattr(Asking, "record", here)
                    fill(task, survey, run)
        made.append(timeless(records(folder / name)))
    assert made[0] == made[1] and len(made[0]) == 5


def here(*_: object) -> None:
    raise AssertionError("this is done elsewhere")


def stopping(append: Any) -> Any:
    """Keeps the first record."""

    def once(record: Any) -> None:
        append(record)
        raise KeyboardInterrupt

    return once


def test_a_find_that_looks_at_everything_is_the_same(folder: Path) -> None:
    made = []
    for processes in (1, 2):
        with opened(folder, processes) as workspace, pytest.MonkeyPatch.context() as patch:
            if processes > 1:
                patch.setattr(OverlapJudge, "judge", here)
            found = workspace.find("lamp or gale", '"lamp" or "gale"', evidence=False, exhaustive=True).found
            made.append(found_record(found, workspace.asker(None), workspace.enclaves()))
            assert found.considered > 50
    assert timeless(iter(made))[0] == timeless(iter(made))[1]


def held(folder: Path) -> list[object]:
    """All that indexing puts into a store but moments."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        return [sorted(store.execute(f"SELECT * FROM {table}")) for table in ("documents", "passages", "vectors")]


def indexed_in_both_ways(folder: Path, settings: dict[str, Any]) -> None:
    """Index files by one process, and as the settings say, interrupted and resumed."""
    source = folder / "mail"
    source.mkdir()
    for number, text in enumerate(sentences(16)):
        (source / f"{number:02}.txt").write_text(text)
    (source / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "vectors" and done >= 8:
            raise KeyboardInterrupt

    made, told = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "BLOCK", 4)
        for name, given in (("one", {}), ("more", settings)):
            stand_ins = {**STAND_INS, "limits.max_seconds": 0}
            with answerable.open(folder / name, create=True, settings={**stand_ins, **given}) as opened:
                if given:
                    patch.setattr(HashedEncoder, "encode_passages", here)
                    with pytest.raises(KeyboardInterrupt):
                        opened.index([source], "mail", progress=stop)
                told.append(opened.index([source], "mail").skipped)
            made.append(held(folder / name))
    assert made[0] == made[1] and told[0] == told[1] and len(told[0]) == 1
    assert len(made[0][2]) == 16


def test_an_index_is_the_same_also_where_it_was_interrupted(tmp_path: Path) -> None:
    indexed_in_both_ways(tmp_path, {"work.processes": 2})
