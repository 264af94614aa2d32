"""The features of an answer, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from answerable.selective.features import NAMES, Choice, choices, squash
from answerable.text import agree
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill

QUESTION = "Who designed Skerryvore Lighthouse?"


def chain(id: str, title: str, text: str, score: float = 1.0) -> Chain:
    return Chain((Hit(Passage(id, id, "wiki", title, text, 0, len(text)), score, PUBLIC, Skill.SINGLE),), score, PUBLIC)


LIGHT, OTHER = chain("light", "Skerryvore", "Alan Stevenson designed it."), chain("other", "Rocks", "Nothing here.")


def candidate(text: str, score: float, of: Chain = LIGHT) -> Candidate:
    return Candidate(text, score, of, 0, 0, 5)


def named(choice: Choice) -> dict[str, float]:
    return dict(zip(NAMES, choice.features, strict=True))


def test_every_feature() -> None:
    found = [candidate("Alan", 4.0), candidate("1844", 2.0, OTHER), candidate("Alan", 1.0, OTHER)]
    first, second = choices(QUESTION, found, [LIGHT, OTHER])
    whole = 1 + math.exp(-2)  # the best of each chain
    assert named(first) == pytest.approx(
        {
            "score": squash(1.0),
            "softmax": 1 / whole,
            "grouped": 1 / whole,  # the other chain says 1844 first
            "margin": squash(0.5),
            "agreeing": 0.5,
            "rank": 1.0,
            "covered": 0.5,  # designed, skerryvore
            "polar": 0.0,
            "hops": 0.0,
            "apart": 0.0,
            "reasons": 0.0,
            "headed": 0.0,
        }
    )
    assert named(second) == pytest.approx(
        {
            "score": squash(0.5),
            "softmax": math.exp(-2) / whole,
            "grouped": math.exp(-2) / whole,
            "margin": squash(-0.5),
            "agreeing": 0.5,
            "rank": 0.5,
            "covered": 0.0,
            "polar": 0.0,
            "hops": 0.0,
            "apart": 0.0,
            "reasons": 0.0,
            "headed": 0.0,
        }
    )
    assert (first.candidate, second.candidate) == (found[0], found[1])
    private = replace(LIGHT, hits=(replace(LIGHT.hits[0], label=frozenset({"mail"})),))
    assert first.path == "public" and choices(QUESTION, [candidate("x", 1.0, private)], [])[0].path == "private"


def test_an_answer_that_is_alone() -> None:
    for text, polar in (("yes", 1.0), ("no", 1.0), ("noon", 0.0)):
        (only,) = choices("?", [candidate(text, 0.0, OTHER)], [LIGHT])
        assert named(only) == pytest.approx(
            {
                "score": 0.5,
                "softmax": 1.0,
                "grouped": 1.0,
                "margin": squash(2.0),
                "agreeing": 1.0,
                "rank": 0.5,  # after all chains, since it is none of them
                "covered": 0.0,
                "polar": polar,
                "hops": 0.0,
                "apart": 0.0,
                "reasons": 0.0,
                "headed": 0.0,
            }
        )


def test_what_was_found_beside_it_and_what_is_asked() -> None:
    """Two passages in the chain; the best above the sixth; why and how, but not how much."""
    ranked = [chain(f"p{n}", "Rocks", f"Nothing {n}.", 0.9 - n / 10) for n in range(7)]
    both = Chain((ranked[0].hits[0], ranked[1].hits[0]), 1.0, PUBLIC)
    for question, reasons in (("Why?", 1.0), ("how is it lit", 1.0), ("How many are lit?", 0.0), ("Who lit it?", 0.0)):
        of = named(choices(question, [candidate("oil", 1.0, both)], [both, *ranked])[0])
        assert (of["hops"], of["apart"], of["reasons"]) == pytest.approx((1.0, 0.5, reasons))
    few = named(choices("?", [candidate("oil", 1.0, both)], ranked[:3])[0])
    assert few["apart"] == pytest.approx(0.2)


def test_what_stands_in_the_lines_over_a_mail() -> None:
    """Told from the mail's own words; a yes stands nowhere."""
    head = "From: a@b.org\nTo: c@d.org\nDate: Monday, 3 May 2021, 09:00\nSubject: Oil\n\n"
    mail = chain("mail", "Oil", f"{head}It comes on Friday.")
    for text, start, headed in (("Monday", 34, 1.0), ("Friday", len(head) + 12, 0.0), ("yes", 0, 0.0)):
        (only,) = choices("When does it come?", [Candidate(text, 1.0, mail, 0, start, start + 6)], [mail])
        assert named(only)["headed"] == headed


@pytest.mark.parametrize(
    ("question", "text", "headed"),
    [
        ("When did Ann ask for oil?", "3 May 2021", 0.0),
        ("When did Ann ask for oil?", "Oil", 1.0),
        ("When did Bob ask for oil?", "3 May 2021", 1.0),
        ("What did Ann ask for?", "3 May 2021", 1.0),
    ],
)
def test_the_date_over_a_mail_is_asked_for_by_when_its_sender_did_something(
    question: str, text: str, headed: float
) -> None:
    mail = "From: Ann <a@b.org>\nTo: Bob <c@d.org>\nDate: Monday, 3 May 2021, 09:00\nSubject: Oil\n\nMore oil, please."
    found, at = chain("mail", "Oil", mail), mail.index(text)
    (only,) = choices(question, [Candidate(text, 1.0, found, 0, at, at + len(text))], [found])
    assert named(only)["headed"] == headed


def test_the_same_with_a_word_more_is_no_other_answer() -> None:
    """The margin is to the best that says something else; what normalises to nothing agrees with itself alone."""
    found = [candidate("Alan", 4.0), candidate("the Alan Stevenson", 3.0), candidate("1844", 2.0), candidate("?", 1.0)]
    margins = {one.text: named(one)["margin"] for one in choices(QUESTION, found, [LIGHT])}
    assert margins == pytest.approx(
        {"Alan": squash(0.5), "the Alan Stevenson": squash(0.25), "1844": squash(-0.5), "?": squash(-0.75)}
    )
    assert agree("18 August", "Friday, 18 August!") and agree("?", "?") and not agree("?", "!")
    assert not agree("18 August", "8 August") and not agree("Alan", "Al")


def test_the_order_of_answers_and_which_are_equal() -> None:
    """By score, then by text; what normalises to nothing is what it is."""
    found = [candidate("b", 1.0), candidate("a", 1.0), candidate("!", 0.5), candidate("?", 0.4), candidate("The B.", 0)]
    assert [choice.text for choice in choices(QUESTION, found, [LIGHT])] == ["a", "b", "!", "?"]
    assert choices(QUESTION, [], [LIGHT]) == []


def test_squash_is_safe_at_both_ends() -> None:
    assert squash(0.0) == 0.5 and squash(1.0) == pytest.approx(0.7310586)
    assert squash(1e9) == squash(40.0) == 1.0 and 0.0 < squash(-1e9) == squash(-40.0) < squash(-39.0)
