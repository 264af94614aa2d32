"""A byte a number: vectors that stay what they are, and rows that are told from damaged ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.units import codes, packed, units, unpacked


@given(st.integers(1, 30), st.integers(1, 400), st.integers(0, 10**6))
def test_what_is_read_is_near_and_stays_the_same(count: int, dimension: int, seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    held = codes(rows)
    read = units(held)
    assert np.array_equal(codes(read), held)
    assert np.allclose(np.linalg.norm(read.astype(np.float64), axis=1), 1, atol=2e-3)
    assert (np.einsum("nd,nd->n", read.astype(np.float64), rows) > 0.999).all()
    assert np.array_equal(units(held[:1]), read[:1]), "a row is made from itself alone"


def test_a_vector_of_zeros_stays_one() -> None:
    assert not units(codes(np.zeros((2, 5)))).any() and units(codes(np.zeros((0, 5)))).shape == (0, 5)


@pytest.mark.parametrize("length", [1, 4, 7, 8, 384])
def test_a_row_is_as_it_was_stored_or_nothing(length: int) -> None:
    row = bytes(range(250)) * 2
    stored = packed(row[:length], 9)
    assert len(stored) % 2 and unpacked(stored, 9) == row[:length] and unpacked(stored, 10) is None
    for place in range(len(stored)):
        spoilt = bytearray(stored)
        spoilt[place] ^= 4
        assert unpacked(bytes(spoilt), 9) is None
    assert unpacked(None, 9) is None
