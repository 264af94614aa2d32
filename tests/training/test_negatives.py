from __future__ import annotations

from dataclasses import replace

from answerable.training.negatives import neighbours, swapped
from answerable.training.reading import NONE, SPAN, Reading

TEXT = "Skerryvore was lit in 1844. The keeper Robert Selkirk came from Tiree in 1850, the first of many to do so."
ROW = Reading(
    "a", "In which year was Skerryvore lit by men of Tiree?", (("Lights", TEXT),), SPAN, (0, 22, 26), ("1844",)
)


def test_a_name_gives_way_to_another_of_the_passage() -> None:
    for seed in range(20):
        (made,) = swapped([ROW], seed)
        assert (made.kind, made.answer, made.passages) == (NONE, None, ROW.passages)
        assert made.question in {
            "In which year was Robert Selkirk lit by men of Tiree?",
            "In which year was Skerryvore lit by men of Robert Selkirk?",
        }


def test_the_answer_never_comes_into_the_question() -> None:
    row = replace(ROW, question="Was it lit before 1850?", answers=("1844",))
    for seed in range(20):
        assert all("1844" not in made.question for made in swapped([row], seed))


def test_a_word_gives_way_to_its_opposite() -> None:
    row = replace(ROW, question="who was the first keeper?", answers=("Robert Selkirk",))
    assert [made.question for made in swapped([row], 0)] == ["who was the last keeper?"]


def test_nothing_to_change_makes_nothing() -> None:
    assert not [*swapped([replace(ROW, question="when?"), replace(ROW, kind=NONE, answer=None)], 0)]


def test_a_neighbour_is_of_the_article_and_lacks_the_answer() -> None:
    other = "Many lights of Tiree were tended by men who rowed there."
    also = "In 1844 men rowed to Tiree."
    rows = [
        ("Lights", ROW),
        ("Lights", replace(ROW, id="b", passages=(("Lights", other),), answers=("rowed",))),
        ("Lights", replace(ROW, id="c", passages=(("Lights", also),), answers=("men",))),
        ("Bells", replace(ROW, id="d", passages=(("Bells", "A bell of Tiree."),), answers=("A bell",))),
    ]
    made = {row.id: row for row in neighbours(rows, 0)}
    assert made["a"].passages[0][1] == other
    assert all(row.kind == NONE and row.answer is None for row in made.values())
    assert "d" not in made
