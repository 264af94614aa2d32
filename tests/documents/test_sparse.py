from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.sparse import K1, B, Wording
from answerable.text import words

TEXT = st.lists(st.sampled_from(["tide", "wall", "boat", "the", "keeper"]), max_size=8).map(" ".join)


def run(question: str, paragraph: str) -> int:
    """The longest run of words in both, by trying all."""
    asked, held = words(question), words(paragraph)
    spans = [asked[a:b] for a in range(len(asked)) for b in range(a + 1, len(asked) + 1)]
    here = [held[i : i + len(span)] == span for span in spans for i in range(len(held))]
    lengths = [len(span) for span in spans for _ in range(len(held))]
    return max((n for n, same in zip(lengths, here, strict=True) if same), default=0)


@given(st.lists(TEXT, min_size=1, max_size=4), TEXT)
def test_the_longest_run_is_that_of_trying_all(paragraphs: list[str], question: str) -> None:
    assert Wording(paragraphs).longest_run(question).tolist() == [run(question, one) for one in paragraphs]


@given(st.lists(TEXT, min_size=1, max_size=4), TEXT)
def test_bm25_is_its_formula(paragraphs: list[str], question: str) -> None:
    lists = [words(one) for one in paragraphs]
    mean = max(1.0, sum(map(len, lists)) / len(lists))
    expected = []
    for held in lists:
        score = 0.0
        for word in dict.fromkeys(words(question)):
            documents = sum(word in other for other in lists)
            if documents:
                idf = math.log(1 + (len(lists) - documents + 0.5) / (documents + 0.5))
                times = held.count(word)
                score += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * len(held) / mean))
        expected.append(score)
    assert Wording(paragraphs).bm25(question) == pytest.approx(expected, abs=1e-5)


def test_nothing_is_ordinary() -> None:
    assert Wording([]).bm25("tide").shape == Wording([]).longest_run("tide").shape == (0,)
    assert Wording([""]).bm25("tide").tolist() == Wording(["", ""]).longest_run("")[:1].tolist() == [0.0]
    assert np.isfinite(Wording(["", "tide"]).bm25("tide tide")).all()
