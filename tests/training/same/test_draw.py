"""Lessons from questions that people asked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from answerable.training.same.draw import SOURCES, dated, grammar, passages, slots, twice, unlike
from tests.training.same.worlds import write_data


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_data(folder)
    return folder


def test_questions_of_a_passage_with_other_answers_are_not_the_same(data: Path):
    found = {(one.one, one.other): one.same for one in passages(data, random.Random(1))}
    assert found["when was Alma built", "who kept Alma"] is False
    assert found["Who kept the lamp of Alma?", "Who kept the Alma lamp?"] is True


def test_questions_searched_for_twice(data: Path):
    found = twice(data, random.Random(1))
    same = {(one.one, one.other) for one in found if one.same}
    assert ("when was the tower of Alma built", "when was the old tower of Alma built") in same
    assert any("when" in one.one and "who" in one.other for one in found if not one.same)


def test_another_year_is_another_question(data: Path):
    assert {one.same for one in dated(data, random.Random(1))} == {False}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_source_is_drawn_the_same_by_a_seed(data: Path, name: str):
    one, two = (SOURCES[name](data, random.Random(3)) for _ in range(2))
    assert one == two and one and all(lesson.one and lesson.other for lesson in one)


def test_what_is_drawn_has_both_kinds(data: Path):
    assert {one.same for one in grammar(data, random.Random(1))} == {True, False}
    assert {one.same for one in unlike(data, random.Random(1))} == {False}


def test_names_for_templates(data: Path):
    found = slots(data)
    assert "Anna Lamp" in found["person"] and "Alma" in found["place"] and "Alma" in found["work"]
    assert all(found[what] for what in ("org", "event", "building", "product", "year"))
