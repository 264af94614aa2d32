"""What judging is learned from, as it is read; and lessons: positives, negatives that look alike or are at random."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from answerable.datasets.parts import question_part
from answerable.errors import FormatError, UsageError
from answerable.training.sets.draw import (
    Constraint,
    ConstraintSet,
    FitDraw,
    Lesson,
    benchmark,
    lessons,
    looking_alike,
    quest,
    read_lessons,
)
from tests.training.sets.worlds import write_benchmark, write_quest


def test_a_benchmark_keeps_the_atoms_of_its_parts_apart(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "towers")
    train, development = (benchmark(folder, part, ["walls"]) for part in ("train", "development"))
    said = {one.text: one for one in train.constraints}
    assert set(said) == {"tower", "made of stone", "boat", "tower made of stone"}
    assert said["made of stone"].others == ("walls made of stone",) and not said["tower"].others
    titles = [train.documents[number][0] for number in said["made of stone"].fits]
    assert titles == ["Hynish", "Tiree", "Harbour"]
    assert {one.text for one in development.constraints} == {"bird", "bird with a long bill"}


def test_parts_of_a_difference_say_what_fits_and_what_does_not(tmp_path: Path) -> None:
    data = write_quest(tmp_path / "data")
    queries, phrases = quest(data, "train")
    count = sum(question_part(f"q-{number}") == "train" for number in range(40))
    assert len(queries.constraints) == 3 * count
    by_text = {one.text: one for one in queries.constraints}
    tower, stone = by_text["tower"], by_text["made of stone"]
    assert tower.fits == (0,) and not tower.breaks and not tower.whole
    assert not stone.fits and stone.breaks == (0,)
    assert by_text["tower not of stone"].whole
    assert {one.text for one in phrases.constraints} == {"the tower"}
    assert phrases.documents[0] == ("Skerryvore", "The tower was built by Alan Stevenson.")


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "towers")
    with (folder / "atoms.jsonl").open("a") as file:
        file.write("{\n")
    with pytest.raises(FormatError, match=r"atoms\.jsonl: record 5"):
        benchmark(folder, "train")


def test_labels_are_those_of_the_ground(tmp_path: Path) -> None:
    held = benchmark(write_benchmark(tmp_path / "towers"), "train")
    alike = looking_alike(held, tmp_path / "work", 5)
    assert alike == looking_alike(held, tmp_path / "work", 5)
    assert set(alike["made of stone"]) >= {1, 2, 5}
    fits = {one.text: {held.documents[n] for n in one.fits} for one in held.constraints}
    for seed in range(20):
        made = list(lessons(held, held.constraints, alike, FitDraw(other=2), random.Random(seed)))
        assert {label for one in made for _, label in one.asked} == {0.0, 1.0}
        for one in made:
            assert all(label == float(one.text in fits[text]) for text, label in one.asked)


def test_documents_that_look_alike_are_drawn(tmp_path: Path) -> None:
    documents = tuple((f"d{n}", "text") for n in range(50))
    held = ConstraintSet("one", documents, (Constraint("c", (0, 1)),))
    settings = FitDraw(other=0.0, further=0, own=0)
    rng = random.Random(1)
    seen = {one.text[0] for _ in range(30) for one in lessons(held, held.constraints, {"c": (0, 7, 8)}, settings, rng)}
    assert {"d0", "d1", "d7", "d8"} <= seen


def test_known_counter_examples_are_used_and_nothing_else_is_supposed() -> None:
    documents = tuple((f"d{n}", "text") for n in range(9))
    held = ConstraintSet("one", documents, (Constraint("c", (), breaks=(3, 4), whole=False),))
    found = list(lessons(held, held.constraints, {}, FitDraw(other=0.0), random.Random(1)))
    assert {one.text[0] for one in found} >= {"d3", "d4"}
    assert all(label == 0.0 for one in found for _, label in one.asked)


def test_written_lessons_are_read_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "lessons.jsonl"
    path.write_text('{"title": "Hook", "text": "A lighthouse.", "asked": [["lighthouses", 1], ["towns", 0]]}\n')
    assert read_lessons(path, "pages") == [
        Lesson("pages", ("Hook", "A lighthouse."), (("lighthouses", 1.0), ("towns", 0.0)))
    ]
    with pytest.raises(UsageError):
        read_lessons(tmp_path / "none.jsonl", "pages")
