"""A closed book and a generator of questions learned from a tiny BART and a tiny T5."""

import json
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")


from answerable.encoders.shipped import open_shipped
from answerable.errors import FormatError, ModelError, UsageError
from answerable.qapairs.closed_book import ClosedBook, closed_text
from answerable.qapairs.generation.seq2seq import MARKS, Seq2SeqGenerator
from answerable.training.seq2seq import train
from answerable.training.seq2seq.draw import draw
from answerable.training.seq2seq.train import batches_of
from tests.encoders.tiny import FAMILIES
from tests.training.seq2seq.worlds import HOUSES, asked, read, recipe_of, trained, write_world


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp(request.param), request.param)


def evaluations(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line)["evaluation"] for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_closed_book_learns_pairs_by_heart_and_then_training_questions_alone(folder: Path):
    how = recipe_of(folder, "closed-book", epochs=[30, 0])
    book = ClosedBook(str(trained(how, folder, folder / "book").folder), 1)
    every = [one for house in HOUSES for one in asked(house)]
    said = book.answer([question for question, _ in every])
    assert [text for text, _ in said] == [answer for _, answer in every]
    assert all(0.5 < probability <= 1 for _, probability in said) and book.answer([]) == []
    made = trained({**how, "epochs": [30, 5]}, folder, folder / "book")
    with pytest.raises(ModelError, match="another task"):
        Seq2SeqGenerator(str(made.folder), threads=1)
    assert evaluations(folder / "book" / "then")[-1] == {"EM": 1.0}
    years = [ClosedBook(str(made.folder), 1).answer([asked(house)[0][0].upper()])[0][0] for house in HOUSES]
    assert years == [year for year, _ in HOUSES.values()]
    assert made.about["task"] == "closed book" and open_shipped(made.folder).name == made.name


def test_training_that_was_stopped_goes_on_to_the_same_model(folder: Path, monkeypatch: pytest.MonkeyPatch):
    loop = {"rate": 1e-2, "tokens": 200, "seed": 4, "checkpoint_seconds": 0.0}
    how = recipe_of(folder, "closed-book", epochs=[2, 3], batch=4, loop=loop)
    whole = trained(how, folder, folder / "whole")
    learn, steps = train._step, []

    def stopping(*given: Any) -> Any:
        steps.append(1)
        if len(steps) in (2, 5):
            raise KeyboardInterrupt
        return learn(*given)

    monkeypatch.setattr(train, "_step", stopping)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            trained(how, folder, folder / "stopped")
    again = trained(how, folder, folder / "stopped")
    assert again.name == whole.name and len(steps) == 7 + 2
    assert trained(how, folder, folder / "stopped").name == whole.name and len(steps) == 7 + 2


def test_a_batch_is_learned_alike_whatever_its_pieces(folder: Path):
    names = []
    for tokens in (30, 4000):
        how = recipe_of(folder, "pair-questions", epochs=1, loop={"rate": 1e-3, "tokens": tokens})
        trained(how, folder, folder / f"pieces-{tokens}")
        names.append(evaluations(folder / f"pieces-{tokens}" / "then")[-1]["probability"])
    assert names[0] == pytest.approx(names[1], abs=2e-3)


def test_the_model_that_asks_says_how_it_is_asked(folder: Path):
    made = trained(recipe_of(folder, "pair-questions", epochs=1), folder, folder / "asking")
    assert made.about["task"] == "pair questions" and tuple(made.about["marks"]) == MARKS
    assert made.about["tokens"] == 64 and made.name.startswith("pair-questions-")
    with pytest.raises(ModelError, match="another task"):
        ClosedBook(str(made.folder), 1)
    on = recipe_of(folder, "pair-questions", epochs=1, start=str(made.folder))
    assert trained(on, folder, folder / "further").about["marks"] == list(MARKS)


def test_lessons(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    both = recipe_of(folder, "closed-book", training=["years.jsonl", "squad.json"], development=["countries.jsonl"])
    lessons = draw(read(both), folder, MARKS, len)
    assert [(one.read, one.write) for one in lessons.training[:4]] == [
        (closed_text(asked(house)[0][0]), asked(house)[0][1]) for house in HOUSES
    ]
    assert len(lessons.training) == 12 and len(lessons.development) == 4 and len(lessons.pairs) == 4
    questions = recipe_of(folder, "pair-questions", tokens=500)
    first = draw(read(questions), folder, MARKS, len).training[0]
    assert first.read == (
        "answer: 1531 | title: kopu | context: the kopu of estonia was finished in <answer> 1531 </answer>."
    )
    assert first.write == "in which year was kopu finished?"


def test_a_twentieth_of_the_questions_tells_when_to_stop(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    rows = [{"question": f"where is {n % 300}?", "answers": [str(n)]} for n in range(600)]
    (folder / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    how = recipe_of(folder, "closed-book", pairs=[], training=["many.jsonl"], development=[])
    lessons = draw(read(how), folder, MARKS, len)
    ours, theirs = ({one.read for one in ones} for ones in (lessons.training, lessons.development))
    assert not ours & theirs and len(ours | theirs) == 300 and 2 < len(theirs) < 40
    with pytest.raises(UsageError, match="too few"):
        draw(read({**how, "training": ["years.jsonl"]}), folder, MARKS, len)


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
        {"epochs": [1, 2, 3]},
        {"epochs": 0},
        {"more": 1},
        {"loop": {"speed": 1}},
        {"pairs": ["a.jsonl"], "kind": "pair-questions"},
    ],
)
def test_recipes_that_cannot_be_used(wrong: dict[str, object]):
    with pytest.raises(UsageError):
        read({"kind": "closed-book", "start": "x", "training": ["a.json"], **wrong})


def test_files_and_models_that_cannot_be_used(tmp_path: Path):
    folder = write_world(tmp_path, "t5")
    with pytest.raises(UsageError, match="there is no"):
        trained(recipe_of(folder, "closed-book", training=["poems.jsonl"]), folder, folder / "run")
    with pytest.raises(FormatError, match="form of SQuAD"):
        trained(recipe_of(folder, "pair-questions", training=["bad.json"]), bad(folder), folder / "run")
    with pytest.raises(ModelError):
        trained(recipe_of(folder, "closed-book", start="nowhere"), folder, folder / "run")


def bad(folder: Path) -> Path:
    (folder / "bad.json").write_text('{"data": [{"title": "x"}]}', encoding="utf8")
    return folder


@pytest.mark.parametrize("name", ["pair-questions", "closed-book"])
def test_the_recipes_that_come_with_it_can_be_used(name: str):
    path = Path(__file__).parents[3] / "recipes" / f"{name}.toml"
    recipe = read(tomllib.loads(path.read_text(encoding="utf8")))
    assert recipe.kind == name and recipe.loop.evaluate_steps and recipe.loop.patience
    assert recipe.batch == (512 if name == "closed-book" else 64) and recipe.loop.rate <= 1e-4
