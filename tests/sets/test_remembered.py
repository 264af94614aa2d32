from collections.abc import Sequence

import numpy as np

from answerable.sets.judge import Floats
from answerable.sets.remembered import Memory

A, B, C = ("a", "one"), ("b", "two"), ("c", "three")


class Once:
    """Says how long a text and a constraint are, and keeps what it was asked."""

    def __init__(self, name: str = "once") -> None:
        self.name = name
        self.asked: list[tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = []

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        self.asked.append((tuple(constraints), tuple(texts)))
        return np.array(
            [[len("".join(text)) / 10 + len(one) / 100 for one in constraints] for text in texts], np.float32
        )


def test_only_what_is_new_is_read_and_the_answers_are_the_same() -> None:
    memory, judge = Memory(), Once()
    memory.judge(judge, ["x", "yy"], [A, B], "wiki")
    said = memory.judge(judge, ["yy"], [B, C, A], "wiki")
    assert judge.asked == [(("x", "yy"), (A, B)), (("yy",), (C,))]
    assert said.dtype == np.float32 and np.array_equal(said, Once().judge(["yy"], [B, C, A]))
    assert np.array_equal(memory.judge(judge, ["x", "z"], [A], "wiki"), Once().judge(["x", "z"], [A]))
    assert judge.asked[2:] == [(("x", "z"), (A,))]


def test_what_was_read_among_other_text_or_by_another_judge_is_read_again() -> None:
    memory, judge, other = Memory(), Once(), Once("other")
    for among in ("mail", "wiki", "mail"):
        memory.judge(judge, ["x"], [A], among)
    memory.judge(other, ["x"], [A], "mail")
    assert len(judge.asked) == 2 and len(other.asked) == 1


def test_titles_and_texts_are_told_apart_and_nothing_is_no_text() -> None:
    memory, judge = Memory(), Once()
    memory.judge(judge, ["x"], [("a", "bc")], "wiki")
    memory.judge(judge, ["x"], [("ab", "c")], "wiki")
    assert len(judge.asked) == 2
    assert memory.judge(judge, ["x", "y"], [], "wiki").shape == (0, 2) and len(judge.asked) == 2


def test_texts_asked_of_last_are_kept() -> None:
    memory, judge = Memory(most=2), Once()
    for text in (A, B, A, C, A, B):
        memory.judge(judge, ["x"], [text], "wiki")
    assert [texts for _, texts in judge.asked] == [(A,), (B,), (C,), (B,)]
