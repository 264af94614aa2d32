"""What every encoder, linker, matcher and reranker of pairs must keep to; a test class inherits one and says which."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from answerable.encoders.encoder import Encoder, Linker
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.types import Skill

PASSAGES = [
    ("Skerryvore", "The lighthouse was designed by Alan Stevenson and first lit in 1844."),
    ("Glass", "The Chance Brothers made the lenses of lighthouses in Smethwick."),
    ("", "A passage without a title."),
    ("Curlew", "A curlew is a wader with a long, bent bill. " * 20),
    ("Empty", ""),
]
ODD = ["", " ", "\x00", "🗼" * 40, "x" * 20_000, "word " * 5_000, "ÅØǼ ﬁ 東京 \udcff"]


class EncoderContract:
    """Inherit and define `encoder`."""

    encoder: Encoder

    def test_rows_are_unit_float32_of_the_promised_shape(self) -> None:
        rows = self.encoder.encode_passages(PASSAGES)
        assert rows.shape == (len(PASSAGES), self.encoder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    @pytest.mark.parametrize("skill", list(Skill))
    def test_a_query_is_one_unit_vector(self, skill: Skill) -> None:
        vector = self.encoder.encode_query("Who designed Skerryvore?", skill)
        assert vector.shape == (self.encoder.dimension,)
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-5

    def test_what_was_read_shapes_an_expanded_query(self) -> None:
        asked = "Who made its lenses?"
        alone = self.encoder.encode_query(asked, Skill.EXPANDED)
        one, other = (self.encoder.encode_query(asked, Skill.EXPANDED, [passage]) for passage in PASSAGES[:2])
        assert abs(float(np.linalg.norm(one)) - 1.0) < 1e-5
        assert not np.allclose(one, alone) and not np.allclose(one, other)

    def test_equal_inputs_give_equal_vectors(self) -> None:
        first = self.encoder.encode_passages(PASSAGES)
        query = self.encoder.encode_query("Who made the lenses?", Skill.SINGLE)
        np.testing.assert_array_equal(first, self.encoder.encode_passages(PASSAGES))
        np.testing.assert_array_equal(query, self.encoder.encode_query("Who made the lenses?", Skill.SINGLE))

    def test_queries_side_by_side_are_those_one_by_one(self) -> None:
        asked = [
            ("Who lit it?", Skill.SINGLE, ()),
            ("Who lit it?", Skill.EXPANDED, PASSAGES[:1]),
            *[(title, Skill.EXPANDED, [(title, text)]) for title, text in PASSAGES],
        ]
        one_by_one = np.stack([self.encoder.encode_query(*one) for one in asked])
        np.testing.assert_array_equal(self.encoder.encode_queries(asked), one_by_one)
        assert self.encoder.encode_queries([]).shape == (0, self.encoder.dimension)

    def test_rows_stand_in_the_order_of_the_texts(self) -> None:
        rows, back = self.encoder.encode_passages(PASSAGES), self.encoder.encode_passages(PASSAGES[::-1])
        near = rows @ back[::-1].T
        assert near.argmax(axis=1).tolist() == list(range(len(PASSAGES)))
        assert near.diagonal().min() > 0.97

    def test_a_passage_that_answers_is_closer_than_one_that_does_not(self) -> None:
        query = self.encoder.encode_query("Who designed the Skerryvore lighthouse?", Skill.SINGLE)
        assert int((self.encoder.encode_passages(PASSAGES) @ query).argmax()) == 0

    def test_no_passages_give_no_rows(self) -> None:
        assert self.encoder.encode_passages([]).shape == (0, self.encoder.dimension)

    @pytest.mark.parametrize("text", ODD, ids=["empty", "blank", "null", "emoji", "long word", "long text", "accents"])
    def test_odd_text_has_a_vector_like_any_other(self, text: str) -> None:
        for vector in (self.encoder.encode_query(text, Skill.EXPANDED), *self.encoder.encode_passages([(text, text)])):
            assert np.isfinite(vector).all()
            assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-5

    def test_it_is_named(self) -> None:
        assert self.encoder.name
        assert self.encoder.name == self.encoder.name.strip()


class LinkerContract(EncoderContract):
    """What every encoder that links must keep to besides."""

    encoder: Any  # an `Encoder` that is a `Linker`

    def test_it_links(self) -> None:
        assert isinstance(self.encoder, Linker)

    @pytest.mark.parametrize("text", [*ODD, "Who lit Skerryvore, off Tiree, in 1844?"])
    def test_proposals_are_spans_of_the_text_in_order(self, text: str) -> None:
        found = self.encoder.propose(text)
        ends = [0, *(end for span, _ in found for end in span)]
        assert ends == sorted(ends) and ends[-1] <= len(text)
        assert all(start < end and score > 0 for (start, end), score in found)
        assert found == self.encoder.propose(text)

    def test_mentions_and_entities_are_unit_float32_of_the_promised_shape(self) -> None:
        text = "Alan Stevenson built Skerryvore."
        mentions = self.encoder.encode_mentions(text, [(0, 14), (21, 31)])
        for rows, count in ((mentions, 2), (self.encoder.encode_entities(PASSAGES), len(PASSAGES))):
            assert rows.shape == (count, self.encoder.dimension) and rows.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        assert self.encoder.encode_mentions(text, []).shape == (0, self.encoder.dimension)
        assert self.encoder.encode_entities([]).shape == (0, self.encoder.dimension)
        np.testing.assert_array_equal(mentions[:1], self.encoder.encode_mentions(text, [(0, 14)]))


QUESTIONS = ["Who lit the lamp?", "Who lit the lamp?", "When was the tower built?", "Wer?", ""]


class MatcherContract:
    """What every matcher keeps to: unit rows, the same for a question alone and beside others, a name."""

    def matcher(self) -> Matcher:
        raise NotImplementedError

    def test_rows_are_unit_vectors_in_order(self) -> None:
        found = self.matcher().encode_questions(QUESTIONS)
        assert found.shape == (5, self.matcher().dimension) and found.dtype == np.float32
        assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4)
        assert np.allclose(found[0], found[1], atol=1e-5)

    def test_a_question_is_nearer_to_one_that_asks_the_same_than_to_another(self) -> None:
        asked, same, other = self.matcher().encode_questions(
            ["Who built the old tower?", "The old tower was built by who?", "How many ships sank in March?"]
        )
        assert asked @ same > asked @ other

    def test_one_question_alone_always_has_the_same_vector(self) -> None:
        first, second = (self.matcher().encode_questions(["Who lit the lamp?"]) for _ in range(2))
        assert (first == second).all()

    def test_nothing_gives_no_rows(self) -> None:
        assert self.matcher().encode_questions([]).shape == (0, self.matcher().dimension)


class PairRerankerContract:
    """What every reranker of pairs keeps to: a finite score for each, which does not hang on the others."""

    def reranker(self) -> PairReranker:
        raise NotImplementedError

    def test_what_asks_the_same_scores_higher(self) -> None:
        pairs = [("How many ships sank in March?", "four"), ("Who was the builder of the old tower?", "Ann Lee")]
        scores = self.reranker().rerank("Who built the old tower?", pairs)
        assert scores.shape == (2,) and scores.dtype == np.float32 and scores[1] > scores[0]

    def test_no_pairs_give_no_scores(self) -> None:
        assert self.reranker().rerank("Who?", []).shape == (0,)
