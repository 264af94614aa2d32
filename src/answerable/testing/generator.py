"""What every generator of questions must keep to; a test class inherits this and says which generator."""

from __future__ import annotations

import math

from answerable.qapairs.generation.parts import Extracted, Generator
from answerable.types import Passage


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
