"""What is composed keeps the conditions of section 3.2, whatever the categories."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.evaluation.set_phrasing import HELD_OUT
from answerable.evaluation.sets.meaning import template
from answerable.sets.expression import atoms, canonical, members, printed, read_expression
from answerable_bench.sets import queries
from answerable_bench.sets.atoms import Category, Pool
from answerable_bench.sets.queries import STEPS, Composed, Composer, composed, marked, read_queries, unmarked, worded
from answerable_bench.sets.settings import SetPlan

KINDS = {"games": "noun", "in Qt": "modifier", "in C": "modifier", "that use X": "modifier"}


@pytest.mark.parametrize(
    ("expression", "original"),
    [
        ('"games" and "in Qt" minus "in C"', "_games_ that are also _in Qt_ but not _in C_"),
        ('"in Qt" or "in C" or "games"', "tools _in Qt_ or _in C_ or _games_"),
        ('"games" or "in C"', "_games_ or tools _in C_"),
        ('"in Qt" minus "that use X"', "tools _in Qt_ that are not tools _that use X_"),
        ('"in Qt"', "tools _in Qt_"),
    ],
)
def test_categories_are_marked_as_the_template_has_them(expression: str, original: str):
    tree = read_expression(expression)
    found = marked(tree, KINDS, "tools")
    assert found.replace("<mark>", "_").replace("</mark>", "_") == original
    assert unmarked(found) == original.replace("_", "")
    assert worded(tree, KINDS, "test", SetPlan(plain=True, nouns=("tools",))) == unmarked(found)


def test_nothing_is_trained_on_phrasings_for_testing(boats: Path, monkeypatch: pytest.MonkeyPatch):
    used = {}

    def phrased(expression, rng, kinds, patterns, heads):
        used[split] = patterns
        return type("Phrasing", (), {"text": "x"})

    monkeypatch.setattr(queries, "phrased", phrased)
    for split in ("train", "val", "test"):
        worded(read_expression('"games"'), KINDS, split, SetPlan())
    assert not used["train"] & HELD_OUT and not used["val"] & HELD_OUT and used["test"] >= HELD_OUT


def test_a_query_is_said_the_same_way_each_time(boats: Path):
    found = read_queries(boats)
    assert len({one.id for one in found}) == len(found)
    one = found[0]
    assert worded(one.expression, {}, one.split, SetPlan()) == worded(one.expression, {}, one.split, SetPlan())
    assert len({worded(one.expression, {}, one.split, SetPlan(seed=seed)) for seed in range(20)}) > 3


DOCUMENTS = 60
SMALL = SetPlan(queries=12, least=2, most=9, large=6, first_most=20, second_most=25, crowding=0.5)


def pool_of(sets: list[set[int]]) -> Pool:
    made = [
        Category(f"c{n}", "noun", "fg"[n % 2], (), (f"c{n}",), np.array(sorted(one), np.int32))
        for n, one in enumerate(sets)
    ]
    return Pool(made, DOCUMENTS)


def drawn(seed: int, count: int = 30) -> list[set[int]]:
    rng = np.random.default_rng(seed)
    return [set(rng.choice(DOCUMENTS, rng.integers(2, 30), replace=False).tolist()) for _ in range(count)]


def fits(one: Composed, sets: list[set[int]], plan: SetPlan) -> bool:
    """The conditions as the paper writes them, on sets."""
    part = [sets[at] for at in one.parts]

    def both(a: set[int], b: set[int]) -> bool:
        return len(a) > plan.large and len(b) > plan.large

    def either(a: set[int], b: set[int]) -> bool:
        return min(len(a), len(b)) >= plan.part_least and 0 < len(a & b) < len(a | b) / 3

    def without(a: set[int], b: set[int]) -> bool:
        sized = plan.large < len(a) < plan.first_most and plan.large < len(b) < plan.second_most
        return sized and 0 < len(a & b) < plan.overlap * len(a)

    match one.template:
        case "_":
            return True
        case "_ or _":
            return either(*part)
        case "_ that are also _":
            return both(*part)
        case "_ that are not _":
            return without(*part)
        case "_ or _ or _":
            return either(part[0], part[1]) and either(part[0] | part[1], part[2])
        case "_ that are also both _ and _":
            return both(part[0], part[1]) and both(part[0] & part[1], part[2])
        case "_ that are also _ but not _":
            return both(part[0], part[1]) and without(part[0] & part[1], part[2])
    return False


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_every_query_keeps_the_conditions_and_answers_what_it_means(seed: int):
    sets = drawn(seed)
    found = list(composed(pool_of(sets), SMALL, SMALL.queries, np.random.default_rng(seed)))
    named = {f"c{n}": frozenset(map(str, one)) for n, one in enumerate(sets)}
    for one in found:
        answer = members(one.expression, named)
        assert {int(number) for number in answer} == set(one.members.tolist())
        assert SMALL.least <= len(answer) <= SMALL.most
        assert template(one.expression) == one.template and fits(one, sets, SMALL)
    assert len({printed(canonical(one.expression)) for one in found}) == len(found)
    for name, ones in Counter(one.template for one in found).items():
        uses = Counter(part for one in found if one.template == name for part in one.parts)
        assert ones <= SMALL.queries and max(uses.values()) <= 6


def test_a_small_pool_is_used_to_its_end():
    sets = drawn(3)
    plan = SetPlan(least=2, most=9, large=6, crowding=1.0)
    found = Composer(pool_of(sets), plan, np.random.default_rng(1)).compose("_ that are also _", 10_000)
    pairs = {
        frozenset((a, b))
        for a in range(len(sets))
        for b in range(a)
        if min(len(sets[a]), len(sets[b])) > 6 and 2 <= len(sets[a] & sets[b]) <= 9
        if (sets[a] & sets[b]) not in (sets[a], sets[b])
    }
    assert {frozenset(one.parts) for one in found} == pairs


def test_each_category_counts():
    rows = [set(range(20)), set(range(18)), set(range(16, 36)), {*range(3), 40}]
    plan = SetPlan(least=1, most=40, large=2, crowding=1.0)
    found = {printed(one.expression) for one in composed(pool_of(rows), plan, 100, np.random.default_rng(1))}
    assert '"c0" and "c1"' not in found and '"c1" and "c0"' not in found  # c1 lies within c0
    assert '"c0" minus "c3"' in found
    plan = SetPlan(least=1, most=40, large=2, crowding=1.0, change=0.3)
    found = {printed(one.expression) for one in composed(pool_of(rows), plan, 100, np.random.default_rng(1))}
    assert '"c0" minus "c3"' not in found  # which takes away 3 of 20


def test_the_same_seed_draws_the_same_and_no_category_crowds_out_others():
    pool = pool_of(drawn(5, 40))
    first, again, other = (
        [one.parts for one in composed(pool, SMALL, 12, np.random.default_rng(seed))] for seed in (1, 1, 2)
    )
    assert first == again != other
    used = Counter(part for parts in first for part in parts)
    assert len(used) >= 25 and max(used.values()) <= len(first) / 4


def test_overlaps_with_all_at_once_are_those_with_each():
    sets = drawn(9)
    some = np.array(sorted(sets[0]), np.int32)
    assert pool_of(sets).overlaps(some).tolist() == [len(sets[0] & one) for one in sets]
    assert pool_of(sets).overlaps(np.empty(0, np.int32)).tolist() == [0] * len(sets)
    assert len(Pool([], 5)) == 0 and list(composed(Pool([], 5), SMALL, 3, np.random.default_rng(1))) == []


@pytest.mark.parametrize("name", STEPS)
def test_trees_are_of_their_template(name: str):
    found = [
        one for one in composed(pool_of(drawn(11, 60)), SMALL, 5, np.random.default_rng(4)) if one.template == name
    ]
    assert found and all(len(atoms(one.expression)) == len(one.parts) for one in found)
