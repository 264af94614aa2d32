from pathlib import Path

from answerable_bench.gather import read_passages
from answerable_bench.pairs import BRIDGE, COMPARISON, read_pairs, write_pairs
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES
from bench_tests.conftest import PLAN, quiet


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
        for id, (start, end) in zip(pair.passages, pair.spans, strict=True):
            named = every[id].text[start:end] if end else every[id].title
            assert named == pair.names[0]


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
