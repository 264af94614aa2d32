"""What decides questions for yes or no, as it ships."""

from __future__ import annotations

import numpy as np
import pytest

from answerable.encoders.choose import encoder_folder
from answerable.encoders.deciding import (
    DECISIONS,
    PASSAGE,
    QUESTION,
    TOLD,
    TOLD_TOKENS,
    Decider,
    row,
    rows,
    told,
)
from answerable.encoders.shipped import open_shipped
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import ModelError

RULE = ("Library card", "You can have a card if you are over 12 and live in the town. Cards are not sent by post.")


@pytest.fixture(scope="module")
def shipped() -> Decider:
    return Decider(open_shipped(encoder_folder("skills")), 1)


def test_what_was_told_is_one_text() -> None:
    assert told("") == "" and told(" I am 12. ") == "I am 12."
    assert told("I am 12.", [("Is it yours?", "no"), ("Sure?", "yes")]) == "I am 12. Is it yours? no Sure? yes"


def test_a_row_marks_its_parts_and_leaves_out_what_was_not_told() -> None:
    laid = row([1, 5, 2], [1, 6, 2], [1, 7, 8, 2])
    assert laid.ids == [1, 5, 2, 6, 2, 7, 8, 2]
    assert laid.segments == [QUESTION] * 3 + [TOLD] * 2 + [PASSAGE] * 3
    assert row([1, 5, 2], [1, 2], [1, 7, 2]).ids == [1, 5, 2, 7, 2]


def test_of_a_long_situation_the_last_is_read() -> None:
    pieces = WordPieces(open_shipped(encoder_folder("skills")).file("tokenizer.json"))
    long = told("It rains. " * 200, [("Do you live in the town?", "No")])
    (one,) = rows(pieces, ["Can I have a card?"], [long], [RULE])
    (last,) = pieces.ids(["Do you live in the town? No"], 64)
    read = [id for id, segment in zip(one.ids, one.segments, strict=True) if segment == TOLD]
    assert len(read) == TOLD_TOKENS - 1 and read[-len(last) + 1 :] == last[1:]


def test_probabilities_are_of_each_passage_alone(shipped: Decider) -> None:
    found = shipped.decide("Can I have a card?", "", [RULE, ("Boats", "The ferry sails at nine.")])
    assert found.shape == (2, len(DECISIONS)) and found.dtype == np.float32
    assert found.sum(axis=1) == pytest.approx(np.ones(2), abs=1e-5)
    assert shipped.decide("Can I have a card?", "", []).shape == (0, len(DECISIONS))
    assert found[0] == pytest.approx(shipped.decide("Can I have a card?", "", [RULE])[0], abs=0.1)


def test_what_was_told_moves_it(shipped: Decider) -> None:
    yes, no, irrelevant, more = (DECISIONS.index(one) for one in ("Yes", "No", "Irrelevant", "More"))

    def likely(question: str, said: str) -> np.ndarray:
        return shipped.decide(question, said, [RULE])[0]

    plain = likely("Can I have a card?", "")
    lives, not_there = (likely("Can I have a card?", f"Do you live in the town? {reply}") for reply in ("Yes", "No"))
    assert plain[more] > max(lives[more], not_there[more])
    assert lives[yes] > plain[yes] and not_there[no] > plain[no]
    assert likely("Is parking free on Sundays?", "").argmax() == irrelevant
    assert likely("Are cards sent by post?", "").argmax() == no


def test_a_model_that_decides_nothing_is_refused() -> None:
    reader = open_shipped(encoder_folder("skills").with_name("reader"))
    assert not Decider.within(reader)
    with pytest.raises(ModelError, match="decides no questions"):
        Decider(reader)
