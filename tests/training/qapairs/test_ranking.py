"""Learning which spans and questions people ask."""

from __future__ import annotations

from pathlib import Path

from answerable.qapairs.generation.parsing import Parser
from answerable.qapairs.generation.ranking import Ranker
from answerable.training.qapairs.ranking import (
    Example,
    fitted,
    gathered,
    held_out,
    ordering,
    paragraphs,
    prepared,
    train,
    worded,
)
from tests.training.files import article, write_squad

TEXT = "Ann Ross discovered the comet in 1898. She was born in Leeds."
ASKED = [("Who discovered the comet?", "Ann Ross"), ("When was the comet discovered?", "1898")]


def file(path: Path, titles: int) -> Path:
    return write_squad(path, [article(f"Comet {number}", (TEXT, ASKED)) for number in range(titles)])


def example(owner: int, close: float, **features: float) -> Example:
    return Example(dict(features), close >= 0.5, close, owner, {"kind DATE": 1.0})


def test_paragraphs_hold_each_answer_with_its_questions(tmp_path: Path) -> None:
    (one, other) = paragraphs(file(tmp_path / "asked.json.gz", 2), "asked")
    assert one.passage.title == "Comet 0" and one.passage.text == TEXT and other.passage.id != one.passage.id
    assert one.asked[0, len("Ann Ross")] == ("Who discovered the comet?",)


def test_what_differs_within_an_answer_orders_its_questions() -> None:
    examples = []
    for owner in range(60):
        level = owner / 60  # some answers are closer as a whole; that is not what orders their questions
        examples += [example(owner, level, plain=1.0), example(owner, min(1.0, level + 0.3), good=1.0, plain=1.0)]
    order = ordering(examples)
    assert order["good"] > 0.1 and abs(order["plain"]) < 0.01
    weights = worded(examples)
    assert weights["good"] > 0 and weights == worded(examples)


def test_a_regression_tells_right_from_wrong_and_leaves_out_rare_features() -> None:
    examples = [example(n, 1.0, date=1.0) for n in range(40)] + [example(n, 0.0, other=1.0) for n in range(40)]
    weights = fitted([*examples, example(99, 1.0, rare=1.0)])
    assert weights["date"] > 1 > -1 > weights["other"] and "rare" not in weights
    ranker = Ranker(weights, {"bias": 0.0})
    assert ranker.wanted({"date": 1.0}) > 0.8 > 0.2 > ranker.wanted({"other": 1.0})


def test_learning_from_a_file_gives_weights_that_open(tmp_path: Path) -> None:
    every = paragraphs(file(tmp_path / "asked.json.gz", 40), "asked")
    items = list(prepared(every, Parser()))
    assert {held_out(one) for one in every} == {True, False}
    found, asked = gathered(items[:1])
    assert {one.owner for one in asked} == {0, 1} and any(one.right for one in found)
    assert max(one.close for one in asked) == 1.0
    made = train({"asked": items}, tmp_path / "ranking.json")
    assert Ranker.load(tmp_path / "ranking.json") == made
    spans = {one.right: made.wanted(one.features) for one in found}
    assert spans[True] > spans[False]
