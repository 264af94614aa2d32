"""The likeliest questions of passages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answerable.errors import ModelError
from answerable.qapairs.generation.names import NamesExtractor, PhrasesExtractor
from answerable.qapairs.generation.parsing import Parser
from answerable.qapairs.generation.ranking import Ranker
from answerable.qapairs.generation.syntactic.generator import SyntacticGenerator, acceptable, printed
from answerable.testing.reader import GeneratorContract
from answerable.text import normalise_answer
from tests.qapairs.generation.sentences import passage, span

LIGHT = passage(
    "Skerryvore Lighthouse is a tall lighthouse west of Tiree in Scotland . It was designed by Alan Stevenson , an "
    "engineer from Edinburgh , and was first lit on 1 February 1844 . The tower is 48 metres tall and cost $ 86,000 .",
    "Skerryvore Lighthouse",
)
GLASS = passage(
    "The Chance Brothers made glass in Smethwick. In 1851, they supplied glass for the Crystal Palace.", "Glass"
)


class TestSyntacticGenerator(GeneratorContract):
    passages = (LIGHT, GLASS)
    answers = (
        (span(LIGHT, "Alan Stevenson"), span(LIGHT, "1 February 1844", "DATE"), span(LIGHT, "48 metres")),
        (span(GLASS, "Smethwick"), span(GLASS, "1851"), span(GLASS, "glass")),
    )

    @pytest.fixture(autouse=True)
    def _generator(self, parser: Parser) -> None:
        self.generator = SyntacticGenerator(parser)

    def test_questions_are_printed_and_do_not_say_their_answer(self, parser: Parser) -> None:
        wanted = [
            names + phrases
            for names, phrases in zip(
                NamesExtractor(parser).extract(self.passages),
                PhrasesExtractor(parser).extract(self.passages),
                strict=True,
            )
        ]
        made = SyntacticGenerator(parser, answers=99, most=99).generate(self.passages, wanted)
        for one in (one for found in made for one in found):
            assert one.question.endswith("?") and one.question.count("?") == 1
            assert one.question[0] == one.question[0].upper() and "  " not in one.question
            assert f" {normalise_answer(one.answer.text)} " not in f" {normalise_answer(one.question)} "
        assert all(len({one.question for one in found}) == len(found) > 8 for found in made[:1])

    def test_most_and_answers_bound_what_is_made(self, parser: Parser) -> None:
        (few,) = SyntacticGenerator(parser, answers=1, most=1).generate([LIGHT], [self.answers[0]])
        (more,) = SyntacticGenerator(parser, most=3).generate([LIGHT], [self.answers[0]])
        assert len(few) == 1 < len(more) and {*few} <= {*more}

    def test_odd_spans_give_nothing_or_a_question(self, parser: Parser) -> None:
        broken = [span(LIGHT, LIGHT.text[at : at + 7]) for at in range(0, len(LIGHT.text) - 7, 5)]
        odd = passage("a\x00b\n\n\tc ÅØǼ ﬁ")
        made = self.generator.generate([LIGHT, odd], [broken, [span(odd, "b\n"), span(odd, " ")]])
        assert len(made) == 2 and made[1] == []


def test_the_ranker_prefers_what_people_ask(parser: Parser) -> None:
    ranker = Ranker({"bias": 0.0, "kind DATE": 5.0}, {"bias": 0.0, "opens when": 3.0})
    made = SyntacticGenerator(parser, ranker, answers=1).generate([LIGHT], [TestSyntacticGenerator.answers[0]])
    assert made[0][0].question.startswith("When") and made[0][0].answer.kind == "DATE"


def test_weights_that_are_missing_or_damaged_are_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Ranker.load(tmp_path / "ranking.json")
    (tmp_path / "ranking.json").write_text(json.dumps({"spans": {"bias": float("nan")}, "questions": {}}))
    with pytest.raises(ModelError, match="not finite"):
        Ranker.load(tmp_path / "ranking.json")


def test_print() -> None:
    assert printed("who  built it ?") == "Who built it?"
    assert printed('what is the "red house') == "What is the red house?"


@pytest.mark.parametrize(
    ("question", "answer", "fine"),
    [
        ("Who built the bridge?", "Ann Ross", True),
        ("Who was Ann Ross?", "Ann Ross", False),
        ("Who is?", "Ann Ross", False),
        ("Who was the first king of the land?", "the", False),
    ],
)
def test_a_question_is_decent(question: str, answer: str, fine: bool) -> None:
    assert acceptable(question, answer) is fine
