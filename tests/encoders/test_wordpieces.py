from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import answerable
from answerable.encoders.wordpieces import WordPieces, pad, plan_batches
from answerable.errors import ModelError

PIECES = WordPieces(Path(answerable.__file__).parent / "models" / "tokenizer.json")


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 600))
def test_batches_hold_every_row_once_and_keep_to_their_size(lengths: list[int], tokens: int) -> None:
    batches = plan_batches(lengths, tokens)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= tokens


def test_batches_are_made_of_like_lengths() -> None:
    assert plan_batches([3, 9, 3, 8, 1], 18) == [[1, 3], [0, 2, 4]]


def test_rows_are_padded_to_the_longest() -> None:
    ids, mask = pad([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_texts_are_cut_but_keep_their_ends() -> None:
    whole, cut, empty = PIECES.ids(["lamp oil", "lamp " * 500, ""], 12)
    assert len(whole) == 4
    assert len(cut) == 12
    assert whole[0] == cut[0] == empty[0]
    assert whole[-1] == cut[-1] == empty[-1]
    assert len(empty) == 2


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="not a tokenizer"):
        WordPieces(tmp_path / "tokenizer.json")
