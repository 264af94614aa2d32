import numpy as np

from answerable.encoders.questions import ANSWER, ASKED, QUESTION, alone, side_by_side, together

ASK, THEIRS, TOLD = [101, 7, 8, 102], [101, 9, 102], [101, 5, 102]


def test_a_question_alone_is_all_of_one_kind():
    assert alone(ASK).ids == ASK and set(alone(ASK).segments) == {ASKED}


def test_a_pair_goes_on_where_the_question_ends_and_has_one_beginning():
    row = together(ASK, THEIRS, TOLD)
    assert row.ids == [101, 7, 8, 102, 9, 102, 5, 102]
    assert row.segments == [ASKED] * 4 + [QUESTION] * 2 + [ANSWER] * 2


def test_rows_are_padded_with_zeros_in_both():
    ids, segments = side_by_side([alone(ASK), alone(TOLD)]).values()
    assert ids.dtype == np.int64 and ids.tolist() == [ASK, [*TOLD, 0]]
    assert segments.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
