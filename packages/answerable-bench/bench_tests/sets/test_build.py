"""A benchmark of the boats, from documents to files that are read back."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.datasets.load import load
from answerable.errors import UsageError
from answerable.evaluation.sets.meaning import TEMPLATES, template
from answerable.sets.expression import atoms, members, read_expression
from answerable_bench.sets.build import plan_of
from answerable_bench.sets.settings import SPLITS, SetPlan, with_conditions
from answerable_bench.sets.write import precision_seen
from answerable_bench.stages import read_jsonl
from bench_tests.sets.world import PLAN, SMALL, make


def test_what_is_written_is_read_as_quest_and_answers_what_it_says(boats: Path):
    sets = {row["atom"]: frozenset(row["docs"]) for row in read_jsonl(boats / "atoms.jsonl")}
    counted = 0
    for split in SPLITS:
        for one in load(boats / f"{split}.jsonl"):
            tree = read_expression(one.meta["expression"])
            assert set(one.answers) == members(tree, sets) and one.answers == one.supporting
            assert one.kind == template(tree) and one.meta["domain"] == "boats" and one.meta["set"]
            assert all(f"<mark>{name}</mark>" in one.meta["original_query"] for name in atoms(tree))
            counted += 1
    assert counted >= 60


def test_no_category_is_in_two_splits(boats: Path):
    rows = list(read_jsonl(boats / "atoms.jsonl"))
    split_of = {row["atom"]: row["split"] for row in rows}
    for split in SPLITS:
        for row in read_jsonl(boats / f"{split}.jsonl"):
            assert {split_of[name] for name in atoms(read_expression(row["expression"]))} == {split}
    base = {one: row["split"] for row in rows for one in row["bases"] if len(row["bases"]) == 1}
    assert all({base.get(one) for one in row["bases"]} == {row["split"]} for row in rows)


def test_further_examples_are_of_training_and_in_no_query(boats: Path):
    split_of = {row["atom"]: row["split"] for row in read_jsonl(boats / "atoms.jsonl")}
    asked = {
        name for split in SPLITS for row in read_jsonl(boats / f"{split}.jsonl")
        for name in atoms(read_expression(row["expression"]))
    }  # fmt: skip
    further = [atoms(read_expression(row["expression"])) for row in read_jsonl(boats / "atomic.jsonl")]
    assert further and all(len(names) == 1 and names[0] not in asked for names in further)
    assert {split_of[names[0]] for names in further} == {"train"}


def test_statistics_say_what_is_there_and_what_is_short(boats: Path):
    told = json.loads((boats / "statistics.json").read_text("utf-8"))
    written = {split: list(read_jsonl(boats / f"{split}.jsonl")) for split in SPLITS}
    every = [row for rows in written.values() for row in rows]
    assert told["queries"] == len(every) and told["documents"] == 240
    assert told["answers a query"] == round(sum(len(row["docs"]) for row in every) / len(every), 1)
    for name in TEMPLATES:
        for split in SPLITS:
            count = sum(row["metadata"]["template"] == name for row in written[split])
            assert told["templates"][name][split] == count
            assert PLAN.asked(split) - count == told["short"].get(name, {}).get(split, 0)
    text = (boats / "statistics.md").read_text("utf-8")
    assert all(TEMPLATES[name] + ": the conditions leave" in text for name in told["short"])
    assert told["plan"]["large"] == PLAN.large and told["short"]


@given(st.floats(0.3, 0.95), st.floats(0.05, 0.8), st.integers(0, 2**31))
def test_differences_of_sets_drawn_at_random_are_as_right_as_is_told(known: float, overlap: float, seed: int):
    rng, size = np.random.default_rng(seed), 40_000
    in_b = rng.random(size) < overlap  # everything here is in A
    found_a, found_b = rng.random(size) < known, in_b & (rng.random(size) < 0.95)
    found, shown = found_a & ~found_b, (found_a & found_b).sum() / found_a.sum()
    assert (found & ~in_b).sum() / found.sum() == pytest.approx(precision_seen(shown), abs=0.05)
    assert precision_seen(0.76) == pytest.approx(0.2 / 0.24) and precision_seen(0.96) == precision_seen(1.0) == 0.0


def test_a_build_that_is_done_is_kept_and_what_changed_is_made_anew(tmp_path: Path):
    first = make(tmp_path, SMALL)
    made = {split: (tmp_path / "out" / f"{split}.jsonl").read_bytes() for split in SPLITS}
    assert not any(one.resumed for one in first.values()) and all(one.resumed for one in make(tmp_path, SMALL).values())
    again = make(tmp_path, replace(SMALL, plain=True))
    assert {name for name, one in again.items() if not one.resumed} == {"phrasings", "splits"}
    assert plan_of(tmp_path / "out").plain
    make(tmp_path, SMALL)
    assert {split: (tmp_path / "out" / f"{split}.jsonl").read_bytes() for split in SPLITS} == made


def test_splits_may_share_categories_as_the_papers_do(tmp_path: Path):
    done = make(tmp_path, replace(PLAN, apart=False))
    composed, splits = done["composed"].counts, done["splits"].counts
    assert composed["with shared categories"] == sum(splits[split] for split in SPLITS) > 60
    for name in TEMPLATES:
        rows = [row for split in SPLITS for row in read_jsonl(tmp_path / "out" / f"{split}.jsonl")]
        assert sum(row["metadata"]["template"] == name for row in rows) <= PLAN.queries
    assert {row["split"] for row in read_jsonl(tmp_path / "out" / "atoms.jsonl")} == {"all"}


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="is no benchmark of set queries"):
        make(tmp_path)
    with pytest.raises(UsageError, match="is no benchmark of set queries"):
        plan_of(tmp_path)


def test_conditions_are_set_by_name():
    plan = with_conditions(SetPlan(), ["large=20", "shared=0.5", "apart=false"])
    assert (plan.large, plan.shared, plan.apart) == (20, 0.5, False)
    for wrong in ("small=1", "large", "large=1.5", "apart=no", "shared=2", "most=1", "train_atoms=0.9"):
        with pytest.raises(UsageError):
            with_conditions(SetPlan(), [wrong])


def test_the_numbers_of_the_paper_are_the_settings():
    plan = SetPlan()
    assert [plan.asked(split) for split in SPLITS] == [80, 20, 100]
    assert (plan.least, plan.most, plan.large, plan.first_most, plan.second_most, plan.part_least) == (
        2, 20, 50, 200, 10_000, 3,
    )  # fmt: skip
    assert plan.shared == pytest.approx(1 / 3) and plan.extra == 5000
