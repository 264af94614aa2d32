"""Each rule passes the same good question and objects to one thing spoiled in it."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.types import Passage
from answerable_bench import rules
from answerable_bench.pairs import Proposal
from answerable_bench.rules import RULES, Case, Occurrences, Rule, World, content_words, objection, shares_name
from bench_tests.world import mail, page

FIRST = mail("Hello all. Fulmar Ropes signed a contract for the overhaul of the Petrel. It is done.", "e1_p0")
SECOND = page("Fulmar Ropes", "Fulmar Ropes is a company based in Bodø, Norway. It was founded in 1921.", "Q1")
GOOD = Proposal(
    "PG1", "PG", "bridge", ("e1_p0", "Q1"), ("Fulmar Ropes", "Fulmar Ropes"),
    "When was the company that signed a contract for the overhaul of the Petrel founded?", "1921", ((1,), (1,)),
)  # fmt: skip
COMPARED = replace(
    GOOD, kind="comparison", names=("Fulmar Ropes", "Gannet Yard"),
    question="Which company was founded first, Fulmar Ropes or Gannet Yard?", answer="Fulmar Ropes",
)  # fmt: skip


def world(*others: Passage) -> World:
    passages = {passage.id: passage for passage in (FIRST, SECOND, *others)}
    return World(passages, Occurrences(passages.values()))


def said(rule: Rule, proposal: Proposal, first: Passage = FIRST, second: Passage = SECOND, *others: Passage) -> str:
    return rule(Case(proposal, (first, second)), world(*others)) or ""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("proposal", [GOOD, COMPARED], ids=["bridge", "comparison"])
def test_a_good_question_passes_every_rule(rule: Rule, proposal: Proposal):
    assert said(rule, proposal) == ""


SPOILED: dict[Callable[..., object], list[Proposal]] = {
    rules.question_is_clear: [
        replace(GOOD, question=question)
        for question in (
            "When was it founded",
            "when was it founded?",
            "When? Where?",
            "When was <that> a?",
            "Is (it a?",
        )
    ],
    rules.question_has_its_length: [
        replace(GOOD, question="When was it founded?"),
        replace(GOOD, question="When" + " was" * 60 + " it?"),
    ],
    rules.answer_has_its_length: [replace(GOOD, answer=""), replace(GOOD, answer="1921 " * 11)],
    rules.answer_is_a_span: [
        replace(GOOD, answer="1922"),
        replace(GOOD, answer="yes"),
        replace(COMPARED, answer="Petrel Works"),
    ],
    rules.answer_is_not_asked: [replace(GOOD, question="When was the company of 1921 founded?")],
    rules.bridge_is_hidden: [replace(GOOD, question="When was Fulmar, which signed it, founded?")],
    rules.sentences_support: [replace(GOOD, sentences=((1,), ())), replace(GOOD, sentences=((9,), (1,)))],
    rules.names_are_two: [
        replace(COMPARED, names=("Fulmar Ropes", "Fulmar Ropes")),
        replace(COMPARED, names=("Fulmar Ropes", "Fulmar Ropes Bodø")),
        replace(COMPARED, question="Which company was founded first?"),
    ],
}


@pytest.mark.parametrize(
    ("rule", "proposal"), [(rule, one) for rule, ones in SPOILED.items() for one in ones], ids=lambda x: getattr(x,
         "__name__", "")
)  # fmt: skip
def test_a_spoiled_question_is_objected_to(rule: Rule, proposal: Proposal):
    assert said(rule, proposal)
    assert objection(Case(proposal, (FIRST, SECOND)), world()) is not None


def test_a_first_passage_with_the_answer_would_do_alone():
    told = mail(f"{FIRST.text} It was founded in 1921.", "e1_p0")
    assert said(rules.second_passage_is_needed, GOOD, told)


def test_an_answer_that_another_domain_has_too_makes_another_slice():
    other = mail("I heard that Fulmar Ropes was there in 1921.", "e2_p0")
    assert said(rules.answer_has_one_home, GOOD, FIRST, SECOND, other)
    apart = mail("I heard that Fulmar Ropes was there. It rained, as in 1921.", "e2_p0")
    assert not said(rules.answer_has_one_home, GOOD, FIRST, SECOND, apart)
    pages = [page("X", "Fulmar Ropes of 1921.", f"Q{number}") for number in range(2, 6)]
    assert not said(rules.answer_has_one_home, GOOD, FIRST, SECOND, *pages)


def test_copying_a_long_run_is_objected_to():
    text = "the rope that held the whole weight of the old red crane for an hour and a half"
    first = mail(f"It was {text}, they say.", "e1_p0")
    assert said(rules.little_is_copied, replace(GOOD, question=f"Who made {text}?"), first)


def test_one_text_twice_is_no_pair():
    assert said(rules.passages_differ, GOOD, FIRST, mail(FIRST.text + " Yes.", "e2_p0"))


def test_every_rule_is_in_force():
    functions = {value for name, value in vars(rules).items() if callable(value) and name.islower() and name[0] != "_"}
    judging = {f for f in functions if getattr(f, "__module__", "") == rules.__name__} - {
        objection,
        content_words,
        shares_name,
    }
    assert judging == set(RULES)


def test_part_of_a_name_names_and_what_a_thing_is_only_as_a_name():
    for text in ("the yard of Halvorsen", "a halvorsen shipyard", "the Shipyard of Mandal"):
        assert shares_name(text, "Halvorsen Shipyard")
    assert shares_name("what BBC says", "BBC")
    for text in ("the oldest yard of Mandal", "the shipyard of Mandal"):
        assert not shares_name(text, "Halvorsen Shipyard")


TEXTS = st.lists(st.lists(st.sampled_from("rope crane dock petrel tide signal".split())), max_size=8)


@given(TEXTS, st.sets(st.sampled_from("rope crane dock petrel tide".split()), min_size=1))
def test_passages_that_hold_all_words_are_found(texts: list[list[str]], wanted: set[str]):
    passages = [mail(" ".join(text), f"e{number}_p0", "") for number, text in enumerate(texts)]
    found = Occurrences(passages).holding(sorted(wanted))
    assert found == [passage.id for passage in passages if wanted <= set(passage.text.split())]


def test_no_words_are_held_by_none():
    assert Occurrences([mail("rope")]).holding([]) == []


def test_words_that_tell_nothing_are_left_out():
    assert content_words("The person who signed the Petrel's contract, and the contract") == [
        "signed",
        "petrel",
        "contract",
    ]
