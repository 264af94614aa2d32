from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from answerable.encoders.modular import SkillShape, Special
from answerable.errors import ModelError, UsageError
from answerable.training.corpora import Corpora
from answerable.training.skills import train
from answerable.training.skills.own import read_corpus, read_questions
from answerable.training.skills.train import SkillRecipe, train_skills, with_negatives
from answerable.training.start import begin, keep, open_run
from tests.training.experts import log
from tests.training.files import write_lines
from tests.training.skills.worlds import small_model, write_bert, write_data, write_tokenizer

RECIPE: dict[str, Any] = {
    "kind": "skills",
    "threads": 1,
    "judged": 12,
    "batch": {"size": 6, "hard": 1, "length": 64},
    "loop": {"rate": 1e-3, "tokens": 2048, "evaluate_steps": 3, "checkpoint_seconds": 0.0, "most": 6},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a BERT beside it."""
    folder = tmp_path_factory.mktemp("training")
    write_data(folder / "data")
    write_bert(folder / "bert")
    return folder


def test_one_skill_learns_alone(folder: Path, tmp_path: Path) -> None:
    before = begin(str(folder / "bert"), SkillShape())[0].state_dict()
    recipe = RECIPE | {"start": str(folder / "bert"), "alone": ["propose"], "sources": {"pool": {"mention": 1}}}
    recipe["batch"] = RECIPE["batch"] | {"proposing": 1.0}
    after = train_skills(SkillRecipe.of(recipe), folder / "data", tmp_path / "names").state_dict()
    moved = {name for name, weight in after.items() if name in before and not torch.equal(weight, before[name])}
    assert moved and all(".propose." in name or name in ("anchor", "span.weight") for name in moved)
    assert {name for line in log(tmp_path / "names") for name in line["losses"]} == {"pool propose"}


def test_pretraining_then_fine_tuning_with_negatives(folder: Path, tmp_path: Path) -> None:
    first = RECIPE | {"start": str(folder / "bert"), "model": {"routing": "pretraining"}}
    first["sources"] = {"pool": {"single": 0.5}, "tables": {"expanded": 1, "mention": 1}}
    train_skills(SkillRecipe.of(first), folder / "data", tmp_path / "one")
    assert open_run(tmp_path / "one").how.routing == "pretraining"

    second = RECIPE | {"start": str(tmp_path / "one")}
    second["sources"] = {"hotpotqa": {"single": 1, "rerank": 1}, "ottqa": {"expanded": 1, "mention": 2}}
    second["negatives"] = {"bm25": True, "most": 3}
    model = train_skills(SkillRecipe.of(second), folder / "data", tmp_path / "two")
    assert model.how.routing == "paper"
    found = [json.loads(line) for line in (tmp_path / "two" / "work" / "bm25.jsonl").read_text().splitlines()]
    assert found and all(len(row["ids"]) <= 3 for row in found)
    lines = log(tmp_path / "two")
    assert lines[-1]["step"] == 6 and {name for line in lines for name in line["losses"]} >= {"hotpotqa single"}
    assert all(0 <= value <= 1 for value in lines[-1]["evaluation"].values())
    kept = open_run(tmp_path / "two").state_dict()
    assert all(torch.equal(kept[name], value) for name, value in model.state_dict().items())


def test_an_interrupted_run_gives_the_same_curve(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = RECIPE | {"start": str(folder / "bert"), "model": {"dropout": 0.1}}
    recipe = SkillRecipe.of(given | {"sources": {"hotpotqa": {"single": 1.5, "mention": 1}}})
    whole = train_skills(recipe, folder / "data", tmp_path / "whole")
    step, steps = train.backward, iter(range(9))

    def failing(*given: Any) -> Any:
        if next(steps) == 4:
            raise KeyboardInterrupt
        return step(*given)

    monkeypatch.setattr(train, "backward", failing)
    with pytest.raises(KeyboardInterrupt):
        train_skills(recipe, folder / "data", tmp_path / "parts")
    parts = train_skills(recipe, folder / "data", tmp_path / "parts")
    assert log(tmp_path / "whole") == log(tmp_path / "parts")
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), parts.parameters(), strict=True))


def test_it_stops_when_nothing_gets_better(folder: Path, tmp_path: Path) -> None:
    recipe = RECIPE | {"start": str(folder / "bert"), "sources": {"ottqa": {"single": 4}}}
    recipe["loop"] = {**recipe["loop"], "rate": 0.0, "evaluate_steps": 1, "patience": 2, "most": 0}
    train_skills(SkillRecipe.of(recipe), folder / "data", tmp_path)
    assert [line["step"] for line in log(tmp_path)] == [1, 2, 3]  # the first is the best, two were no better


def test_questions_of_ones_own_need_no_other_data(folder: Path, tmp_path: Path) -> None:
    corpus = [{"id": f"c{i}", "title": f"Tower {i}", "text": f"The lamp of tower {i} is of glass."} for i in range(12)]
    asked = [{"question": f"what lamp has tower {i} ?", "positive": f"c{i}"} for i in range(12)]
    for name, rows in (("corpus", corpus), ("questions", asked)):
        write_lines(tmp_path / f"{name}.jsonl", rows)
    recipe = RECIPE | {"start": str(folder / "bert"), "sources": {"own": {"single": 2, "rerank": 1}}}
    recipe["negatives"] = {"bm25": True}
    recipe["own"] = {name: str(tmp_path / f"{name}.jsonl") for name in ("corpus", "questions")}
    train_skills(SkillRecipe.of(recipe), None, tmp_path / "out")
    assert log(tmp_path / "out")[-1]["step"] == log(tmp_path / "out")[-1]["of"]
    with pytest.raises(UsageError, match="needs the folder"):
        train_skills(SkillRecipe.of(RECIPE | {"sources": {"nq": {"single": 1}}}), None, tmp_path / "other")
    with pytest.raises(UsageError, match="needs questions"):
        train_skills(SkillRecipe.of({**recipe, "own": {}}), None, tmp_path / "other")


def test_negatives_are_found_once_and_never_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passages = [{"id": f"c{i}", "text": f"The lamp of tower {i} is of {'glass' if i else 'stone'}."} for i in range(9)]
    write_lines(tmp_path / "c.jsonl", passages)
    asked = {"question": "which lamp is of stone", "positive": "c0", "positives": ["c1"], "answers": ["tower 2 "]}
    write_lines(tmp_path / "q.jsonl", [asked])
    corpora = Corpora(tmp_path)
    corpora.add("own", read_corpus(tmp_path / "c.jsonl"))
    made = read_questions(tmp_path / "q.jsonl", corpora.corpus("own"))
    file = tmp_path / "work/bm25.jsonl"
    (one,) = with_negatives(made, corpora, tmp_path / "work", 4)
    assert len(one.negatives) == 4
    assert not {corpora.corpus("own")[id_] for id_ in ("c0", "c1", "c2")} & set(one.negatives)
    file.write_bytes(file.read_bytes() + b'{"key": "half')

    def refuse(*_: Any) -> Any:
        raise AssertionError("what was found is looked for again")

    monkeypatch.setattr(train, "Lexical", refuse)
    assert with_negatives(made, corpora, tmp_path / "work", 4) == [one]
    assert file.read_bytes().endswith(b"\n")


def test_what_a_run_leaves_opens_again(tmp_path: Path) -> None:
    model = small_model(SkillShape(special=Special.FEED_FORWARD, temperature=0.3))
    with pytest.raises(ModelError, match="no trained skill model"):
        open_run(tmp_path)
    keep(model, write_tokenizer(tmp_path / "elsewhere/tokenizer.json"), tmp_path)
    with pytest.raises(ModelError, match="no trained skill model"):
        open_run(tmp_path)
    torch.save({"model": model.state_dict()}, tmp_path / "checkpoint.pt")
    about = json.loads((tmp_path / "model.json").read_text(encoding="utf8"))
    del about["skills"]["reading"]  # as runs before it were kept
    (tmp_path / "model.json").write_text(json.dumps(about), encoding="utf8")
    again = open_run(tmp_path)
    assert asdict(again.how) == asdict(model.how)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))


def test_any_bert_in_a_folder_is_a_beginning(folder: Path, tmp_path: Path) -> None:
    model, tokenizer = begin(str(folder / "bert"), SkillShape())
    assert model.trunk.shape.width == 32 and tokenizer == folder / "bert/tokenizer.json"
    config = json.loads((folder / "bert/config.json").read_text())
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf8")
    for change, reason in (({"model_type": "t5"}, "not a BERT"), ({"hidden_size": None}, "does not say the sizes")):
        (tmp_path / "config.json").write_text(json.dumps(config | change), encoding="utf8")
        with pytest.raises(ModelError, match=reason):
            begin(str(tmp_path), SkillShape())
    (tmp_path / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config\.json is missing"):
        begin(str(tmp_path), SkillShape())


@pytest.mark.parametrize("change", [{"routing": "scenic"}, {"special": "odd"}, {"pooling": "max"}, {"depth": 3}])
def test_shapes_that_cannot_be_built_say_why(change: dict[str, Any]) -> None:
    with pytest.raises(
        (UsageError, ModelError), match=str("depth" if "depth" in change else next(iter(change.values())))
    ):
        SkillRecipe.of(RECIPE | {"model": change, "sources": {"nq": {"single": 1}}})
