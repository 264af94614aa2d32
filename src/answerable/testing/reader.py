"""What every reader, generator of questions and judge of constraints must keep to; a test class says which it is."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from answerable.qapairs.generation.parts import Extracted, Generator
from answerable.readers.reader import Reader
from answerable.sets.judge import Judge
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill


def chain(*texts: str, title: str = "Skerryvore Lighthouse", start: int = 100) -> Chain:
    """A chain of made-up passages, each beginning at character `start` of its document."""
    hits = []
    for i, text in enumerate(texts):
        passage = Passage(f"p{i}-{text[:12]}", f"d{i}", "public", title, text, start, start + len(text))
        hits.append(Hit(passage, 1.0, PUBLIC, Skill.SINGLE))
    return Chain(tuple(hits), 1.0, PUBLIC)


LIGHT = "Skerryvore Lighthouse stands west of Tiree. It was designed by Alan Stevenson and first lit in 1844."
OTHER = "The Chance Brothers made glass in Smethwick. Their works closed in 1981."


class ReaderContract:
    """Inherit and define `reader`; `polar` is False for one that leaves questions alone which ask yes or no."""

    reader: Reader
    polar = True

    def test_a_span_is_verbatim_in_its_passage(self) -> None:
        for candidate in self.reader.read("Who designed Skerryvore Lighthouse?", [chain(LIGHT), chain(OTHER, LIGHT)]):
            passage = candidate.chain.hits[candidate.hit].passage
            assert passage.text[candidate.start - passage.start : candidate.end - passage.start] == candidate.text

    def test_best_first_and_deterministic(self) -> None:
        question, chains = "When was Skerryvore Lighthouse first lit?", [chain(LIGHT), chain(OTHER)]
        once, again = self.reader.read(question, chains), self.reader.read(question, chains)
        assert once == again
        assert all(a.score >= b.score for a, b in pairwise(once))

    def test_the_order_of_chains_does_not_matter(self) -> None:
        question, chains = "When was Skerryvore Lighthouse first lit?", [chain(LIGHT), chain(OTHER)]
        best, other = self.reader.read(question, chains), self.reader.read(question, chains[::-1])
        assert best[0].text == other[0].text

    def test_nothing_to_read_is_ordinary(self) -> None:
        assert self.reader.read("Who?", []) == []
        assert self.reader.read("Who designed it?", [Chain((), 0.0, PUBLIC)]) == []
        assert self.reader.read("   ", [chain(LIGHT)]) == []

    def test_a_polar_question_is_answered_yes_or_no(self) -> None:
        found = self.reader.read("Was Skerryvore Lighthouse first lit in 1844?", [chain(LIGHT)])
        assert {c.text for c in found} <= {"yes", "no"}
        assert found or not self.polar

    def test_odd_text_is_read_without_fuss(self) -> None:
        for text in ("", " ", "🗼" * 50, "x" * 20_000, "a\x00b\n\n\tc", "ÅØǼ ﬁ " * 40):
            odd = self.reader.read("Who designed Skerryvore Lighthouse?", [chain(text)])
            assert all(c.text in text for c in odd)
            assert all(c.text in LIGHT for c in self.reader.read(text, [chain(LIGHT)]))


class GeneratorContract:
    """Inherit and define `generator`, `passages` (two at least, of which it can ask) and `answers` to each."""

    generator: Generator
    passages: tuple[Passage, ...]
    answers: tuple[tuple[Extracted, ...], ...]

    def test_every_question_is_of_an_answer_it_was_given(self) -> None:
        made = self.generator.generate(self.passages, self.answers)
        assert len(made) == len(self.passages) and any(made)
        for questions, answers in zip(made, self.answers, strict=True):
            assert all(one.answer in answers and one.question.strip() for one in questions)
            assert all(math.isfinite(one.score) and 0 <= one.score <= 1 for one in questions)
            assert all(one.generator == self.generator.name for one in questions)

    def test_the_likeliest_question_of_an_answer_comes_first_and_none_twice(self) -> None:
        for questions in self.generator.generate(self.passages, self.answers):
            for answer in {one.answer for one in questions}:
                own = [one for one in questions if one.answer == answer]
                assert [one.score for one in own] == sorted((one.score for one in own), reverse=True)
                assert len({one.question for one in own}) == len(own)

    def test_no_other_passage_changes_anything(self) -> None:
        together = self.generator.generate(self.passages, self.answers)
        turned = self.generator.generate(self.passages[::-1], self.answers[::-1])
        alone = [
            self.generator.generate([passage], [answers])[0]
            for passage, answers in zip(self.passages, self.answers, strict=True)
        ]
        assert together == turned[::-1] == alone

    def test_where_there_is_no_answer_nothing_is_asked(self) -> None:
        assert self.generator.generate([], []) == []
        assert self.generator.generate(self.passages[:1], [()]) == [[]]

    def test_has_a_name(self) -> None:
        assert self.generator.name


TEXTS = (
    ("konqueror", "A web browser and file manager, built with Qt."),
    ("dillo", "A small web browser built with FLTK."),
    ("gzip", "Compresses files."),
    ("qtcreator", "An editor for programs that are built with Qt."),
)
CONSTRAINTS = ("web browsers", "built with Qt")


class JudgeContract:
    """Inherit and define `judge`."""

    judge: Judge

    def test_gives_a_probability_for_each_text_and_constraint(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        assert found.shape == (4, 2) and found.dtype == np.float32
        assert np.isfinite(found).all() and (found >= 0).all() and (found <= 1).all()

    def test_no_other_text_or_constraint_changes_it(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        for row, text in enumerate(TEXTS):
            for column, constraint in enumerate(CONSTRAINTS):
                alone = self.judge.judge([constraint], [text])
                assert abs(float(alone[0, 0]) - float(found[row, column])) < 1e-3

    def test_tells_what_fits_from_what_does_not(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        assert found[0, 0] > found[2, 0] and found[0, 1] > found[2, 1] and found[1, 0] > found[1, 1]

    def test_no_texts_are_judged_too(self) -> None:
        assert self.judge.judge(CONSTRAINTS, []).shape == (0, 2)

    def test_has_a_name(self) -> None:
        assert self.judge.name
