"""Which documents may belong: what is searched with, and how rankings join."""

from __future__ import annotations

import pytest

from answerable.sets.candidates import MOST_BRANCHES, branches, gather, probes, ranked
from answerable.sets.expression import Atom, Or, read_expression
from answerable.sets.find_settings import FindSettings
from answerable.types import PUBLIC, Hit, Passage, Privacy, Query, Skill
from tests.sets.world import MIRRORED, NOTES, SOFTWARE, World


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ('"a"', [("a",)]),
        ('"a" and "b"', [("a", "b")]),
        ('"a" or "b"', [("a",), ("b",)]),
        ('("a" and "b") minus "c"', [("a", "b")]),
        ('("a" or "b") and "c"', [("a", "c"), ("b", "c")]),
        ('"a" and ("a" minus "b")', [("a",)]),
        ('"a" minus ("b" minus "c")', [("a",)]),
    ],
)
def test_branches_are_the_intersections_of_what_is_not_taken_away(expression: str, found: list) -> None:
    assert branches(read_expression(expression)) == found


def test_there_are_never_many_branches() -> None:
    many = Or(tuple(Atom(f"a{number}") for number in range(30)))
    assert len(branches(many)) == MOST_BRANCHES
    assert len(branches(read_expression(" and ".join(['("a" or "b" or "c")'] * 8)))) <= MOST_BRANCHES


def test_what_is_taken_away_is_not_searched_for() -> None:
    wanted = probes("web browsers not for qt", read_expression('"web browsers" minus "for qt"'), FindSettings(7, 9))
    assert [(one.text, one.k) for one in wanted] == [("web browsers not for qt", 7), ("web browsers", 9)]
    both = probes("q", read_expression('"a" and "b"'), FindSettings())
    assert [one.text for one in both] == ["q", "a and b", "a", "b"]


def test_each_year_at_which_something_happened_is_a_branch() -> None:
    wanted = probes("q", read_expression('"people" and "born in 1901 or 1902"'), FindSettings())
    assert [one.text for one in wanted] == ["q", "people and born 1901 or 1902", "people", "born 1901 or 1902"]
    wanted = probes("q", read_expression('"people born between 1901 and 1902"'), FindSettings())
    assert [(one.text, one.branch) for one in wanted] == [("q", None), ("people born 1901", 0), ("people born 1902", 1)]
    many = read_expression('"born in the 1930s" and "died in the 1960s"')
    assert len({one.branch for one in probes("q", many, FindSettings())} - {None}) == MOST_BRANCHES


def _found(texts: dict[str, list[str]]) -> dict:
    """Rankings of documents whose text is their name."""
    made = {}
    for text, names in texts.items():
        hits = {
            ("wiki", name): [Hit(Passage(name, name, "wiki", name, name, 0, 1), 1.0, PUBLIC, Skill.SINGLE)]
            for name in names
        }
        made[text] = hits
    return made


def test_a_document_of_both_rankings_goes_before_the_best_of_either() -> None:
    wanted = probes("q", read_expression('"one" and "two"'), FindSettings())
    rankings = _found({"q": [], "one and two": [], "one": ["x", "z"], "two": ["y", "z"]})
    assert [one.document for one in ranked(wanted, rankings)] == ["z", "x", "y"]


def test_the_best_of_either_take_turns_in_a_union() -> None:
    wanted = probes("q", read_expression('"one" or "two"'), FindSettings())
    rankings = _found({"q": [], "one": ["a", "c", "e"], "two": ["b", "d", "f"]})
    assert [one.document for one in ranked(wanted, rankings)] == ["a", "b", "c", "d", "e", "f"]


def test_having_the_words_of_a_constraint_counts() -> None:
    wanted = probes("q", read_expression('"red"'), FindSettings())
    rankings = _found({"q": [], "red": ["blue", "red"]})
    assert [one.document for one in ranked(wanted, rankings)] == ["red", "blue"]


def test_passages_of_a_document_are_one_prospect_with_the_best_first() -> None:
    world = World({"wiki": {"long": "qt and mail. " * 4, "mutt": "mail"}, "mail": {}}, size=13)
    only = next(iter(gather(Query("qt"), read_expression('"qt"'), world.finder().retriever, FindSettings())))
    assert [(one.document, len(one.passages)) for one in only.prospects] == [("long", 4)]


def test_least_private_labels_come_first_and_nothing_private_is_asked_before() -> None:
    world = World({"wiki": SOFTWARE, "mail": NOTES}, table=MIRRORED)
    steps = gather(
        Query("web browser"), read_expression('"web browser" and "qt"'), world.finder().retriever, FindSettings()
    )
    first = next(steps)
    assert {one.enclave for one in first.prospects} == {"wiki"} and {name for name, _ in world.sent} == {"wiki"}
    second = next(steps)
    assert {one.label for one in second.prospects} == {frozenset({"mail"})}
    assert [hop.query.text for hop in second.hops] == [hop.query.text for hop in first.hops]


def test_without_privacy_all_documents_compete() -> None:
    world = World({"wiki": SOFTWARE, "mail": NOTES})
    door = world.finder().retriever.under(Privacy.NONE)
    only = list(gather(Query("web browser"), read_expression('"web browser"'), door, FindSettings()))
    assert len(only) == 1 and {one.enclave for one in only[0].prospects} == {"wiki", "mail"}
