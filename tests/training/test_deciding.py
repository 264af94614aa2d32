"""Lessons of each source are drawn as the recipe says; what was learned decides without torch, alone and as a mean."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from answerable.encoders.deciding import DECISIONS, Decider, rows
from answerable.encoders.questions import side_by_side
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import UsageError
from answerable.training.deciding import (
    DECIDING,
    KINDS,
    WRITTEN,
    DecisionRecipe,
    Lesson,
    MeanRecipe,
    conversations,
    drawn,
    mean,
    situations,
    written,
)
from answerable.training.experts import open_expert
from answerable.training.loop import tensors
from tests.training.cases import DECISIONS as CASE
from tests.training.files import write_lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CASE.world(tmp_path_factory.mktemp("deciding"))


@pytest.fixture
def data(folder: Path) -> Path:
    return folder / "data"


def test_what_was_written_is_in_two_parts_that_share_no_passage() -> None:
    parts = {part: list(written(part)) for part in ("train", "development")}
    assert len(parts["train"]) > 8 * len(parts["development"]) > 0
    texts = {part: {one.passage[1] for one in found} for part, found in parts.items()}
    assert not texts["train"] & texts["development"]
    for one in [lesson for found in parts.values() for lesson in found]:
        assert one.question.strip() and one.passage[1].strip() and DECISIONS[one.number] == one.decision
    assert {one.decision for one in parts["development"]} == {*DECISIONS}


def test_lessons_are_read_as_they_were_written(tmp_path: Path) -> None:
    case = {"question": "May I?", "scenario": "I am 12.", "history": [["Is it yours?", "no"]], "decision": "none"}
    row = {"title": "Bikes", "text": "No bike is lent.", "cases": [case]}
    path = write_lines(tmp_path / "lessons.jsonl.gz", [row])
    both = [*written("train", path), *written("development", path)]
    assert both == [Lesson("May I?", "I am 12. Is it yours? no", ("Bikes", "No bike is lent."), "Irrelevant")]
    with pytest.raises(UsageError):
        list(written("train", tmp_path / "none.jsonl.gz"))
    assert WRITTEN.is_file()


def test_turns_are_asked_of_their_snippet_and_now_and_then_of_another(data: Path) -> None:
    every = [one for part in ("train", "development", "report") for one in conversations(data, part)]
    others = [one for one in every if one.decision == "Irrelevant"]
    assert others and all("allotment" not in one.passage[1] and "allotment" in one.question for one in others)
    own = [one for one in conversations(data, "train") if one.decision != "Irrelevant"]
    assert [one.decision for one in own] == ["More", "Yes"]
    assert own[1].told == "I am 40. Do you live in the town? Yes" and "allotment" in own[1].passage[1]


def test_situations_are_told_with_their_evidence_and_none_of_a_page_that_is_held_back(data: Path) -> None:
    (only,) = situations(data, "train")
    assert only == Lesson("Can we?", "We are two.", ("", "You can get a grant."), "Yes")
    assert list(situations(data, "development")) == []


def test_sources_are_seen_as_often_as_the_recipe_says_and_give_no_more_than_the_most(folder: Path) -> None:
    for many, most, wanted in ((1.0, 9, 1), (2.5, 9, 2), (3.0, 9, 3)):
        how = DecisionRecipe.of(CASE.how(folder, sources={"conditionalqa": many}, most=most))
        assert len(drawn(how, folder / "data")) == wanted
    assert len(drawn(DecisionRecipe.of(CASE.how(folder, sources={"sharc": 2.0}, most=1)), folder / "data")) == 2


def test_what_is_exported_decides_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    trained, shipped = CASE.grafted(folder, tmp_path)
    asked = ["May I light the lamp?", "Is the pier of stone?"]
    told, passages = ["", "I am the keeper."], [("Skerryvore", "The lamp was lit by the keeper."), ("", "The wall.")]
    with torch.no_grad():
        laid = side_by_side(rows(WordPieces(shipped.file("tokenizer.json")), asked, told, passages))
        by_torch = trained(*tensors(laid, torch.device("cpu")))[1].numpy()
    assert Decider(shipped, 1).logits(asked, told, passages) == pytest.approx(by_torch, abs=0.3)


def test_the_mean_of_runs_is_calibrated_and_lies_between_them(folder: Path, tmp_path: Path) -> None:
    runs = []
    for seed in (1, 2):
        loop = {**CASE.given["loop"], "seed": seed}
        runs.append(str(tmp_path / f"run{seed}"))
        CASE.train(CASE.how(folder, loop=loop), folder, Path(runs[-1]))
    how = CASE.how(folder, runs=runs, sources={"sharc": 1.0})
    (tmp_path / "mean").mkdir()
    made = mean(MeanRecipe.of(how), folder / "data", tmp_path / "mean")
    one, other = (open_expert(DECIDING, Path(run)).state_dict() for run in runs)
    ratios = set()
    for name, weight in made.state_dict().items():
        middle = (one[name] + other[name]) / 2
        if name.startswith("head."):
            ratios |= {round(float(each), 3) for each in (weight / middle).flatten()}
        else:
            assert torch.allclose(weight, middle, atol=1e-6)
    assert len(ratios) == 1 and 0.2 <= ratios.pop() <= 2.0
    assert KINDS["deciding-mean"].recipe is MeanRecipe
