"""What asks questions: which readings it learns from, and that it asks without torch as it does with it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from answerable.encoders.asking import Asker, AskLayout, AskRow
from answerable.encoders.shipped import open_shipped
from answerable.errors import UsageError
from answerable.training.experts import put_expert
from answerable.training.export import export_skills
from answerable.training.qapairs.questions import (
    ASKER,
    Lesson,
    QuestionRecipe,
    commonest,
    drawn,
    laid,
    surprise_of,
    usable,
)
from answerable.training.reading import NONE, SPAN, YES, Reading
from tests.training.cases import ASKS

TOWER = Reading(
    "1", "When was Alma lit?", (("Alma", "The lamp of Alma was lit in 1811."),), SPAN, (0, 28, 32), ("1811",), "squad"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ASKS.world(tmp_path_factory.mktemp("asks"))


@pytest.fixture(scope="module")
def trained(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A model that learned a little, and the encoder that it was put into."""
    out = tmp_path_factory.mktemp("trained")
    model = ASKS.train(ASKS.how(folder), folder, out / "run")
    export_skills(model.model, out / "model", "tiny", out / "run/tokenizer.json", {})  # type: ignore[arg-type]
    put_expert(ASKER, model, out / "model", 40)
    return model, out / "model"


def test_sources_are_seen_as_often_as_the_recipe_says(folder: Path) -> None:
    once, more = (
        list(drawn(QuestionRecipe.of(ASKS.how(folder, sources={"squad1": n})), folder / "data")) for n in (1.0, 2.5)
    )
    assert len(more) == 2.5 * len(once) > 0


def test_files_of_ones_own_are_learned_from(folder: Path) -> None:
    how = ASKS.how(folder, files=["squad/squad-train-part.json.gz"], sources={"files": 1.0})
    assert {one.source for one in drawn(QuestionRecipe.of(how), folder / "data")} == {"files"}
    for wrong in ({"files": ["a.json"], "sources": {"squad1": 1}}, {"files": [], "sources": {"files": 1}}):
        with pytest.raises(UsageError, match="files"):
            QuestionRecipe.of(ASKS.how(folder, **wrong))


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": NONE, "answer": None},
        {"kind": YES, "answer": None},
        {"question": "alma's lamp, when?"},
        {"question": "Say when Alma was lit."},
        {"question": "Was Alma lit in 1811?"},
        {"passages": (*TOWER.passages, *TOWER.passages)},
    ],
)
def test_only_what_a_span_of_one_passage_answers_is_learned_from(changed: dict[str, Any]) -> None:
    assert usable([TOWER]) == [TOWER]
    assert usable([replace(TOWER, **changed)]) == []


def test_what_people_type_into_a_search_box_is_learned_as_such(folder: Path) -> None:
    layout = AskLayout(folder / "model/tokenizer.json")
    typed = replace(TOWER, question="when was alma lit", source="nq")
    assert usable([typed]) == [typed]
    [[asked], [put]] = ([one.said for one in laid(layout, reading, 40)] for reading in (typed, TOWER))
    assert asked[0] == layout.how(True) != layout.how(False) == put[0]
    assert asked[1:] == put[1:] and put[-1] == layout.end


def test_the_commonest_words_can_be_said() -> None:
    lesson = Lesson(AskRow([7, 8, 8], [1] * 3, [(0, 0)] * 3), [1, 5, 5, 9])
    assert commonest([lesson], 2, 20) == [5, 9]
    assert commonest([lesson], 4, 20) == [5, 7, 8, 9]
    assert commonest([lesson], 6, 20) == [0, 1, 5, 7, 8, 9]


def test_it_asks_without_torch_as_it_does_with_it(trained: tuple[Any, Path]) -> None:
    model, where = trained
    asker, layout = Asker(open_shipped(where), 1), AskLayout(where / "tokenizer.json")
    (title, text), (_, start, end) = TOWER.passages[0], TOWER.answer  # type: ignore[misc]
    [asked] = asker.ask(title, text, [(start, end)], 3)
    assert 1 <= len(asked) <= 3
    vocabulary = model.model.trunk.shape.vocabulary
    numbers = torch.full((vocabulary,), -1)
    numbers[model.said] = torch.arange(len(model.said))
    [row] = layout.rows(title, text, [(start, end)], 40)
    for tokens, probability in asker._searched([row], 3)[0]:
        lesson = Lesson(row, [layout.how(False), *tokens, layout.end])
        with torch.no_grad():
            summed, count = surprise_of(model.eval(), [lesson], numbers, torch.device("cpu"))
        assert probability == pytest.approx(math.exp(-float(summed) / int(count)), rel=0.2)
