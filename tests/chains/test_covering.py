"""What a chain tells of a question as a whole, beside what its hits score one by one."""

from __future__ import annotations

import random

import pytest

from answerable.chains.covering import COVERED, NAMED, SAME, covering
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

QUESTION = "In which town was the architect of the Lindholm lighthouse born?"
LIGHTHOUSE = ("Lindholm", "The Lindholm lighthouse was drawn by the architect Ada Brandt in 1901.")
ALIKE = ("Lighthouses", "The architect of the Lindholm lighthouse also drew a harbour office.")
PERSON = ("Ada Brandt (architect)", "Born in the town of Elverum, she studied in Oslo.")
OTHER = ("Kari Moe", "Born in the town of Hamar, she sailed.")


def hit(title: str, text: str, score: float = 0.5, document: str = "") -> Hit:
    passage = Passage(f"{title} {document}: {text}", document or title, "wiki", title, text, 0, len(text))
    return Hit(passage, score, PUBLIC, Skill.SINGLE)


def chain(*hits: Hit) -> Chain:
    return Chain(hits, sum(one.score for one in hits), PUBLIC)


def titles(chains: list[Chain]) -> list[list[str]]:
    return [[one.passage.title for one in each.hits] for each in chains]


def test_two_that_tell_one_half_each_come_before_two_that_tell_the_same() -> None:
    same, both = chain(hit(*LIGHTHOUSE), hit(*ALIKE, 0.6)), chain(hit(*LIGHTHOUSE), hit(*OTHER, 0.4))
    assert titles(covering(QUESTION, [same, both])) == [["Lindholm", "Kari Moe"], ["Lindholm", "Lighthouses"]]


def test_a_page_that_is_named_comes_before_one_that_tells_as_much() -> None:
    named, other = chain(hit(*LIGHTHOUSE), hit(*PERSON)), chain(hit(*LIGHTHOUSE), hit(*OTHER))
    found = covering(QUESTION, [other, named])
    assert found[0].hits == named.hits
    assert found[0].score - found[1].score == pytest.approx(NAMED)


def test_it_may_be_named_by_what_was_found_after_it() -> None:
    found = covering(QUESTION, [chain(hit(*PERSON), hit(*OTHER)), chain(hit(*PERSON), hit(*LIGHTHOUSE))])
    assert titles(found) == [["Ada Brandt (architect)", "Lindholm"], ["Ada Brandt (architect)", "Kari Moe"]]


def test_more_of_one_document_counts_against_a_chain() -> None:
    first = hit("Report", "The Lindholm lighthouse was drawn by an architect.", document="a")
    text = "The architect was born in a town"
    found = covering(
        QUESTION, [chain(first, hit("Report", text + end, document=name)) for name, end in (("a", "."), ("b", "!"))]
    )
    assert [one.hits[-1].passage.document_id for one in found] == ["b", "a"]
    assert found[0].score - found[1].score == pytest.approx(SAME)


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    common = [hit(f"Page {number}", "A lighthouse in a town.") for number in range(6)]
    rare, usual = hit("Rare", "Lindholm."), hit("Usual", "A lighthouse.")
    found = covering("Lindholm lighthouse", [chain(one, last) for one in common[:3] for last in (rare, usual)])
    assert [one.hits[-1].passage.title for one in found] == ["Rare"] * 3 + ["Usual"] * 3
    assert found[0].score == pytest.approx(1.0 + COVERED)


def test_the_same_passages_come_once_in_their_better_order() -> None:
    there, back = chain(hit(*LIGHTHOUSE, 0.9), hit(*PERSON)), chain(hit(*PERSON), hit(*LIGHTHOUSE, 0.6))
    assert titles(covering(QUESTION, [back, there])) == [["Lindholm", "Ada Brandt (architect)"]]


def test_the_order_in_which_chains_are_given_changes_nothing() -> None:
    pages = [hit(*one) for one in (LIGHTHOUSE, ALIKE, PERSON, OTHER)]
    pairs = [chain(one, other) for one in pages for other in pages if one is not other]
    shuffled = random.Random(3).sample(pairs, len(pairs))
    assert covering(QUESTION, shuffled) == covering(QUESTION, pairs)


def test_a_question_of_common_words_alone_leaves_what_the_hits_score() -> None:
    (found,) = covering("who was it", [chain(hit(*ALIKE, 0.3), hit(*OTHER, 0.4))])
    assert found.score == pytest.approx(0.7)
    assert covering(QUESTION, []) == []
