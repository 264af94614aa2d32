from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.hashed import HashedEncoder
from answerable.errors import UsageError
from answerable.types import Skill
from tests.contracts.encoder import PASSAGES, EncoderContract

TEXTS = st.lists(st.tuples(st.text(max_size=30), st.text(max_size=80)), max_size=8)


class TestHashedEncoder(EncoderContract):
    encoder = HashedEncoder()

    @given(TEXTS, st.integers(0, 8))
    def test_vectors_do_not_depend_on_how_calls_are_grouped(self, texts: list[tuple[str, str]], cut: int) -> None:
        apart = [self.encoder.encode_passages(texts[:cut]), self.encoder.encode_passages(texts[cut:])]
        np.testing.assert_array_equal(self.encoder.encode_passages(texts), np.concatenate(apart))

    def test_it_is_the_same_on_every_machine(self) -> None:
        vector = HashedEncoder(8).encode_query("Skerryvore lighthouse", Skill.SINGLE)
        assert np.flatnonzero(vector).tolist() == [2, 3]
        assert vector[[2, 3]].tolist() == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)])

    def test_only_words_count(self) -> None:
        one = self.encoder.encode_query("Who LIT it, in 1844?", Skill.SINGLE)
        np.testing.assert_array_equal(one, self.encoder.encode_query("in 1844 who lit it", Skill.EXPANDED))

    def test_words_that_cancel_out_leave_the_fixed_vector(self) -> None:
        tiny = HashedEncoder(1)
        assert np.abs(tiny.encode_passages(PASSAGES)).tolist() == [[1.0]] * len(PASSAGES)

    def test_the_dimension_is_part_of_the_name(self) -> None:
        assert HashedEncoder(64).name == "hashed-64"
        with pytest.raises(UsageError, match="0 dimensions"):
            HashedEncoder(0)
