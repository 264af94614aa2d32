"""Weights are chosen by what they find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answerable.datasets.parts import QUESTION_DEVELOPMENT, share
from answerable.errors import UsageError
from answerable.training.weights import WeightsRecipe, tune_weights

PAGES = {
    "Skerryvore": "Skerryvore is a lighthouse. Alan Stevenson designed it.",
    "Alan Stevenson": "Alan Stevenson was born in Edinburgh.",
    "Chance Brothers": "Chance Brothers made glass in Smethwick.",
    "Born": "Who designed the designer born where was the born designer.",
}
HELD = [str(number) for number in range(1000) if share(str(number)) < QUESTION_DEVELOPMENT][:2]


def write(folder: Path, ids: list[str]) -> None:
    (folder / "pool").mkdir(parents=True)
    (folder / "hotpotqa").mkdir()
    rows = [{"_id": title, "title": title, "text": text} for title, text in PAGES.items()]
    (folder / "pool/passages.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf8")
    gold = ["Skerryvore", "Alan Stevenson"]
    asked: dict[str, Any] = {
        "question": "Where was the designer of Skerryvore born?",
        "answer": "Edinburgh",
        "type": "bridge",
        "level": "easy",
        "supporting": [[title, 0] for title in gold],
        "context": gold,
        "gold": gold,
        "covered": True,
    }
    lines = [json.dumps({"_id": id_, **asked}) for id_ in ids]
    (folder / "hotpotqa/train.jsonl").write_text("\n".join(lines), encoding="utf8")


def recipe(**grid: list[float]) -> dict[str, Any]:
    settings = {"models.encoder": "hashed", "models.reader": "overlap", "search.linking": True, "beam.link": 1}
    sets = [{"corpus": "pool/passages.jsonl", "questions": {"hotpotqa/train.jsonl": 5}}]
    return {"kind": "weights", "settings": {**settings, "beam.rerank": 10}, "grid": grid, "sets": sets}


def test_the_best_pair_comes_first_and_the_smaller_of_equals(tmp_path: Path) -> None:
    write(tmp_path / "data", HELD)
    tried = tune_weights(WeightsRecipe.of(recipe(alpha=[1.5, 1.0], beta=[0.0, 0.01])), tmp_path / "data", tmp_path)
    assert len(tried) == 4 and {one.alpha for one in tried} == {1.0, 1.5}
    keys = [(-one.mean, one.alpha, one.beta) for one in tried]
    assert keys == sorted(keys) and 0.0 < tried[0].mean <= 1.0
    kept = json.loads((tmp_path / "weights.json").read_text())
    assert [(one["alpha"], one["beta"]) for one in kept] == [(one.alpha, one.beta) for one in tried]


def test_what_a_retriever_was_trained_on_is_not_asked(tmp_path: Path) -> None:
    write(tmp_path / "data", [str(number) for number in range(1000) if share(str(number)) > 0.5][:3])
    with pytest.raises(UsageError, match="no question"):
        tune_weights(WeightsRecipe.of(recipe(beta=[0.0])), tmp_path / "data", tmp_path)


@pytest.mark.parametrize("grid", [{}, {"gamma": [1.0]}])
def test_a_recipe_without_weights_to_try_is_refused(grid: dict[str, list[float]], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="grid"):
        tune_weights(WeightsRecipe.of(recipe(**grid)), tmp_path, tmp_path)
