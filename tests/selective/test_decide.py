from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, below, decide
from answerable.selective.features import NAMES, choices
from answerable.testing.reader import LIGHT, OTHER, chain
from answerable.types import NO_INDEX, PUBLIC, UNREACHABLE, Asker, Candidate, Hop, Query, Skill

FIRST, SECOND = chain(LIGHT), chain(OTHER)
QUESTION = "Who designed Skerryvore Lighthouse?"
EVEN = Calibration(tuple(4.0 if n == "score" else 0.0 for n in NAMES), -2.0, 0.5, "a test")


def candidate(text: str, score: float, of: object = FIRST) -> Candidate:
    return Candidate(text, score, of, 0, 100, 100 + len(text))  # type: ignore[arg-type]


def test_equal_answers_are_grouped_and_their_softmax_adds_up() -> None:
    made = choices(
        QUESTION, [candidate("the Alan Stevenson", 4.0), candidate("alan stevenson.", 3.0, SECOND)], [FIRST, SECOND]
    )
    assert [c.text for c in made] == ["the Alan Stevenson"]
    features = dict(zip(NAMES, made[0].features, strict=True))
    assert features["grouped"] == pytest.approx(1.0)
    assert features["agreeing"] == 1.0
    assert features["softmax"] == pytest.approx(1 / (1 + 2.718281828**-1))


def test_every_feature_stays_between_0_and_1() -> None:
    for score in (-1e6, -3.0, 0.0, 3.0, 1e6):
        for choice in choices(QUESTION, [candidate("a", score), candidate("b", 0.5, SECOND)], [FIRST, SECOND]):
            assert all(0.0 <= f <= 1.0 for f in choice.features)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_what_every_chain_says_has_all_of_the_softmax(scores: list[float], chance: Random) -> None:
    chains = [
        replace(one, hits=(replace(one.hits[0], passage=replace(one.hits[0].passage, id=f"p{i}")),))
        for i, one in enumerate([FIRST] * len(scores))
    ]
    found = [candidate("Alan Stevenson", score, one) for score, one in zip(scores, chains, strict=True)]
    found.sort(key=lambda one: -one.score)
    (whole,) = choices(QUESTION, found, chains)
    assert whole.features[NAMES.index("grouped")] == 1.0  # and not above it, or a little below
    chance.shuffle(found)
    again = choices(QUESTION, sorted(found, key=lambda one: -one.score), chains)
    assert again[0].features[NAMES.index("grouped")] == 1.0


def test_where_one_of_two_things_is_wanted_nothing_else_is_given() -> None:
    asked = "Which is older, Skerryvore or Tiree?"
    given = decide(asked, [candidate("1844", 9.0), candidate("Skerryvore", 4.0)], (FIRST,), (), EVEN)
    assert (given.text, given.others) == ("Skerryvore", (("1844", 0.0),))
    none = decide(asked, [candidate("1844", 9.0)], (FIRST,), (), EVEN)
    assert (none.text, none.confidence, len(none.read)) == (None, 0.0, 1)


def test_answers_above_the_threshold_and_abstains_below_with_a_reason() -> None:
    given = decide(QUESTION, [candidate("Alan Stevenson", 6.0)], (FIRST, SECOND), (), EVEN)
    assert (given.text, given.reason) == ("Alan Stevenson", None)
    assert given.confidence > 0.5
    withheld = decide(QUESTION, [candidate("Alan Stevenson", -6.0)], (FIRST, SECOND), (), EVEN)
    assert withheld.text is None
    assert withheld.reason is not None
    assert "below the threshold 0.50" in withheld.reason
    assert withheld.others[0][0] == "Alan Stevenson"
    assert (
        decide(QUESTION, [candidate("Alan Stevenson", -6.0)], (FIRST, SECOND), (), EVEN, threshold=0.0).text is not None
    )


def test_a_confidence_equal_to_the_threshold_is_enough() -> None:
    found = [candidate("Alan Stevenson", 2.0)]
    exact = decide(QUESTION, found, (FIRST, SECOND), (), EVEN).confidence
    for threshold, text in ((exact, "Alan Stevenson"), (math.nextafter(exact, 1.0), None)):
        assert decide(QUESTION, found, (FIRST, SECOND), (), EVEN, threshold).text == text
        assert decide(QUESTION, found, (FIRST, SECOND), (), replace(EVEN, threshold=threshold)).text == text


def test_a_confidence_never_looks_equal_to_the_threshold_that_it_is_below() -> None:
    told = "the best pair has confidence {}, below the threshold {}"
    assert below("pair", 0.07, 0.55) == told.format("0.07", "0.55")
    assert below("pair", 0.8271, 0.8349) == told.format("0.827", "0.835")
    assert below("pair", 0.5, math.nextafter(0.5, 1.0)).count("0.5000000000000000") == 1


def test_an_answer_is_as_sure_as_the_path_of_its_chain_says() -> None:
    found = [candidate("Alan Stevenson", 2.0), candidate("1844", 1.0)]
    plain = decide(QUESTION, found, (FIRST, SECOND), (), EVEN, 0.0)
    for path, less in (("public", True), ("rising", False)):
        moved = decide(QUESTION, found, (FIRST, SECOND), (), replace(EVEN, paths={path: -1.0}), 0.0)
        assert (moved.confidence < plain.confidence) is less
        assert (moved.others[0][1] < plain.others[0][1]) is less


def test_all_of_a_decision_and_at_most_five_others_besides_the_answer() -> None:
    found = [candidate(f"answer {n}", 7.0 - n) for n in range(8)]
    ranked = choices(QUESTION, found, [FIRST])
    sure = [(one.text, EVEN.confidence(one.features, one.path)) for one in ranked]
    read = tuple(one.candidate for one in ranked[:6])
    given = decide(QUESTION, found, (FIRST,), (), EVEN, 0.0)
    assert given == Decision("answer 0", None, sure[0][1], found[0], tuple(sure[1:6]), ranked[0], read)
    withheld = decide(QUESTION, found, (FIRST,), (), EVEN, 1.0)
    reason = f"the best answer found has confidence {sure[0][1]:.2f}, below the threshold 1.00"
    assert withheld == Decision(None, reason, sure[0][1], found[0], tuple(sure[:6]), ranked[0], read)


def test_says_all_that_was_missing() -> None:
    query = Query(QUESTION)
    hops = [Hop(query, Skill.EXPANDED, name, "carries mail", (), 0.0) for name in ("wiki", "news", "wiki")]
    hops += [
        Hop(query, Skill.SINGLE, name, f"{name} {UNREACHABLE}: it is down", (), 0.0)
        for name in ("there", "away", "away")
    ]
    told = "; news, wiki could not be asked everything under this privacy"
    told += f"; away {UNREACHABLE}: it is down; there {UNREACHABLE}: it is down"
    nothing = Decision(None, f"nothing was found for this question{told}", 0.0, None, ())
    assert decide(QUESTION, [], [replace(FIRST, hits=())], hops, EVEN) == nothing
    unread = Decision(None, f"the passages found hold nothing that answers it{told}", 0.0, None, ())
    assert decide(QUESTION, [], [FIRST], hops, EVEN) == unread


def test_names_no_enclave_that_the_asker_may_not_read() -> None:
    guest = Asker("guest", frozenset({"wiki"}))
    refusals = [Hop(Query(QUESTION, guest), Skill.SINGLE, name, "refused", (), 0.0) for name in ("mail", "wiki")]
    assert decide(QUESTION, [], (), refusals[:1], EVEN).reason == "nothing was found for this question"
    told = decide(QUESTION, [], (), refusals, EVEN).reason
    assert told == "nothing was found for this question; wiki could not be asked everything under this privacy"


def test_says_what_was_missing() -> None:
    refusal = Hop(Query(QUESTION), Skill.EXPANDED, "wiki", "carries mail", (), 0.0)
    nothing = decide(QUESTION, [], (), (refusal,), EVEN)
    assert nothing.reason is not None
    assert "nothing was found" in nothing.reason
    assert "wiki" in nothing.reason
    empty = Hop(Query(QUESTION), Skill.EXPANDED, "mail", f"mail {NO_INDEX}", (), 0.0)
    assert decide(QUESTION, [], (), (empty,), EVEN).reason == "nothing was found for this question"
    unread = decide(QUESTION, [], (FIRST,), (), EVEN)
    assert unread.reason == "the passages found hold nothing that answers it"
    assert FIRST.label == PUBLIC


def test_no_answer_is_chosen_for_what_asks_to_be_told() -> None:
    told = decide("Tell me about Skerryvore", [candidate("Alan Stevenson", 9.0)], (FIRST,), (), EVEN, 0.0)
    assert (told.text, told.candidate, told.others) == (None, None, ())
    assert told.reason == "passages are what a question like this gets"
    assert decide("Tell me about Skerryvore", [], (), (), EVEN).reason == "nothing was found for this question"


def test_the_surest_answer_comes_first_though_another_scores_higher() -> None:
    """By all that confidence is made of: here that the higher one stands in the lines over a mail."""
    head = "From: a@b.org\nTo: c@d.org\nDate: Monday, 3 May 2021, 09:00\nSubject: Oil\n\n"
    mail = chain(f"{head}It comes on Friday.", start=0)
    body = mail.hits[0].passage.text.index("Friday")
    found = [Candidate("Monday", 3.0, mail, 0, 34, 40), Candidate("Friday", 2.5, mail, 0, body, body + 6)]
    weights = tuple({"score": 4.0, "headed": -4.0}.get(name, 0.0) for name in NAMES)
    made = decide("When does it come?", found, (mail,), (), Calibration(weights, -2.0, 0.5, "a test"))
    assert made.text == "Friday" and [text for text, _ in made.others] == ["Monday"]


def test_of_a_yes_and_a_no_the_other_is_no_likelier_than_what_is_left() -> None:
    found = [candidate("no", 3.0), candidate("yes", 2.8, SECOND), candidate("Alan Stevenson", 2.9, SECOND)]
    made = decide("Was it designed by a Stevenson?", found, (FIRST, SECOND), (), EVEN)
    others = dict(made.others)
    assert made.text == "no" and others["yes"] == pytest.approx(1 - made.confidence)
    assert others["Alan Stevenson"] > others["yes"]
