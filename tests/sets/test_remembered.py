from collections.abc import Sequence

import numpy as np

from answerable.sets.judge import Floats
from answerable.sets.remembered import Memory, RememberingReader
from answerable.types import PUBLIC, Candidate, Chain, Hit, Label, Passage, Skill

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


class Reading:
    """Reads the first word of each chain, and counts how often it is asked."""

    name, asked = "reading", 0

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.asked += 1
        said = ((chain, chain.hits[0].passage) for chain in chains)
        return [Candidate(p.text.split()[0], 1.0, chain, 0, p.start, p.start + 3) for chain, p in said][::-1]


def _chain(text: str, label: Label = PUBLIC, title: str = "t") -> Chain:
    passage = Passage(text, "d", "wiki", title, text, 0, len(text))
    return Chain((Hit(passage, 1.0, label, Skill.SINGLE),), 1.0, label)


def test_a_reader_is_asked_once_of_the_same_texts() -> None:
    reader = Reading()
    kept = RememberingReader(reader, most=2)
    chains = [_chain("one two"), _chain("six two")]
    first = kept.read("Who?", chains)
    assert kept.name == "reading" and [one.text for one in first] == ["six", "one"]
    private = [_chain("one two", frozenset({"mail"})), _chain("six two")]
    again = kept.read("Who?", private)
    assert reader.asked == 1 and [one.chain for one in again] == private[::-1] and first == kept.read("Who?", chains)
    for question, chain in (("What?", _chain("one two")), ("Who?", _chain("one two", title="u"))):
        kept.read(question, [chain])
    kept.read("Who?", chains)
    assert reader.asked == 4  # the first was forgotten
