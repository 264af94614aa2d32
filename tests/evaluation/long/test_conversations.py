"""What decides turns of conversations: the walk, its baselines, and what is asked next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from answerable.documents.reader import Guide
from answerable.encoders.deciding import DECISIONS
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.conversations import (
    Conversing,
    Replied,
    commonest,
    conversants,
    decided,
    each_paragraph,
    follow_up,
    only,
    retrieved,
    ruled,
    snippet,
    walked,
)
from answerable.types import Document
from tests.documents.grant import Deciding

from .stand_ins import EMPTY, blocks, guide

RULES = """Boats pay no toll on Sundays. The toll is due at the lock.

You can get a fishing permit if you live in Elm. Permits are free for children.

Lamps must be lit at night. The harbour master inspects them."""
PERMIT = RULES.index("You can get")
TURN = LongQuestion(
    "t", "Can I get a fishing permit?", ("Do you live in Elm?",), (((PERMIT, PERMIT + 48),),), kind="More"
)
DOCUMENT = Document("rules", "public", "", RULES, "made")
LONG = LongDocument(DOCUMENT, (TURN,), blocks(RULES))
GUIDE = guide()


def leaning(decision: str, by: float) -> Guide:
    """A guide that always leans to a decision."""
    bias = np.array([by * (one == decision) for one in DECISIONS], np.float32)
    return replace(GUIDE, weights=replace(GUIDE.weights, classes_bias=bias))


SHELF = GUIDE.open(LONG.document, LONG.paragraphs)
SYSTEMS = conversants(GUIDE, [LONG])


def test_all_systems_are_there() -> None:
    names = ["walk", "decider", "rules", "majority", "snippet", "retrieve", "sequential", "no-update"]
    assert [one.name for one in SYSTEMS] == names


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.name)
class TestEveryConversant:
    def test_probabilities_add_up_and_steps_stand_in_the_document(self, system: Conversing) -> None:
        for turn in (TURN, replace(TURN, scenario="I live in Elm.", history=(("Do you live in Elm?", "Yes"),))):
            replied = system.reply(SHELF, LONG, turn)
            assert replied.probabilities.sum() == pytest.approx(1.0, abs=1e-5)
            assert replied.decision in DECISIONS
            for paragraph, sentence in replied.steps:
                assert 0 <= paragraph < 3
                assert 0 <= sentence < len(SHELF.book.sentences)

    def test_an_empty_document_is_ordinary(self, system: Conversing) -> None:
        shelf = GUIDE.open(EMPTY.document, EMPTY.paragraphs)
        replied = system.reply(shelf, EMPTY, replace(TURN, hops=()))
        assert replied.steps == ()
        assert replied.probabilities.shape == (4,)
        assert follow_up(shelf.book, replied, TURN) == ""


@pytest.mark.parametrize(("reply", "decision"), [("Yes", "Yes"), ("No", "No")])
def test_a_rule_goes_before_the_walk_once_it_is_settled(reply: str, decision: str) -> None:
    irrelevant = leaning("Irrelevant", 50.0)
    assert ruled(irrelevant, SHELF, LONG, TURN).decision == "Irrelevant"
    turn = replace(TURN, history=(("Do you live in Elm?", reply),))
    assert ruled(irrelevant, SHELF, LONG, turn).decision == decision


def test_what_decides_is_asked_where_the_question_led_and_the_walk_tells_where() -> None:
    deciding = replace(GUIDE, decider=Deciding("No"))
    by_walk, by_decider = (decide(deciding, SHELF, LONG, TURN) for decide in (walked, decided))
    assert by_decider.decision == "No" and by_decider.steps == by_walk.steps
    assert decided(GUIDE, SHELF, LONG, TURN).decision == walked(GUIDE, SHELF, LONG, TURN).decision


def test_the_majority_is_that_of_what_is_learned_from() -> None:
    turns = tuple(replace(TURN, kind=kind) for kind in ("No", "Yes", "Yes"))
    assert commonest([replace(LONG, questions=turns)]) == "Yes"
    assert commonest([]) == DECISIONS[0]


def test_the_oracle_and_retrieval_stay_in_one_paragraph() -> None:
    for decide in (snippet, retrieved):
        replied = decide(GUIDE, SHELF, LONG, replace(TURN, history=(("Are the lamps lit at night?", "Yes"),)))
        assert [paragraph for paragraph, _ in replied.steps] == [1, 1]
        assert all(SHELF.book.paragraph(sentence) == 1 for _, sentence in replied.steps)


def test_a_paragraph_alone_is_decided_as_its_book_is() -> None:
    assert only(SHELF.book, 1).span(0) == SHELF.book.span(2)
    alone = replace(LONG, paragraphs=LONG.paragraphs[1:2])
    shelf = GUIDE.open(alone.document, alone.paragraphs)
    whole = walked(GUIDE, shelf, alone, TURN)
    within = snippet(GUIDE, SHELF, LONG, TURN)
    assert np.allclose(whole.probabilities, within.probabilities, atol=1e-6)
    assert within.steps == tuple((1, 2 + sentence) for _, sentence in whole.steps)


def test_irrelevant_is_believed_only_when_every_paragraph_is_sure() -> None:
    assert each_paragraph(leaning("Irrelevant", 20.0), SHELF, LONG, TURN).decision == "Irrelevant"
    assert each_paragraph(leaning("Irrelevant", 1.0), SHELF, LONG, TURN).decision != "Irrelevant"


def test_what_is_open_in_the_paragraph_attended_to_is_asked_next() -> None:
    replied = Replied(np.full(4, 0.25, np.float32), ((1, 2),))
    assert follow_up(SHELF.book, replied, TURN) == "Do you live in Elm?"
    settled = replace(TURN, history=(("Do you live in Elm?", "Yes"),))
    assert follow_up(SHELF.book, Replied(replied.probabilities, ((1, 3),)), settled).endswith("?")
