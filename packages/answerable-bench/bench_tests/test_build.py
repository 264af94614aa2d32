import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.datasets.load import load
from answerable.errors import UsageError
from answerable.evaluation.enclave_splits import labels
from answerable_bench.build import build, plan_of
from answerable_bench.pairs import as_record, from_record
from answerable_bench.plan import SLICES, Plan, Sources
from answerable_bench.propose import open_world, read_proposals
from answerable_bench.rules import Case, objection
from answerable_bench.write import markdown
from bench_tests.conftest import PLAN, make, quiet


def test_every_slice_has_a_question_and_every_question_keeps_the_rules(built: Path):
    proposals, world = read_proposals(built), open_world(built)
    assert {one.slice for one in proposals if one.kind == "bridge"} == set(SLICES)
    for one in proposals:
        assert objection(Case(one, (world.passages[one.passages[0]], world.passages[one.passages[1]])), world) is None
        assert from_record(json.loads(json.dumps(as_record(one)))) == one


def test_the_questions_that_were_planted_are_found(built: Path):
    found = {(one.slice, one.question): one.answer for one in read_proposals(built)}
    planted = {
        ("PG", "When was the company that signed a contract for the overhaul of the ferry Petrel with Agnete Voll in "
         "Tromsø founded?"): "1921",
        ("GP", "Who hired the telescope company based in Leeds, England to clean the sextants of the museum for Bodin "
         "Savings?"): "Tobias Renn",
        ("PP", "What is the position of the person who inspected the travelling crane at Kvaløya Dock for Bodin "
         "Savings?"): "head of rigging at Fulmar Ropes",
        ("GG", "Where was the director by whom The Quiet Tide was directed born?"): "Aarhus",
        ("GG", "Who died first, Ilse Morgan or Pavel Grund?"): "Ilse Morgan",
    }  # fmt: skip
    assert planted.items() <= found.items()


def test_what_is_written_is_read_by_the_loaders(built: Path):
    examples = list(load(built / "questions.jsonl"))
    assert len(examples) == len(read_proposals(built)) and all(len(one.supporting) == 2 for one in examples)
    assert labels(built) == {one.id: one.slice for one in read_proposals(built)}
    judged = {
        one.id: set(one.supporting)
        for name in ("train", "dev", "test")
        for one in load(built / "qrels" / f"{name}.tsv")
    }
    assert judged == {one.id: set(one.supporting) for one in examples}
    parts = [one.id for name in ("train", "dev", "test") for one in load(built / f"{name}.jsonl", "hotpotqa")]
    assert Counter(parts) == Counter(one.id for one in examples)


def test_statistics_count_what_was_written(built: Path):
    told = json.loads((built / "statistics.json").read_text("utf-8"))
    examples = list(load(built / "questions.jsonl"))
    assert told["questions"] == len(examples) == sum(row["total"] for row in told["sizes"].values())
    assert sum(row["comparison"] for row in told["sizes"].values()) == sum(one.kind == "comparison" for one in examples)
    words = sum(len(one.question.split()) for one in examples) / len(examples)
    assert told["lengths"]["words a question"] == round(words, 1)
    assert "| split | total | PP | PG | GP | GG |" in markdown(told)


def test_the_same_build_resumes_and_another_seed_draws_anew(tmp_path: Path):
    first = make(tmp_path)
    before = (tmp_path / "out" / "questions.jsonl").read_bytes()
    again = make(tmp_path)
    assert all(done.resumed for done in again.values()) and [d.counts for d in first.values()] == [
        d.counts for d in again.values()
    ]
    other = make(tmp_path, replace(PLAN, seed=2))
    kept = {name for name, done in other.items() if done.resumed}
    assert kept == {"private passages", "public passages", "entities"}
    (tmp_path / "out" / "pairs.jsonl").unlink()
    make(tmp_path)
    assert (tmp_path / "out" / "questions.jsonl").read_bytes() == before


def test_a_folder_that_is_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x", "utf-8")
    sources = Sources((tmp_path / "mine",), (tmp_path / "mine",))
    for folder, message in ((tmp_path / "mine", "is in"), (tmp_path, "is in")):
        with pytest.raises(UsageError, match=message):
            build(sources, folder, PLAN, None, print, quiet)
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="no benchmark"):
        build(Sources((tmp_path / "other",), (tmp_path / "other",)), tmp_path / "mine", PLAN, None, print, quiet)
    with pytest.raises(UsageError, match="no benchmark"):
        plan_of(tmp_path / "mine")


def test_a_plan_comes_back_and_bad_ones_are_refused(built: Path):
    assert plan_of(built) == PLAN
    for bad in ({"comparison": 1.5}, {"held": 0.6}, {"pairs": 0}, {"least": 0}):
        with pytest.raises(UsageError):
            Plan(**bad)
