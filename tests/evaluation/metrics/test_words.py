from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.words import words
from tests.evaluation.metrics.cases import load


def test_spacy() -> None:
    cases = load("words")
    assert len(cases) >= 200
    for text, cut in cases:
        assert words(text) == cut, text


def test_examples() -> None:
    assert words("Don't you’ve \"it\", John's?") == ["do", "n't", "you", "’ve", '"', "it", '"', ",", "john", "'s", "?"]
    assert words("Is it £5,000 at 10am (i.e. self-employed)?") == (
        "is it £ 5,000 at 10 am ( i.e. self - employed ) ?".split()
    )
    assert words("Cannot, were, WON'T www.example.org/a-b.") == "can not , were , won't www.example.org/a-b .".split()
    assert words("") == words(" \n") == []


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    kept = "".join(piece for piece in text.split())
    assert "".join(words(text)) == "".join(map(str.lower, kept)) or "Σ" in text
