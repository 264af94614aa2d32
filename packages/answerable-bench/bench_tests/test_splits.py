from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.pairs import Proposal
from answerable_bench.plan import SLICES, Plan
from answerable_bench.write import DEV, TEST, TRAIN, split


def question(number: int, slice: str, first: str, second: str, name: str) -> Proposal:
    return Proposal(f"{slice}{number}", slice, "bridge", (first, second), (name, name), "?", "a", ((0,), (0,)))


QUESTIONS = st.lists(
    st.tuples(st.sampled_from(SLICES), st.integers(0, 30), st.integers(0, 30), st.integers(0, 40), st.booleans()),
    max_size=60,
).map(
    lambda rows: [
        (question(n, slice, f"p{a}", f"q{b}", f"Name {c}"), done) for n, (slice, a, b, c, done) in enumerate(rows)
    ]
)


@given(QUESTIONS, st.integers(0, 5))
def test_splits_share_nothing_and_lose_nothing(questions: list[tuple[Proposal, bool]], seed: int):
    splits = split(questions, Plan(seed=seed))
    assert Counter(one.id for ones in splits.values() for one in ones) == Counter(one.id for one, _ in questions)
    held = [
        {*(id for one in ones for id in one.passages), *(name for one in ones for name in one.names)}
        for ones in splits.values()
    ]
    assert not (held[0] & held[1] or held[0] & held[2] or held[1] & held[2])


def test_dev_and_test_are_balanced_by_slice():
    questions = [
        (question(n, slice, f"p{n}", f"q{n}", f"Name {n}"), False)
        for n, slice in enumerate(
            slice for slice, count in zip(SLICES, (40, 20, 30, 90), strict=True) for _ in range(count)
        )
    ]
    splits = split(questions, Plan(held=0.2))
    for name in (DEV, TEST):
        assert Counter(one.slice for one in splits[name]) == dict.fromkeys(SLICES, 4)
    assert len(splits[TRAIN]) == 180 - 32
    assert split(questions, Plan(held=0.2)) == splits != split(questions, Plan(held=0.2, seed=2))


def test_reviewed_questions_are_measured_on_first():
    questions = [
        (question(n, slice, f"p{n}{slice}", f"q{n}{slice}", f"Name {n} {slice}"), n < 2)
        for n in range(10)
        for slice in SLICES
    ]
    splits = split(questions, Plan(held=0.1))
    assert {one.id for one in (*splits[DEV], *splits[TEST])} == {f"{s}{n}" for s in SLICES for n in (0, 1)}
