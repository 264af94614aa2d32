from __future__ import annotations

import random
from pathlib import Path

import pytest

from answerable.corpora.paragraphs import Paragraph
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.load import LOADERS, load
from answerable.training.documents.draw import DrawSettings, lessons
from answerable.training.documents.model import ONCE, TWICE, Level
from answerable.types import Document
from tests.evaluation.long import worlds

TEXT = "The tide rises. Boats wait. The wall fell. It was built again."


def place(words: str) -> tuple[int, int]:
    return TEXT.index(words), TEXT.index(words) + len(words)


def document(*questions: LongQuestion) -> LongDocument:
    first = Paragraph(0, 27, ("Notes", "Sea"), (place("The tide rises."), place("Boats wait.")))
    second = Paragraph(28, 62, ("Notes", "Land"), (place("The wall fell."), place("It was built again.")))
    return LongDocument(Document("d", "e", "Notes", TEXT, "d"), questions, (first, second))


def drawn(*questions: LongQuestion, **how: int) -> list:  # type: ignore[type-arg]
    return list(lessons("notes", [document(*questions)], DrawSettings(**how), random.Random(1)))


def test_one_piece_of_evidence_is_a_paragraph_and_a_sentence() -> None:
    (lesson,) = drawn(LongQuestion("1", "What fell?", ("the wall",), ((place("wall fell"),),)))
    (task,) = lesson.tasks
    assert task.levels == ONCE and task.over and task.nulls == 3
    number = lesson.paragraphs.index(("Notes > Land .", ("The wall fell.", "It was built again.")))
    assert task.right == ((frozenset([number]), frozenset([(number, 0)])),) * 2


def test_two_pieces_in_two_paragraphs_are_four_steps_and_in_one_paragraph_two() -> None:
    apart = LongQuestion("1", "What fell in the tide?", ("wall",), ((place("tide"),), (place("wall"),)))
    within = LongQuestion("2", "What fell and was built?", ("wall",), ((place("wall"),), (place("built"),)))
    for question, levels in ((apart, TWICE), (within, ONCE)):
        (lesson,) = drawn(question)
        assert lesson.tasks[0].levels == levels and lesson.tasks[0].over == (levels == ONCE)
    assert lesson.tasks[0].right[1][1] == {(next(iter(lesson.tasks[0].right[0][0])), 1)}


def test_a_conversation_has_a_step_for_each_turn() -> None:
    turn = LongQuestion(
        "1", "May I build?", ("Yes",), ((place("The wall fell."),), (place("It was built again."),)), "Yes",
        scenario="I have stone.", history=(("Did it fall?", "Yes"),),
    )  # fmt: skip
    (lesson,) = drawn(turn)
    (task,) = lesson.tasks
    assert task.sentences == ("May I build?", "I have stone.", "Did it fall? Yes")
    assert task.levels == (Level.EITHER,) * 3 and task.decision == 0 and task.nulls == 0
    assert task.right[0] == task.right[1] != task.right[2]


def test_long_paragraphs_are_cut_to_some_sentences_and_their_evidence() -> None:
    spans = tuple((i, i + 1) for i in range(30))
    text = "abcdefghijklmnopqrstuvwxyzABCD"
    question = LongQuestion("1", "Which letter?", ("k",), (((10, 11),),))
    long = LongDocument(Document("d", "e", "Letters", text, "d"), (question,), (Paragraph(0, 30, (), spans),))
    (lesson,) = lessons("letters", [long], DrawSettings(sentences=5), random.Random(2))
    ((_, sentences),) = lesson.paragraphs
    assert len(sentences) == 5 and list(sentences) == sorted(sentences, key=text.index)
    ((_, at),) = lesson.tasks[0].right[1][1]
    assert sentences[at] == "k"


def test_a_source_may_keep_its_documents_apart() -> None:
    question = LongQuestion("1", "What fell?", ("the wall",), ((place("wall fell"),),))
    two = [document(question), document(question)]
    assert len(list(lessons("notes", two, DrawSettings(), random.Random(1)))) == 1
    assert len(list(lessons("notes", two, DrawSettings(whole=("notes",)), random.Random(1)))) == 2


def test_questions_without_known_evidence_are_left_out() -> None:
    assert drawn(LongQuestion("1", "Why?", ("because",), ())) == []


@pytest.mark.parametrize("source", LOADERS)
def test_every_set_gives_lessons_whose_right_is_in_them(source: str, tmp_path: Path) -> None:
    documents = list(load(worlds.write(tmp_path), source, "train"))
    some = list(lessons(source, documents, DrawSettings(tokens=200, questions=2, least=2), random.Random(3)))
    assert some
    for lesson in some:
        assert 1 <= len(lesson.tasks) <= 2 and len({task.levels for task in lesson.tasks}) == 1
        for task in lesson.tasks:
            assert len(task.right) == len(task.levels)
            for of_paragraphs, of_sentences in task.right:
                assert of_paragraphs and {p for p, _ in of_sentences} == of_paragraphs
                assert all(s < len(lesson.paragraphs[p][1]) for p, s in of_sentences)
