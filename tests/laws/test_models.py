"""What a language model elsewhere is sent does not depend on text that it may not be sent: two runs, one comparison."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.types import Privacy
from tests.laws.models import ELSEWHERE, LEAKS, Watched, differ, draw_asked
from tests.laws.worlds import hidden_from


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_model_elsewhere_cannot_tell_hidden_corpora_apart(seed: int) -> None:
    assert not differ(draw_asked(random.Random(seed)))[0]


def test_the_law_is_about_something() -> None:
    """The model is sent passages in most trials, and its answers are given in some, with private text beside them."""
    rng, sent, written, left_out = random.Random(1), 0, 0, 0
    for _ in range(70):
        told, count, answer = differ(draw_asked(rng))
        assert not told and count <= 1
        sent += count
        written += answer is not None and answer.via == "model"
        left_out += answer is not None and any("was left out" in note for note in answer.notes)
    assert sent > 25 and written > 6 and left_out > 6


@pytest.mark.parametrize("name", LEAKS)
def test_every_planted_leak_is_caught(name: str) -> None:
    rng = random.Random(2)
    assert any(differ(draw_asked(rng), LEAKS[name])[0] for _ in range(400))


def test_no_hidden_passage_and_no_private_question_is_in_what_is_sent() -> None:
    rng = random.Random(3)
    for _ in range(30):
        drawn, model = draw_asked(rng), Watched()
        drawn.run(0, model)
        hidden = hidden_from(ELSEWHERE, drawn.trial.table, drawn.grants)
        allowed = {one.text for name, held in drawn.trial.corpora[0].items() if name not in hidden for one in held}
        for body in model.sent:
            messages = json.loads(body)[0]
            assert {one["text"] for one in json.loads(messages[1]["content"])["passages"]} <= allowed
            assert drawn.trial.privacy is not Privacy.QUERY or drawn.grants
