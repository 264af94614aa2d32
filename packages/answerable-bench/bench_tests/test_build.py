import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.datasets.load import load
from answerable.errors import UsageError
from answerable.evaluation.enclave_splits import labels
from answerable_bench.build import build, plan_of
from answerable_bench.gather import read_passages
from answerable_bench.pairs import BRIDGE, COMPARISON, Proposal, from_record, read_pairs, write_pairs
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan, Sources
from answerable_bench.propose import open_world, read_proposals
from answerable_bench.rules import Case, objection
from answerable_bench.write import DEV, TEST, TRAIN, markdown, split
from bench_tests.conftest import PLAN, make, quiet
from bench_tests.world import MAILS, WRITTEN, write_mails, write_pages


def test_every_slice_has_a_question_and_every_question_keeps_the_rules(built: Path):
    proposals, world = read_proposals(built), open_world(built)
    assert {one.slice for one in proposals if one.kind == "bridge"} == set(SLICES)
    for one in proposals:
        assert objection(Case(one, (world.passages[one.passages[0]], world.passages[one.passages[1]])), world) is None
        assert from_record(json.loads(json.dumps(asdict(one) | {"clue": "of an older build"}))) == one


def test_every_question_that_was_written_stands(built: Path):
    written = {(question, answer) for question, answer, *_ in WRITTEN.values()}
    assert {(one.question, one.answer) for one in read_proposals(built)} == written


def test_what_is_written_is_read_by_the_loaders(built: Path):
    examples = list(load(built / "questions.jsonl"))
    assert 0 < len(examples) <= len(read_proposals(built)) and all(len(one.supporting) == 2 for one in examples)
    assert labels(built).items() <= {one.id: one.slice for one in read_proposals(built)}.items()
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


def test_mailboxes_give_the_same_ids_in_whatever_order_they_are_listed(tmp_path: Path):
    one, other = write_mails(tmp_path / "a.mbox", MAILS[:2]), write_mails(tmp_path / "b.mbox", MAILS[2:])
    pages, found = write_pages(tmp_path / "pages.jsonl"), []
    for name, boxes in (("x", (one, other)), ("y", (other, one))):
        build(Sources((pages,), boxes), tmp_path / name, replace(PLAN, pairs=1), print, quiet)
        found.append((tmp_path / name / "private.jsonl").read_bytes())
    assert found[0] == found[1] != b""


def test_a_folder_that_is_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x", "utf-8")
    sources = Sources((tmp_path / "mine",), (tmp_path / "mine",))
    for folder, message in ((tmp_path / "mine", "is in"), (tmp_path, "is in")):
        with pytest.raises(UsageError, match=message):
            build(sources, folder, PLAN, print, quiet)
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="no benchmark"):
        build(Sources((tmp_path / "other",), (tmp_path / "other",)), tmp_path / "mine", PLAN, print, quiet)
    with pytest.raises(UsageError, match="no benchmark"):
        plan_of(tmp_path / "mine")


def test_a_plan_comes_back_and_bad_ones_are_refused(built: Path):
    assert plan_of(built) == PLAN
    for bad in ({"comparison": 1.5}, {"held": 0.6}, {"pairs": 0}, {"least": 0}):
        with pytest.raises(UsageError):
            Plan(**bad)


def question(number: int, slice: str, first: str, second: str, name: str) -> Proposal:
    return Proposal(f"{slice}{number}", slice, "bridge", (first, second), (name, name), "?", "a", ((0,), (0,)))


QUESTIONS = st.lists(
    st.tuples(st.sampled_from(SLICES), st.integers(0, 30), st.integers(0, 30), st.integers(0, 40)), max_size=30
).map(
    lambda rows: [
        question(n, slice, f"{slice[0]}{a}", f"{slice[1]}{b}", f"Name {c}") for n, (slice, a, b, c) in enumerate(rows)
    ]
)


@given(QUESTIONS, st.integers(0, 5))
def test_splits_share_no_passage_and_no_entity(questions: list[Proposal], seed: int):
    homes = {id: f"box {id[-1]}" for one in questions for id in one.passages if id[0] == PRIVATE}
    splits = split(questions, homes, Plan(seed=seed))
    assert all(count == 1 for count in Counter(one.id for ones in splits.values() for one in ones).values())
    held = [
        {*(id for one in ones for id in one.passages), *(name for one in ones for name in one.names)}
        for ones in splits.values()
    ]
    assert not (held[0] & held[1] or held[0] & held[2] or held[1] & held[2])


def test_the_smallest_mailboxes_are_measured_on_and_pages_are_divided_by_entity():
    sizes = {"large": 60, "middle": 25, "small": 20}
    questions = [
        question(n, "PG", f"P{box}{n}", f"G{box}{n}", f"Name {box} {n}")
        for box, size in sizes.items()
        for n in range(size)
    ]
    homes = {one.passages[0]: one.passages[0][1:].rstrip("0123456789") for one in questions}
    splits = split(questions, homes, Plan(held=0.15))
    assert {name: {homes[one.passages[0]] for one in ones} for name, ones in splits.items()} == {
        TRAIN: {"large"}, DEV: {"middle"}, TEST: {"small"}
    }  # fmt: skip
    pages = [question(n, "GG", f"G{n}", f"G{n + 1000}", f"Page {n}") for n in range(400)]
    drawn = split(pages, {}, Plan(held=0.2))
    assert all(50 < len(drawn[name]) < 110 for name in (DEV, TEST))
    assert sum(map(len, drawn.values())) == 400 and split(pages, {}, Plan(held=0.2, seed=2)) != drawn


def test_a_question_that_shares_an_entity_with_test_is_left_out_of_training():
    questions = [question(n, "PG", f"P{n}", f"G{n}", "Oslo" if n in (0, 9) else f"Name {n}") for n in range(10)]
    homes = {f"P{n}": "small" if n < 3 else "large" for n in range(10)}
    splits = split(questions, homes, Plan(held=0.2))
    assert [one.id for one in splits[TEST]] == ["PG0", "PG1", "PG2"]
    assert "PG9" not in {one.id for one in splits[TRAIN]} and len(splits[TRAIN]) == 6


def test_passages_are_of_the_slices_domains(built: Path):
    private, public = read_passages(built, PRIVATE), read_passages(built, PUBLIC)
    pairs = list(read_pairs(built))
    assert {pair.slice for pair in pairs} == set(SLICES)
    for pair in pairs:
        for letter, id in zip(pair.slice, pair.passages, strict=True):
            assert id in (private if letter == PRIVATE else public)


def test_a_bridge_stands_in_both_passages_or_titles_one(built: Path):
    every = {**read_passages(built, PRIVATE), **read_passages(built, PUBLIC)}
    bridges = [pair for pair in read_pairs(built) if pair.kind == BRIDGE]
    assert {pair.slice for pair in bridges} == set(SLICES)
    for pair in bridges:
        assert pair.names[0] == pair.names[1]
        for one in (every[id] for id in pair.passages):
            assert pair.names[0] in one.text or pair.names[0] == one.title


def test_comparisons_are_of_two_entities(built: Path):
    compared = [pair for pair in read_pairs(built) if pair.kind == COMPARISON]
    assert compared and all(pair.names[0] != pair.names[1] for pair in compared)


def test_nothing_is_drawn_twice_and_a_seed_draws_the_same(built: Path, tmp_path: Path):
    pairs = list(read_pairs(built))
    assert len({pair.id for pair in pairs}) == len({(pair.slice, pair.passages) for pair in pairs}) == len(pairs)
    for name in ("private.jsonl", "public.jsonl", "entities.jsonl"):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    write_pairs(tmp_path, PLAN, quiet)
    assert list(read_pairs(tmp_path)) == pairs
