from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.choose import SHIPPED
from answerable.encoders.segments import Segments
from answerable.errors import ModelError

segments = Segments(SHIPPED / "tokenizer.json")
CLS, SEP = 101, 102


def test_a_text_stands_between_its_marks() -> None:
    (row,) = segments.texts(["Who owns the pier?"])
    assert row.ids[0] == CLS and row.ids[-1] == SEP and SEP not in row.ids[1:-1]
    assert segments.passages([("Pier", "It is old.")]) == segments.texts(["Pier. It is old."])
    assert segments.joined([("Who owns the pier?", [])])[0].ids == row.ids


def test_a_question_is_followed_by_its_passages() -> None:
    (row,) = segments.joined([("Who owns it?", [("Pier", "It is old."), ("", "A lamp.")])])
    question, *passages = (segments.texts([text])[0].ids for text in ("Who owns it?", "Pier. It is old.", "A lamp."))
    assert row.ids == (*question, *passages[0][1:], *passages[1][1:])
    assert row.places == ((0, len(question) - 1),) and row.ids[row.places[0][1]] == SEP


@given(st.integers(0, 400), st.lists(st.integers(0, 400), max_size=6), st.integers(20, 256))
def test_nothing_is_longer_than_asked_and_every_passage_has_its_end(question: int, sizes: list[int], most: int) -> None:
    (row,) = segments.joined([("lamp " * question, [("", "stone " * size) for size in sizes])], most)
    assert len(row.ids) <= most
    assert row.ids.count(SEP) == 1 + len(sizes)
    assert row.ids[row.places[0][1]] == SEP and SEP not in row.ids[: row.places[0][1]]


@given(st.lists(st.sampled_from(["lamp", "Skerryvore", "ø", "a-b", "1844"]), min_size=1, max_size=300), st.data())
def test_a_span_is_found_again_in_its_window(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words) - 1))
    text = " ".join(words)
    start = len(" ".join(words[:at])) + bool(at)
    (row,) = segments.spans([(text, [(start, start + len(words[at]))])], 64)
    ((first, last),) = row.places
    assert len(row.ids) <= 64 and 0 < first <= last < len(row.ids) - 1
    assert row.ids[first : last + 1] == segments.texts([words[at]])[0].ids[1:-1]


def test_a_span_of_nothing_has_no_place() -> None:
    (row,) = segments.spans([("the pier ", [(4, 8), (8, 8), (8, 9)])])
    assert row.places[0] != (0, 0) and row.places[1:] == ((0, 0), (0, 0))


def test_tokens_know_their_characters() -> None:
    row, offsets = segments.words("Skerryvore is lit")
    assert len(offsets) == len(row.ids) - 2
    assert offsets[-1] == (14, 17)
    begins = [segments.begins_word(token) for token in row.ids[1:-1]]
    assert begins[0] and begins[-1] and begins.count(True) == 3


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf8")
    with pytest.raises(ModelError, match="not a tokenizer"):
        Segments(tmp_path / "tokenizer.json")
