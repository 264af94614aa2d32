"""How an answer is laid out to be verified: question, answer, what stands around it, the other passages."""

from __future__ import annotations

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped
from answerable.encoders.verifier import AnswerVerifier, Claim, claim, lay, marks, verifies
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import ModelError
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill

PIECES = WordPieces(SHIPPED / "tokenizer.json")
TEXT = "It is old. William Marshal built it. It stands in Ireland."
PASSAGE = Passage("p", "d", "wiki", "Hook", TEXT, 100, 100 + len(TEXT))
OTHER = Passage("q", "e", "wiki", "Ireland", "An island.", 0, 10)


def candidate(text: str, start: int, end: int) -> Candidate:
    hits = tuple(Hit(one, 1.0, PUBLIC, Skill.SINGLE) for one in (OTHER, PASSAGE))
    return Candidate(text, 1.0, Chain(hits, 1.0, PUBLIC), 1, start, end)


def test_a_claim_is_cut_where_the_answer_stands() -> None:
    at = 100 + TEXT.index("William")
    made = claim("Who built it?", candidate("William Marshal", at, at + 15))
    assert (made.before, made.within, made.after) == ("It is old. ", "William Marshal", TEXT[26:])
    assert made.heading == "Hook" and made.others == (("Ireland", "An island."),)
    polar = claim("Is it old?", candidate("yes", 100, 100 + len(TEXT)))
    assert (polar.before, polar.within, polar.after) == ("", "", TEXT)


def test_a_row_marks_the_answer_where_it_is_named_and_where_it_stands() -> None:
    at = 100 + TEXT.index("William")
    (row,) = lay(PIECES, [claim("Who built it?", candidate("William Marshal", at, at + 15))])
    (named,) = PIECES.ids(["William Marshal"], 20)
    assert row.ids[slice(*row.named)] == row.ids[slice(*row.stands)] == named[1:-1] and row.named < row.stands
    assert row.ids.count(named[-1]) == 4  # after the question, the answer, its passage and the other
    made = marks([row], len(row.ids) + 3)
    assert made.shape == (1, len(row.ids) + 3)
    assert [(made == mark).sum() for mark in (1, 2)] == [2, 2]


def test_a_long_passage_is_read_around_the_answer_alone() -> None:
    long = Claim("Who?", "Ann", "h", "lamp " * 500, "Ann", " rock" * 500, (("x", "sea " * 500),) * 2)
    polar = Claim("Is it?", "yes", "h", "", "", " rock" * 500)
    for row in lay(PIECES, [long, polar]):
        assert len(row.ids) < 256
    (row, other) = lay(PIECES, [long, polar])
    assert row.ids[slice(*row.stands)] == PIECES.ids(["Ann"], 9)[0][1:-1]
    assert other.stands[0] == other.stands[1]


def test_a_model_that_does_not_verify_is_refused() -> None:
    minilm = open_shipped(SHIPPED / "minilm")
    assert not verifies(minilm)
    with pytest.raises(ModelError, match="verifies no answers"):
        AnswerVerifier(minilm)
