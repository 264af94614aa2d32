"""Questions of a model that learned to ask of lighthouses."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from answerable.encoders.shipped import mark_taught
from answerable.errors import ModelError
from answerable.qapairs.generation.learned import LearnedGenerator
from answerable.qapairs.generation.parts import Extracted
from answerable.testing.reader import GeneratorContract
from answerable.types import Passage
from tests.training.cases import ASKS
from tests.training.qapairs.worlds import BUILT, KEPT, tower


def passage_of(name: str) -> Passage:
    return Passage(f"wiki/{name}#0", f"wiki/{name}", "wiki", name, tower(name), 0, len(tower(name)))


def answers_of(name: str) -> tuple[Extracted, ...]:
    text = tower(name)
    places = ((text.index(answer), answer) for answer in (BUILT[name], KEPT[name]))
    return tuple(Extracted(start, start + len(answer), answer, 0.5, "told") for start, answer in places)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned the questions of all towers."""
    folder = ASKS.world(tmp_path_factory.mktemp("asks"))
    loop = {"rate": 1e-2, "tokens": 300}
    made = ASKS.made.make(
        ASKS.made.recipe.of(ASKS.how(folder, loop=loop, sources={"squad1": 90})), folder / "data", folder / "run"
    )
    assert made.folder is not None
    return made.folder


class TestLearnedGenerator(GeneratorContract):
    passages = tuple(passage_of(name) for name in BUILT)
    answers = tuple(answers_of(name) for name in BUILT)

    @pytest.fixture(autouse=True)
    def _opened(self, model: Path) -> None:
        self.generator = LearnedGenerator(model, threads=1, least=0.0)

    def test_asks_what_it_has_learned_to_ask_with_the_name_of_each_passage(self) -> None:
        made = self.generator.generate(self.passages, self.answers)
        best = [next((one.question for one in questions), "") for questions in made]
        forms = [{f"In what year was {name} built?", f"Who kept {name}?"} for name in BUILT]
        assert sum(one in known for one, known in zip(best, forms, strict=True)) >= len(BUILT) - 2

    def test_keeps_as_many_as_it_is_told(self, model: Path) -> None:
        for most in (1, 3):
            made = LearnedGenerator(model, most, 1, 0.0).generate(self.passages[:1], self.answers[:1])[0]
            assert made and all(sum(one.answer == answer for one in made) <= most for answer in self.answers[0])


def test_what_is_improbable_is_not_asked(model: Path) -> None:
    passage, answers = [passage_of("Alma")], [answers_of("Alma")]
    scores = [one.score for one in LearnedGenerator(model, 4, 1, 0.0).generate(passage, answers)[0]]
    least = sorted(scores)[len(scores) // 2] / 0.5  # an answer's own probability is a half
    kept = [one.score for one in LearnedGenerator(model, 4, 1, least).generate(passage, answers)[0]]
    assert sorted(kept) == [one for one in sorted(scores) if one >= 0.5 * least]


def test_the_label_of_the_text_it_learned_from_is_its_own(model: Path) -> None:
    assert LearnedGenerator(model, threads=1).label == frozenset()
    mark_taught(model, frozenset({"mail"}))
    assert LearnedGenerator(model, threads=1).label == {"mail"}


def test_a_folder_that_asks_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        LearnedGenerator(tmp_path)
