from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import MissingExtraError
from answerable.evaluation.metrics.sharc import (
    bleu,
    decision,
    follow_up_bleu,
    macro_accuracy,
    micro_accuracy,
    tokenizer,
    words,
)
from tests.evaluation.metrics.cases import load

REPLIES = st.sampled_from(["yes", "no", "Irrelevant", "more", "Are you over 16?", "Do you live here?"])
TURNS = st.lists(st.tuples(REPLIES, REPLIES), min_size=1, max_size=12)


def test_the_official_script() -> None:
    cases = load("sharc")
    assert len(cases) >= 200 and sum(macro is not None for _, _, _, macro, _ in cases) >= 50
    for gold, said, micro, macro, bleus in cases:
        assert micro_accuracy(said, gold) == micro
        assert macro is None or macro_accuracy(said, gold) == pytest.approx(macro, rel=1e-15)
        asked = [
            (s, g)
            for s, g in zip(said, gold, strict=True)
            if {s.lower(), g}.isdisjoint(("yes", "no", "irrelevant", "more"))
        ]
        cut = [[text.split() for text in texts] for texts in zip(*asked, strict=True)] or [[], []]
        assert [bleu(cut[0], cut[1], n) for n in range(1, 5)] == bleus, (gold, said)


def test_words_are_those_of_the_official_script() -> None:
    cases = load("words")
    assert len(cases) >= 200
    for text, cut in cases:
        assert words(text) == cut, text
    assert words("Don't you’ve \"it\", John's?") == ["do", "n't", "you", "’ve", '"', "it", '"', ",", "john", "'s", "?"]
    assert words("") == words(" \n") == []


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy.lang.en", None)
    tokenizer.cache_clear()
    with pytest.raises(MissingExtraError, match="follow-up questions"):
        follow_up_bleu(["Are you 16?"], ["Are you 16?"])


def test_follow_up_questions_are_told_from_decisions() -> None:
    assert [decision(r) for r in (" Yes", "IRRELEVANT", "more", "Are you 16?", "missing")] == [
        "yes", "irrelevant", "more", "more", "more"
    ]  # fmt: skip
    said, gold = ["yes", "Are you 16?", "are you 17?"], ["Are you 16?", "no", "Are you 16?"]
    assert follow_up_bleu(said, gold, 1) == bleu([["are", "you", "17", "?"]], [["are", "you", "16", "?"]], 1) == 0.8


def test_macro_accuracy_averages_over_decisions() -> None:
    said, gold = ["yes", "yes", "yes", "no"], ["yes", "yes", "yes", "Which one?"]
    assert micro_accuracy(said, gold) == 0.75 and macro_accuracy(said, gold) == 0.5


@given(TURNS, st.randoms())
def test_neither_order_nor_asking_twice_matters_to_accuracy(
    turns: list[tuple[str, str]], chance: random.Random
) -> None:
    shuffled = turns * 2
    chance.shuffle(shuffled)
    for measure in (micro_accuracy, macro_accuracy):
        value = measure([s for s, _ in turns], [g for _, g in turns])
        assert measure([s for s, _ in shuffled], [g for _, g in shuffled]) == pytest.approx(value)
        assert 0 <= value <= 1
        assert measure([g for _, g in turns], [g for _, g in turns]) == pytest.approx(1.0)


@given(TURNS, st.integers(1, 4), st.randoms())
def test_bleu_is_a_share_that_order_does_not_change(
    turns: list[tuple[str, str]], order: int, chance: random.Random
) -> None:
    shuffled = list(turns)
    chance.shuffle(shuffled)
    value = follow_up_bleu([s for s, _ in turns], [g for _, g in turns], order)
    assert 0 <= value <= 1
    assert follow_up_bleu([s for s, _ in shuffled], [g for _, g in shuffled], order) == value
    gold = [g for _, g in turns]
    assert follow_up_bleu(gold, gold, order) == (1.0 if any("?" in g for g in gold) else 0.0)
    assert bleu([], [], order) == bleu([[]], [["a"]], order) == 0.0
