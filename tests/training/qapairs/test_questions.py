"""A generator of questions learned from a tiny BART and a tiny T5."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the extra `transformers`")


from answerable.encoders.seq2seq import Seq2Seq
from answerable.encoders.shipped import open_shipped
from answerable.errors import FormatError, ModelError, UsageError
from answerable.qapairs.generation.seq2seq import MARKS, Seq2SeqGenerator
from answerable.training.qapairs import questions
from answerable.training.qapairs.questions import batches_of, draw
from tests.encoders.tiny import FAMILIES
from tests.training.qapairs.houses import read, recipe_of, trained, write_world


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp(request.param), request.param)


def evaluations(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line)["evaluation"] for line in (folder / "log.jsonl").read_text().splitlines()]


def test_training_that_was_stopped_goes_on_to_the_same_model(folder: Path, monkeypatch: pytest.MonkeyPatch):
    loop = {"rate": 1e-2, "tokens": 200, "seed": 4, "checkpoint_seconds": 0.0}
    how = recipe_of(folder, epochs=3, batch=4, loop=loop)
    whole = trained(how, folder, folder / "whole")
    learn, steps = questions._step, []

    def stopping(*given: Any) -> Any:
        steps.append(1)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return learn(*given)

    monkeypatch.setattr(questions, "_step", stopping)
    with pytest.raises(KeyboardInterrupt):
        trained(how, folder, folder / "stopped")
    again = trained(how, folder, folder / "stopped")
    assert again.name == whole.name and len(steps) == 6 + 1
    assert trained(how, folder, folder / "stopped").name == whole.name and len(steps) == 6 + 1


def test_a_batch_is_learned_alike_whatever_its_pieces(folder: Path):
    names = []
    for tokens in (30, 4000):
        how = recipe_of(folder, epochs=1, loop={"rate": 1e-3, "tokens": tokens})
        trained(how, folder, folder / f"pieces-{tokens}")
        names.append(evaluations(folder / f"pieces-{tokens}")[-1]["probability"])
    assert names[0] == pytest.approx(names[1], abs=2e-3)


def test_the_model_that_asks_says_how_it_is_asked(folder: Path):
    made = trained(recipe_of(folder, epochs=1), folder, folder / "asking")
    assert made.about["task"] == "pair questions" and tuple(made.about["marks"]) == MARKS
    assert made.about["tokens"] == 64 and made.name.startswith("pair-questions-")
    assert open_shipped(made.folder).name == Seq2SeqGenerator(str(made.folder), threads=1).name == made.name
    with pytest.raises(ModelError, match="another task"):
        Seq2Seq(str(made.folder), 1).require("translation", "recipes/pair-questions.toml")
    on = recipe_of(folder, epochs=1, start=str(made.folder))
    assert trained(on, folder, folder / "further").about["marks"] == list(MARKS)


def test_lessons(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    learned, held = draw(read(recipe_of(folder, tokens=500)), folder, len)
    assert len(learned) == len(held) == 8
    assert learned[0].read == (
        "answer: 1531 | title: kopu | context: the kopu of estonia was finished in <answer> 1531 </answer>."
    )
    assert learned[0].write == "in which year was kopu finished?"


def test_a_twentieth_of_the_questions_tells_when_to_stop(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    asked = [
        {"id": str(n), "question": f"where is {n % 300}?", "answers": [{"text": "here", "answer_start": 0}]}
        for n in range(600)
    ]
    article = {"title": "x", "paragraphs": [{"context": "here it is.", "qas": asked}]}
    (folder / "many.json").write_text(json.dumps({"data": [article]}), encoding="utf8")
    how = recipe_of(folder, training=["many.json"], development=[])
    ours, theirs = ({one.write for one in ones} for ones in draw(read(how), folder, len))
    assert not ours & theirs and len(ours | theirs) == 300 and 2 < len(theirs) < 40
    with pytest.raises(UsageError, match="too few"):
        draw(read({**how, "training": ["squad.json"]}), folder, len)


def test_every_example_is_in_one_batch_of_each_epoch():
    batches = batches_of(10, 4, 3, seed=1)
    assert [len(batch) for batch in batches] == [4, 4, 2] * 3
    for epoch in range(3):
        assert sorted(chain(*batches[3 * epoch : 3 * epoch + 3])) == list(range(10))
    assert batches[:3] != batches[3:6] and batches == batches_of(10, 4, 3, seed=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": None},
        {"training": []},
        {"training": "squad.json"},
        {"batch": 1},
        {"epochs": -1},
        {"epochs": 0},
        {"more": 1},
        {"loop": {"speed": 1}},
    ],
)
def test_recipes_that_cannot_be_used(wrong: dict[str, object]):
    with pytest.raises(UsageError):
        read({"kind": "pair-questions", "start": "x", "training": ["a.json"], **wrong})


def test_files_and_models_that_cannot_be_used(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    (folder / "bad.json").write_text('{"data": [{"title": "x"}]}', encoding="utf8")
    with pytest.raises(UsageError, match="there is no"):
        trained(recipe_of(folder, training=["poems.json"]), folder, folder / "run")
    with pytest.raises(FormatError, match="form of SQuAD"):
        trained(recipe_of(folder, training=["bad.json"]), folder, folder / "run")
    with pytest.raises(ModelError):
        trained(recipe_of(folder, start="nowhere"), folder, folder / "run")
