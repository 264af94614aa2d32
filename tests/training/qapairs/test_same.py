"""A run that learns whether questions ask the same, and what is drawn for it."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.questions import QuestionJudge, judges  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import WordPieces  # noqa: E402
from answerable.errors import FormatError, ModelError, UsageError  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.experts import begin_expert, put_expert  # noqa: E402
from answerable.training.qapairs.alike import Told, Twins, framed, natural, written  # noqa: E402
from answerable.training.qapairs.same import (  # noqa: E402
    SAMENESS,
    SameModel,
    SameRecipe,
    kept,
    ordered,
    read_twins,
    rows_of,
    train_same,
)
from tests.training.experts import check_run, export_encoder  # noqa: E402
from tests.training.qapairs.worlds import BUILT, KEPT, write_bert  # noqa: E402

LOOP = {"rate": 3e-3, "tokens": 256, "evaluate_steps": 4, "checkpoint_seconds": 0.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twins, and an encoder of skills exported from a small BERT."""
    folder = tmp_path_factory.mktemp("same")
    export_encoder(write_bert(folder / "bert"), folder / "model")
    rows = [
        {"asked": f"who kept {name}", "question": question, "answer": KEPT[name], "same": same, "kind": "written"}
        for name in BUILT
        for question, same in ((f"Who was the keeper of {name}?", True), (f"When was {name} built?", False))
    ]
    (folder / "twins.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_run_learns_is_judged_and_resumes(folder: Path, tmp_path: Path) -> None:
    twins = str(folder / "twins.jsonl")
    given = {"start": str(folder / "model"), "threads": 1, "dropout": 0.0, "twins": [twins], "development": [twins],
             "often": {"written": 3}, "loop": LOOP}  # fmt: skip

    def train(how: dict[str, Any], out: Path) -> SameModel:
        return train_same(SameRecipe.of(how), folder, out)

    assert check_run(SAMENESS, train, given, tmp_path) == {"kept", "ordered"}


def test_a_grafted_judge_says_what_the_trained_one_says_and_moves_nothing_else(folder: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(folder / "model", tmp_path / "model"))
    assert not judges(open_shipped(model))
    with pytest.raises(ModelError, match="tells no questions apart"):
        QuestionJudge(open_shipped(model))
    before = ModularEncoder(model, threads=1).encode_passages(PASSAGES)
    trained, tokenizer = begin_expert(SAMENESS, str(model), 0.0)
    torch.manual_seed(8)
    with torch.no_grad():
        for weight in trained.parameters():
            if weight.requires_grad:
                weight += 0.1 * torch.randn_like(weight)
    shipped = put_expert(SAMENESS, trained.eval(), model, 0, {})
    assert np.array_equal(ModularEncoder(model, threads=1).encode_passages(PASSAGES), before)
    asked, pairs = "who kept Alma", [("Who was the keeper of Alma?", "Anna"), ("When was Alma built?", "1811")]
    rows = rows_of(WordPieces(tokenizer), [Twins(asked, *pair, True, "") for pair in pairs])
    rows += rows_of(WordPieces(tokenizer), [Twins(question, asked, "", True, "") for question, _ in pairs])
    with torch.no_grad():
        logits = [
            trained(torch.tensor([row.ids]), torch.tensor([row.segments]))[1].item() for row in rows
        ]  # fmt: skip
    judge = QuestionJudge(shipped, threads=1)
    found = judge.alike(asked, pairs)
    assert np.abs(found - np.reshape(logits, (2, 2)).mean(0)).max() < 0.15 * np.abs(logits).max() + 0.05
    assert judge.alike(asked, []).shape == (0,)


def test_recipes_and_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names no twins"):
        SameRecipe.of({})
    (tmp_path / "no.jsonl").write_text("{}\n")
    with pytest.raises(FormatError, match="holds no twins"):
        read_twins(tmp_path / "no.jsonl")


def test_what_an_evaluation_says() -> None:
    right, wrong = np.array([3.0, 2.0, 1.0, -1.0], np.float32), np.arange(100, dtype=np.float32) / 60
    assert kept(right, wrong) == 0.5 and kept(right, wrong, 0.5) == 0.75
    assert ordered(np.array([2.0, 0.0]), np.array([1.0, 0.0])) == pytest.approx(0.625)


class Near:
    """All questions lie near."""

    def encode_passages(self, texts: Any) -> Any:
        return np.ones((len(texts), 1), np.float32)


def test_questions_as_they_stand_beside_each_other() -> None:
    ones = [
        Told("Who kept the tower?", ("Anna",), "t"),
        Told("Who was it that kept the tower?", ("anna",), "t"),
        Told("When was the tower kept?", ("1811",), "t"),
        Told("Who kept the tower in 1811?", ("Anna",), "t"),
    ]
    found = {(frozenset((one.asked, one.question)), one.same) for one in natural(ones, Near(), random.Random(1))}  # type: ignore[arg-type]
    both = [(frozenset((ones[a].question, ones[b].question)), same) for a, b, same in ((0, 1, True), (0, 2, False))]
    assert set(both) <= found
    assert not any("1811" in "".join(pair) and same for pair, same in found)  # a number more is no other wording


def test_families_and_cases_by_hand(tmp_path: Path) -> None:
    made = list(framed({"film": ["Kestrel", "Heron"]}, random.Random(1), 1))
    assert {one.kind for one in made} == {"frame", "thing"}
    assert all(one.asked != one.question for one in made if one.same)
    assert all("{" not in one.asked + one.question for one in made)
    row = {"asked": "Who kept Alma?", "question": "Who was keeper at Alma?", "answer": "Anna", "same": True}
    (tmp_path / "cases.jsonl").write_text(json.dumps(row))
    hand = [
        (one.asked, one.question, one.answer) for one in written(tmp_path / "cases.jsonl", random.Random(1), ["Bard"])
    ]
    assert hand == [
        ("Who kept Alma?", "Who was keeper at Alma?", "Anna"),
        ("Who was keeper at Alma?", "Who kept Alma?", ""),
        ("Who kept Bard?", "Who was keeper at Bard?", ""),
    ]
