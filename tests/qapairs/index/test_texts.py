"""Texts in blocks: any pair by its row, and all of them in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.errors import IndexMismatch
from answerable.qapairs.index.texts import BLOCK, Texts, compressed, dictionary_of, sample_size, write_texts
from answerable.types import QAPair
from tests.qapairs.samples import made

texts = st.text(st.characters(codec="utf-8"), max_size=20)
pairs = st.builds(
    QAPair, texts, texts, st.lists(texts, max_size=3).map(tuple), texts, st.just("public"),
    st.floats(0, 1), st.integers(0, 2**40), st.integers(0, 2**40),
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=5), st.integers(1, 3), st.booleans())
def test_pairs_come_back_whole(tmp_path_factory, few: list[QAPair], times: int, shared: bool) -> None:
    folder, many = tmp_path_factory.mktemp("t"), few * (times * BLOCK // len(few))
    assert write_texts(folder, many, dictionary_of(few) if shared else b"") == len(many)
    found = Texts(folder, "public", len(many))
    assert list(found) == many
    assert [found.pair(row) for row in reversed(range(len(many)))] == many[::-1]


def test_a_dictionary_of_some_makes_the_others_shorter() -> None:
    pairs = made(2000)
    shared = dictionary_of(pairs[:: 2000 // sample_size(2000)])
    assert len(compressed(pairs[7:39], shared)) < 0.9 * len(compressed(pairs[7:39], b""))
    assert sample_size(10) == 0 and len(shared) <= 32_768


def test_what_is_not_what_was_written_is_refused(tmp_path: Path) -> None:
    write_texts(tmp_path, made(100), b"")
    with pytest.raises(IndexMismatch, match="damaged"):
        Texts(tmp_path, "public", 99 - BLOCK)
    data = bytearray((tmp_path / "texts.bin").read_bytes())
    data[40:200] = bytes(160)
    (tmp_path / "texts.bin").write_bytes(data)
    with pytest.raises(IndexMismatch, match=r"'public' are damaged.*pairs index"):
        Texts(tmp_path, "public", 100).pair(3)
