"""What judging is learned from, as it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.datasets.parts import question_part
from answerable.errors import FormatError
from answerable.training.sets.constraint_sets import benchmark, quest
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
    with pytest.raises(FormatError, match=r"atoms\.jsonl, line 5"):
        benchmark(folder, "train")
