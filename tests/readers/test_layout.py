from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from answerable.readers.layout import MAX_TOKENS, Layout


@pytest.fixture(scope="module")
def layout() -> Layout:
    words = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", *(f"w{i}" for i in range(2000))]
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    return Layout(tokenizer)


def numbered(first: int, count: int) -> str:
    return " ".join(f"w{i}" for i in range(first, first + count))


def parts(layout: Layout, *sizes: int) -> list:  # type: ignore[type-arg]
    tokens = layout.tokens([t for i, n in enumerate(sizes) for t in (f"w{i} .", numbered(i * 700, n))])
    return list(zip(tokens[0::2], tokens[1::2], strict=True))


def test_short_chain_is_laid_whole(layout: Layout) -> None:
    question = layout.tokens([numbered(1900, 5)])[0]
    laid = layout.lay(question, parts(layout, 10, 20), lambda number, size, room: 0)
    assert laid.ids[0] == layout.cls
    assert laid.ids.count(layout.sep) == 3
    assert laid.types == [0] * 7 + [1] * (len(laid.ids) - 7)
    assert [shown for _, _, shown in laid.places] == [10, 20]


def test_room_left_by_a_short_passage_goes_to_the_long_one(layout: Layout) -> None:
    question = layout.tokens([numbered(1900, 5)])[0]
    laid = layout.lay(question, parts(layout, 10, 600), lambda number, size, room: 0)
    assert len(laid.ids) >= MAX_TOKENS - 1
    assert laid.places[1][2] > 300


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(0, 690), min_size=1, max_size=2), words=st.integers(1, 90))
def test_windows_show_every_token_and_keep_to_the_limit(layout: Layout, sizes: list[int], words: int) -> None:
    question = layout.tokens([numbered(1900, words)])[0]
    chain = parts(layout, *sizes)
    shown: list[set[int]] = [set() for _ in sizes]
    for laid in layout.windows(question, chain):
        assert len(laid.ids) <= MAX_TOKENS
        assert len(laid.ids) == len(laid.types)
        for number, (place, first, count) in enumerate(laid.places):
            assert laid.ids[place : place + count] == chain[number][1].ids[first : first + count]
            shown[number] |= set(range(first, first + count))
    assert [len(s) for s in shown] == sizes
