from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.sets.atoms import NONE, Category, assigned, closed, cycles
from answerable_bench.sets.settings import SPLITS, SetPlan


def category(name: str, members: list[int], *bases: str, field: str = "f") -> Category:
    return Category(name, "noun", field, (), bases or (name,), np.array(members, np.int32))


def test_shares_are_kept_among_the_large_and_among_the_small():
    large = [category(f"l{n}", list(range(n, n + 500))) for n in range(40)]
    small = [category(f"s{n}", [n, n + 1]) for n in range(60)]
    found = assigned([*large, *small], SetPlan(train_atoms=0.5, validation_atoms=0.15))
    for ones in (found[:40], found[40:]):
        counts = Counter(one.split for one in ones)
        assert [counts[split] / len(ones) for split in SPLITS] == [0.5, 0.15, 0.35]
    assert [one.split for one in assigned([*large, *small], SetPlan(seed=2))] != [one.split for one in found]
    assert [one.split for one in assigned([*large, *small], SetPlan())] == [one.split for one in found]


def test_a_combination_is_of_the_split_of_its_parts_or_of_none():
    singles = [category(f"{field}{n}", [n], field=field) for field in "ab" for n in range(20)]
    both = [category(f"a{m} b{n}", [m, n], f"a{m}", f"b{n}", field="a+b") for m in range(20) for n in range(20)]
    found = {one.name: one for one in assigned([*singles, *both], SetPlan())}
    for one in found.values():
        splits = {found[base].split for base in one.bases}
        assert one.split == (splits.pop() if len(splits) == 1 else NONE)
    assert {one.split for one in found.values()} == {*SPLITS, NONE}


def test_what_has_the_same_documents_stays_together():
    twins = [category(f"{name}{n}", [n, n + 40]) for name in "ab" for n in range(40)]
    found = {one.name: one.split for one in assigned(twins, SetPlan())}
    assert all(found[f"a{n}"] == found[f"b{n}"] for n in range(40)) and set(found.values()) == set(SPLITS)


NAMES = "abcdefg"
edges = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=15)


def reached(start: str, below: dict[str, set[str]]) -> set[str]:
    seen, left = {start}, [start]
    while left:
        for child in below[left.pop()] - seen:
            seen.add(child)
            left.append(child)
    return seen


@given(edges, st.dictionaries(st.sampled_from(NAMES), st.sets(st.integers(0, 9), min_size=1)))
def test_a_category_holds_what_any_below_it_holds(above: list[tuple[str, str]], own: dict[str, set[int]]):
    parents: dict[str, list[str]] = {}
    below: dict[str, set[str]] = {name: set() for name in NAMES}
    for child, parent in above:
        parents.setdefault(child, []).append(parent)
        below[parent].add(child)
    found = closed({name: np.array(sorted(ones), np.int32) for name, ones in own.items()}, parents)
    wanted = {name: set().union(*(own.get(one, set()) for one in reached(name, below))) for name in NAMES}
    assert {name: set(members.tolist()) for name, members in found.items()} == {n: w for n, w in wanted.items() if w}
    assert all((np.diff(members) > 0).all() for members in found.values())


def test_loops_and_cycles_are_one_and_long_paths_are_no_deeper_than_memory():
    assert [set(one) for one in cycles({"a": ["b"], "b": ["a", "c"], "c": ["c"]})] == [{"c"}, {"a", "b"}]
    chain = {str(number): [str(number + 1)] for number in range(20_000)} | {"20000": []}
    assert len(cycles(chain)) == 20_001
