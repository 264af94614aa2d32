import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.sets.atoms import closed, cycles

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
