"""What every matcher and every reranker of pairs promises."""

from __future__ import annotations

import numpy as np

from answerable.qapairs.lookup import Matcher, PairReranker

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
