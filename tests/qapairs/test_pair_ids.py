"""Ids of pairs: equal for what is one pair, different for whatever is not."""

from __future__ import annotations

from answerable.qapairs.generation.stages import pair_id


def test_questions_alike_but_for_case_and_punctuation_are_one_pair() -> None:
    own = pair_id("wiki", "p1", "Who built Kõpu Lighthouse?")
    assert own == pair_id("wiki", "p1", " who built kopu  lighthouse ") and len(own) == 32
    for other in (
        pair_id("mail", "p1", "Who built Kõpu Lighthouse?"),
        pair_id("wiki", "p2", "Who built Kõpu Lighthouse?"),
        pair_id("wiki", "p1", "Who built the Kõpu Lighthouse?"),
        pair_id("wiki", "p1", "Who did not build Kõpu Lighthouse?"),
    ):
        assert other != own


def test_questions_without_words_and_odd_text_have_ids_too() -> None:
    assert pair_id("wiki", "p", "?") != pair_id("wiki", "p", "!") and pair_id("wiki", "p", "\ud800?")
