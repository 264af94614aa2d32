"""A small encoder that can walk, and lessons of our own words."""

from __future__ import annotations

from pathlib import Path

from answerable.encoders.sentences import SentenceLayout
from answerable.training.documents.draw import Lesson, Task
from answerable.training.documents.model import ONCE, TWICE, WALKING, Level, Walker, read_together
from answerable.training.experts import begin_expert
from tests.training.paths import worlds

LAMP = ("Skerryvore .", ("The tower was built by Alan Stevenson.", "The lamp was lit in 1844 by the keeper."))
PIER = ("Tiree .", ("The pier is made of stone.", "A boat for oil is in the harbour.", "The wall is long."))
BIRD = ("", ("The curlew is a bird with a long bent bill.",))


def write_bert(folder: Path) -> Path:
    """A folder of Hugging Face's form with random weights, whose tokenizer can mask."""
    vocabulary = [*worlds.VOCABULARY[:-1], "[MASK]"]
    return worlds.worlds.write_bert(folder, 5, worlds.SHAPE, vocabulary)


def begun(folder: Path) -> tuple[Walker, SentenceLayout]:
    """A walk that nothing has trained, and its layout."""
    walker, tokenizer = begin_expert(WALKING, str(folder), 0.0)
    return walker.eval(), SentenceLayout(tokenizer, read_together(walker))


def right(*sentences: tuple[int, int]) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    """What is right for a step: sentences, and their paragraphs."""
    return frozenset(p for p, _ in sentences), frozenset(sentences)


ONE = Task(("Who built the tower?",), ONCE, (right((0, 0)),) * 2, over=True)
OTHER = Task(("Is the bill of the bird long?",), ONCE, (right((2, 0)),) * 2, over=True)
TWO = Task(("Is the pier by Stevenson?",), TWICE, (right((0, 0)),) * 2 + (right((1, 0), (1, 2)),) * 2, over=False)
TURN = Task(("May I light the lamp?", "Are you the keeper? Yes"), (Level.EITHER,) * 2, (right((0, 0), (0, 1)),) * 2, 0)
LESSON = Lesson("towers", (LAMP, PIER, BIRD), (ONE, OTHER))
