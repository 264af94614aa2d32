"""Searches judged by people, in BEIR's form."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.datasets.load import load, recognise
from answerable.datasets.retrieval import read_qrels
from answerable.errors import FormatError
from tests.datasets import samples as s


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").touch()
    s.jsonl(folder / "queries.jsonl", [{"_id": "q1", "text": s.SECRET}, {"_id": "q2", "text": "unjudged"}])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq1\td3\t0\n")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\n")
    return folder


def test_beir(tmp_path: Path) -> None:
    folder = beir(tmp_path / "lights")
    assert recognise(folder) == recognise(folder / "qrels" / "dev.tsv") == "beir"
    (found,) = load(folder)
    assert (found.id, found.supporting, found.answers) == ("q1", ("d2", "d1"), ())
    assert [example.id for example in load(folder / "qrels" / "dev.tsv")] == ["q2"]
    assert read_qrels(folder / "qrels" / "test.tsv") == {"q1": {"d1": 1, "d2": 2, "d3": 0}}


def test_qrels_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("q1\td1\thigh\n")
    with pytest.raises(FormatError, match="record 1: the field `score` is not a whole number"):
        read_qrels(path)
