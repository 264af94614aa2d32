"""Learning to rank the programs of a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from answerable.selective.beside import Decided
from answerable.selective.calibrate import Calibration
from answerable.tables.answering import FEATURES
from answerable.tables.network import Network
from answerable.tables.ranking import Ranking, nearness
from answerable.training.table_confidence import Watched
from answerable.training.tables import Learner, Lesson, own_lessons, right, spoken, train
from tests.tables.made import table
from tests.tables.test_answering import NOTHING, SOURCE, chain, weigh

QUESTIONS = {
    "average {} of the engineers": "mean",
    "what is the total {}": "sum",
    "how many engineers are there": "count",
    "who has the greatest {}": "most",
}


def lessons(count: int) -> list[Lesson]:
    """Questions of `count` tables of one kind, each with numbers of its own."""
    made = []
    for at in range(count):
        name = ("Salary", "Bonus", "Fee", "Score")[at % 4]
        numbers = [100 + at * 7, 340 - at * 3, 205 + at, 90 + at * 2]
        rows = [f"{who},{role},{n}" for who, role, n in zip("ABCD", ("engineer", "tester") * 2, numbers, strict=True)]
        own = table("\n".join([f"Name,Role,{name}", *rows]))
        best = "ABCD"[numbers.index(max(numbers))]
        engineers = (numbers[0] + numbers[2]) / 2
        answers = {"mean": str(engineers), "sum": str(sum(numbers)), "count": "2", "most": best}
        made += [
            Lesson(question.format(name.lower()), (answers[how],), own, f"t{at}") for question, how in QUESTIONS.items()
        ]
    return made


def asked(ranking: Ranking, taught: list[Lesson]) -> float:
    """The share of lessons whose likeliest answer is right."""
    said = [(ranking.say(one.question, one.table, 1), one) for one in taught]
    return sum(bool(found) and right(found[0].program.values, one.answers) for found, one in said) / len(taught)


def test_what_is_learned_from_some_tables_answers_others(tmp_path: Path) -> None:
    taught = lessons(70)
    raw, arrays = train(taught[:240], 7)
    weights = {name: value / 100 for name, value in raw["weights"].items()}
    np.savez(tmp_path / "network.npz", allow_pickle=False, **arrays)
    network = Network.load(tmp_path / "network.npz", [*weights])
    learned = Ranking(weights, frozenset(raw["vocabulary"]), nearness(), network)
    assert network.places and asked(learned, taught[240:]) > 0.9 > asked(Ranking({}, frozenset()), taught[240:])
    again, same = train(taught[:240], 7)
    assert raw == again and all((same[name] == array).all() for name, array in arrays.items()), "a seed decides"


def test_a_question_that_no_program_answers_teaches_nothing() -> None:
    own = lessons(1)[0]
    assert Learner(frozenset(), nearness()).choice(Lesson(own.question, ("a dozen",), own.table, "t")) is None


def test_words_of_one_table_alone_are_not_learned() -> None:
    taught = lessons(8)
    assert "average" in spoken(taught)
    assert "average" not in spoken([Lesson(one.question, one.answers, one.table, "t") for one in taught])


@pytest.mark.parametrize(
    ("values", "answers", "same"),
    [
        (("Seoul (1988)",), ("seoul",), True),
        (("12,500",), ("12500",), True),
        (("Ana", "Ole"), ("Ole", "Ana"), True),
        (("Ana",), ("Ana", "Ole"), False),
        (3.0, ("3",), True),
        (3.0, ("3 years",), True),
        (3.0, ("three",), False),
        (61.6667, ("61.67",), True),
    ],
)
def test_an_answer_is_right_whatever_stands_around_it(
    values: tuple[str, ...] | float, answers: tuple[str, ...], same: bool
) -> None:
    assert right(values, answers) is same


def test_tables_that_are_kept_for_measuring_are_not_taught(tmp_path: Path) -> None:
    asked = [{"question": "b of x", "answers": ["1"]}]
    lines = [{"title": f"t{at}", "header": ["A", "B"], "rows": [["x", "1"]], "questions": asked} for at in range(12)]
    path = tmp_path / "tables.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf8")
    parts = {part: {one.source for one in own_lessons(path, part)} for part in ("taught", "sure", "held")}
    assert [len(parts[part]) for part in ("taught", "sure", "held")] == [8, 2, 2]
    assert len(set().union(*parts.values())) == 12


def test_what_tables_would_say_is_noted_and_not_said() -> None:
    always = Calibration((0.0,) * len(FEATURES), 9.0, 0.5)
    watched = Watched(always, always)
    assert weigh(watched, "average salary of engineers", [chain(SOURCE)]) == Decided(NOTHING)
    (decision, asked, worked), *_ = watched.seen
    assert (decision, asked[0].document, worked[0].candidate.text) == (NOTHING, SOURCE, "$62,500")
