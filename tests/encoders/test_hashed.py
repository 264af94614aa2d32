from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.hashed import HashedEncoder, HashedMatcher, HashedNavigator
from answerable.errors import UsageError
from answerable.testing.encoder import PASSAGES, LinkerContract, MatcherContract, PairRerankerContract
from answerable.types import Skill

TEXTS = st.lists(st.tuples(st.text(max_size=30), st.text(max_size=80)), max_size=8)


class TestHashedEncoder(LinkerContract):
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

    def test_names_and_figures_are_proposed(self) -> None:
        text = "The lamp of Bell Rock, which Stevenson lit in 1811, stands on Inchcape."
        assert [text[a:b] for (a, b), _ in self.encoder.propose(text)] == ["Bell Rock", "Stevenson", "1811", "Inchcape"]

    def test_a_mention_finds_the_page_of_that_title(self) -> None:
        text = "Chance made the Glass of Skerryvore."
        found = self.encoder.encode_mentions(text, [(25, 35), (16, 21)]) @ self.encoder.encode_entities(PASSAGES).T
        assert found.argmax(axis=1).tolist() == [0, 1]
        assert found.max(axis=1).tolist() == pytest.approx([1.0, 1.0])

    def test_a_page_without_a_title_goes_by_its_first_words(self) -> None:
        (untitled,) = self.encoder.encode_entities([("", "Bell Rock is " + "a reef " * 9)])
        (mention,) = self.encoder.encode_mentions("Bell Rock is it", [(0, 9)])
        assert float(untitled @ mention) > 0.2


class TestHashedNavigator:
    navigator = HashedNavigator()

    @given(
        st.lists(st.tuples(st.text(max_size=20), st.lists(st.text(max_size=30), min_size=1, max_size=4)), max_size=4)
    )
    def test_a_row_of_length_one_for_each_sentence_and_each_whole(
        self, paragraphs: list[tuple[str, list[str]]]
    ) -> None:
        for (_, sentences), (rows, whole) in zip(paragraphs, self.navigator.encode_paragraphs(paragraphs), strict=True):
            assert rows.dtype == whole.dtype == np.float32 and rows.shape == (len(sentences), 256)
            assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
            assert np.linalg.norm(whole) == pytest.approx(1.0, abs=1e-5)

    def test_a_sentence_is_nearer_to_a_question_under_the_same_heading(self) -> None:
        (asked,) = self.navigator.encode_asked(["Skerryvore lighthouse"], 0)
        bare, under = self.navigator.encode_paragraphs([("", ["It burns."]), ("Skerryvore lighthouse", ["It burns."])])
        assert float(under[0][0] @ asked) > float(bare[0][0] @ asked) + 0.1

    def test_dummies_see_the_whole_question(self) -> None:
        rows = self.navigator.encode_asked(["Who lit it?", "I live in Oban."], 2)
        assert rows.shape == (4, 256)
        np.testing.assert_array_equal(rows[2], rows[3])
        np.testing.assert_allclose(
            rows[2:3], self.navigator.encode_asked(["Who lit it? I live in Oban."], 0), atol=1e-6
        )


class TestHashedMatcher(MatcherContract, PairRerankerContract):
    def matcher(self):
        return HashedMatcher()

    reranker = matcher
