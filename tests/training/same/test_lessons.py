"""Groups of questions, and the pairs that are made of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from answerable.errors import FormatError
from answerable.training.same.lessons import Group, beside, filled, grouped, read_cases, read_groups, within

GROUP = Group(
    "Who lit it?",
    ("By whom was it lit?", "it was lit by whom"),
    (("type", "When was it lit?"), ("negation", "Who did not light it?")),
)
WRITTEN = Path(__file__).parents[3] / "benchmarks" / "same"


def test_the_question_stands_beside_all_others_of_its_group():
    told = [(one.one, one.other, one.same, one.kind) for one in beside(GROUP)]
    assert told[0] == ("By whom was it lit?", "Who lit it?", True, "same")
    assert told[-1] == ("Who did not light it?", "Who lit it?", False, "negation") and len(told) == 4


def test_within_a_group_ways_are_the_same_and_misses_of_two_kinds_are_not():
    found = within(GROUP, 8, random.Random(1))
    pairs = {(one.one, one.other): one.same for one in found}
    assert pairs["By whom was it lit?", "it was lit by whom"] is True
    assert pairs["When was it lit?", "it was lit by whom"] is False
    assert pairs["When was it lit?", "Who did not light it?"] is False
    assert len(found) == len(pairs) == 4 + 1 + 4 + 1
    assert len(within(GROUP, 1, random.Random(1))) == 4 + 1 + 1 + 1


def test_a_template_has_one_name_for_a_slot():
    told = Group("Who founded {org}?", ("{org} was founded by whom",), (("name", "Who founded {org2}?"),))
    made = filled(told, {"org": ("Alba Bank", "Orsa Foods")}, random.Random(1))
    name = made.question.removeprefix("Who founded ").removesuffix("?")
    other = made.other[0][1].removeprefix("Who founded ").removesuffix("?")
    assert made.same == (f"{name} was founded by whom",) and {name, other} == {"Alba Bank", "Orsa Foods"}


def test_cases_are_groups_by_the_question_of_the_pair(tmp_path: Path):
    rows = [("By whom?", "Who?", True, "passive"), ("When?", "Who?", False, "type")]
    lines = [json.dumps(dict(zip(("asked", "question", "same", "kind"), row, strict=True))) for row in rows]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    assert [*grouped(read_cases(tmp_path / "cases.jsonl"))] == [Group("Who?", ("By whom?",), (("type", "When?"),))]


@pytest.mark.parametrize("row", [{}, {"q": "Who?", "same": []}, {"q": "Who?", "same": [], "other": [["a"]]}])
def test_what_is_no_group_is_refused(tmp_path: Path, row: object):
    (tmp_path / "groups.jsonl").write_text(json.dumps(row))
    with pytest.raises(FormatError, match="field"):
        read_groups(tmp_path / "groups.jsonl")


@pytest.mark.parametrize("name", ["groups", "harder-groups"])
def test_what_was_written_is_whole_and_a_part_of_it_is_for_development(name: str):
    groups = read_groups(WRITTEN / f"{name}.jsonl.gz")
    assert len(groups) == len({one.question for one in groups}) > 700
    assert 0.1 < sum(one.development for one in groups) / len(groups) < 0.2
    assert all(len(one.same) > 2 and len(one.other) > 2 for one in groups)
    assert all("{" in one.question for one in read_groups(WRITTEN / "templates.jsonl"))
