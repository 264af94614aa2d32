"""What a training set has of test questions: by hand, and as laws."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from answerable.datasets.examples import Example
from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from overlap import Overlap, overlaps

QUESTION, ANSWER, NONE = Overlap
TRAINED = [
    Example("a", "who wrote hamlet", ("William Shakespeare", "Shakespeare")),
    Example("b", "when was the lighthouse finished", ("1531",)),
    Example("c", "what is the year of the fire", ("1666",)),
]


def encode(questions: Sequence[str]) -> Vectors:
    return HashedEncoder().encode_passages([("", question) for question in questions])


def test_splits_by_hand():
    tested = [
        Example("1", "who wrote hamlet?", ("the Shakespeare",)),  # the same but for marks
        Example("2", "when was this lighthouse finished", ("1531",)),  # nearly the same words
        Example("3", "how many ships sailed to the north", ("1,531", "1531")),  # the number only
        Example("4", "when was the lighthouse finished", ("1532",)),  # asks the same, and has another answer
        Example("5", "who wrote hamlet", ()),
    ]
    assert overlaps(tested, TRAINED, encode, cut=0.6) == [QUESTION, QUESTION, ANSWER, NONE, NONE]
    assert overlaps(tested, TRAINED, encode, cut=1.1) == [QUESTION, ANSWER, ANSWER, NONE, NONE]
    assert overlaps(tested, [], encode) == [NONE] * 5 and overlaps([], TRAINED, encode) == []


words = st.sampled_from("who wrote when was the fire lighthouse finished".split())
examples = st.lists(
    st.builds(
        lambda question, answers: Example("x", " ".join(question), tuple(answers)),
        st.lists(words, min_size=1, max_size=5),
        st.lists(st.sampled_from(["1531", "the 1531", "1666", "the", "Rome"]), max_size=2),
    ),
    max_size=6,
)


@given(examples, examples, st.floats(-1, 1), st.floats(-1, 1))
def test_laws(tested: list[Example], trained: list[Example], cut: float, other: float):
    found = overlaps(tested, trained, encode, cut)
    rank = [QUESTION, ANSWER, NONE].index
    assert found == [overlaps([one], trained, encode, cut)[0] for one in tested]  # each by itself
    stricter = overlaps(tested, trained, encode, max(cut, other))
    assert all(
        rank(a) <= rank(b) for a, b in zip(found, stricter, strict=True)
    )  # a higher cut takes fewer for the same
    fewer = overlaps(tested, trained[1:], encode, cut)
    assert all(rank(a) <= rank(b) for a, b in zip(found, fewer, strict=True))  # and so does a smaller training set
    assert [one is NONE for one in found] == [one is NONE for one in stricter]  # answers do not depend on the cut
