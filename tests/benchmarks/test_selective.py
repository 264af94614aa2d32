"""The tables of benchmarks/selective.py, from runs made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import selective
from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.enclave_splits import Plan, split
from answerable.evaluation.runs import Header, writing


def test_each_way_to_tell_by_hand() -> None:
    asks = [
        selective.Ask(needed=True, answered=False, confidence=0.1, probability=0.9, likely=True),
        selective.Ask(needed=True, answered=False, confidence=0.4, probability=0.6, likely=True),
        selective.Ask(needed=False, answered=False, confidence=0.2, probability=0.3, likely=False),
        selective.Ask(needed=False, answered=True, confidence=0.8, probability=0.7, likely=True),
    ]
    found = selective.told(asks)
    assert found["always"] == {"said": 1.0, "precision": 0.5, "recall": 1.0, "F1": pytest.approx(2 / 3)}
    assert found["whenever not sure"]["precision"] == pytest.approx(2 / 3)
    assert found["learned"]["precision"] == pytest.approx(2 / 3) and found["learned"]["recall"] == 1.0
    assert found["learned"]["AUROC"] == 0.75 and found["confidence alone"]["AUROC"] == 0.75
    assert found["confidence alone"]["said"] == found["learned"]["said"] == 0.75  # as often, the least sure first


def a_run(path: Path, privacy: str, ids: list[str], **kept: Any) -> Path:
    with writing(path, Header("asking", {}, {"privacy": privacy}, {})) as run:
        for at, id in enumerate(ids):
            scores = {"guess F1": at % 2, "guess right": float(at % 2)}
            row = {"id": id, "question": "Is it so?", "answer": None, "confidence": 0.1, "scores": scores, **kept}
            run.append(row)
    return path


def test_runs_are_tabled_and_those_made_before_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selective, "FITTED", 0.0)
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "d", "text": "It is so."}\n')
    ids = ["a", "b"]
    split([corpus], [Example(id, "Is it so?", ("so",), ("d",)) for id in ids], tmp_path / "split", Plan(share=1))
    kept = {"confidences": {"softmax": 0.2, "grouped": 0.3}, "barred": {"probability": 0.2, "likely": False}}
    none = a_run(tmp_path / "none", "none", ids, **kept)
    document = a_run(tmp_path / "document", "document", ids, **kept)
    given = ["--split", tmp_path / "split", "--none", none, "--json", tmp_path / "out.json", "--document"]
    selective.main([*map(str, given), str(document)])
    found = json.loads((tmp_path / "out.json").read_text())["figures"]
    assert found["confidence"]["none"]["P"]["grouped"]["AUROC"] == 0.5
    assert (found["barred"]["document"]["all"]["asks"], found["barred"]["document"]["all"]["lacking"]) == (2, 0)
    older = a_run(tmp_path / "older", "document", ids)
    with pytest.raises(UsageError, match="made before"):
        selective.main([*map(str, given), str(older)])
