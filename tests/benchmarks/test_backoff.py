"""The threshold of a back-off, on cases small enough to work out by hand."""

from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.qapairs.outcomes import backed_off
from backoff import NEVER, as_accurate, tuned
from tests.evaluation.qapairs.test_outcomes import FAST, SLOW, outcomes


def test_the_threshold_is_the_most_accurate_and_then_the_fastest():
    assert tuned(FAST, SLOW) == 0.8  # 3 of 4 right, as with 0.9 and with all of the second: the lowest of these
    assert tuned(outcomes("0000", [0.9, 0.8, 0.5, 0.2], 1), SLOW) == NEVER
    assert as_accurate(FAST, SLOW) == 0.8  # 3 right, as the second alone


def test_equal_confidences_stand_or_fall_together():
    assert tuned(outcomes("1000", [0.5, 0.5, 0.5, 0.1], 1), outcomes("0111", [0] * 4, 1)) == NEVER


marks = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.sampled_from([0.1, 0.4, 0.4, 0.7])), min_size=1, max_size=12
)


@given(marks)
def test_no_threshold_is_more_accurate_than_the_one_tuned(rows):
    first = outcomes("".join("01"[a] for a, _, _ in rows), [c for _, _, c in rows], 1)
    second = outcomes("".join("01"[b] for _, b, _ in rows), [0.5] * len(rows), 1)
    best = backed_off(first, second, tuned(first, second)).em
    assert best >= max(backed_off(first, second, t).em for t in (0.0, 0.1, 0.4, 0.7, NEVER)) - 1e-9
    assert backed_off(first, second, as_accurate(first, second)).em >= sum(second.right) / len(rows) - 1e-9
