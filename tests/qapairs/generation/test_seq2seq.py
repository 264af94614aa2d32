"""Questions by a tiny BART and a tiny T5 that were trained to ask them here."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.encoders.shipped import mark_taught
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.seq2seq import MARKS, Seq2SeqGenerator, asked_text, fitted
from answerable.testing.reader import GeneratorContract
from answerable.types import Passage
from tests.encoders.tiny import FAMILIES, write_tiny
from tests.training.qapairs.houses import HOUSES, WORDS, asked, passage, recipe_of, trained, write_world


def passage_of(house: str) -> Passage:
    return Passage(f"wiki/{house}#0", f"wiki/{house}", "wiki", house, passage(house), 0, len(passage(house)))


def answers_of(house: str) -> tuple[Extracted, ...]:
    text = passage(house)
    places = ((text.index(answer), answer) for _, answer in asked(house))
    return tuple(Extracted(start, start + len(answer), answer, "", 0.5, "told") for start, answer in places)


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned the questions of all lighthouses."""
    folder = write_world(tmp_path_factory.mktemp(request.param), request.param)
    trained(recipe_of(folder), folder, folder / "run")
    return folder / "run" / "model"


class TestSeq2SeqGenerator(GeneratorContract):
    passages = tuple(passage_of(house) for house in HOUSES)
    answers = tuple(answers_of(house) for house in HOUSES)

    @pytest.fixture(autouse=True)
    def _opened(self, model: Path) -> None:
        self.generator = Seq2SeqGenerator(str(model), threads=1)

    def test_asks_what_it_has_learned_to_ask_for_each_answer(self) -> None:
        made = self.generator.generate(self.passages, self.answers)
        best = [
            next(one.question for one in questions if one.answer == answer)
            for questions, answers in zip(made, self.answers, strict=True)
            for answer in answers
        ]
        wanted = [" ".join(question.replace("?", " ?").split()) for house in HOUSES for question, _ in asked(house)]
        assert best == wanted

    def test_keeps_all_that_the_beam_ends_with(self, model: Path) -> None:
        for beams in (1, 4):
            made = Seq2SeqGenerator(str(model), beams, 1).generate(self.passages[:1], self.answers[:1])[0]
            counts = [sum(one.answer == answer for one in made) for answer in self.answers[0]]
            assert all(1 <= count <= beams for count in counts) and sum(counts) > len(counts) * (beams > 1)


def test_the_label_of_the_text_it_learned_from_is_its_own(model: Path):
    assert Seq2SeqGenerator(str(model), threads=1).label == frozenset()
    mark_taught(model, frozenset({"mail"}))
    assert Seq2SeqGenerator(str(model), threads=1).label == {"mail"}


def test_a_model_without_a_manifest_is_asked_as_the_paper_asks_its_own(tmp_path: Path):
    write_tiny(tmp_path, "bart", WORDS)
    generator = Seq2SeqGenerator(str(tmp_path), threads=1)
    assert generator._marks == ("**", "**") and generator.name.startswith(tmp_path.name)


def test_what_is_read():
    assert asked_text("Kopu", "Finished in 1531.", 12, 16, MARKS) == (
        "answer: 1531 | title: Kopu | context: Finished in <answer> 1531 </answer>."
    )
    assert asked_text("", "1531.", 0, 4, ("**", "**")) == "answer: 1531 | context: ** 1531 **."


@given(st.text(min_size=1, max_size=300), st.data())
def test_a_long_passage_is_cut_around_its_answer(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    least = len(asked_text("", text[start:end], 0, end - start, MARKS))
    most = data.draw(st.integers(least, least + 200))
    made = fitted("", text, start, end, MARKS, most, len)
    assert len(made) <= most
    before, _, rest = made.removeprefix(f"answer: {text[start:end]} | context: ").partition(f"{MARKS[0]} ")
    assert text[:start].endswith(before) and rest.startswith(f"{text[start:end]} {MARKS[1]}")
    assert text[end:].startswith(rest.removeprefix(f"{text[start:end]} {MARKS[1]}"))
    if len(asked_text("", text, start, end, MARKS)) <= most:
        assert made == asked_text("", text, start, end, MARKS)
