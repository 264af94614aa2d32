"""Scores by slice, hop and enclave: what a record keeps, and what is said of it."""

import pytest

from answerable.evaluation.spread import Spread, add, by_hop, figures
from answerable.types import PUBLIC, Hit, Hop, Passage, Query, Skill


def _hit(enclave: str, at: int, score: float) -> Hit:
    return Hit(Passage(f"{enclave}{at}", "d", enclave, "t", "text", 0, 4), score, PUBLIC, Skill.SINGLE)


def _hop(
    query: Query, enclave: str, scores: list[float], refused: str | None = None, skill: Skill = Skill.SINGLE
) -> Hop:
    return Hop(query, skill, enclave, refused, tuple(_hit(enclave, at, one) for at, one in enumerate(scores)), 0.0)


def test_a_record_keeps_what_each_enclave_returned_at_each_hop():
    first = Query("Who?")
    second, other = (first.follow([_hit("wiki", at, 1.0)]) for at in (0, 1))
    hops = [
        _hop(first, "wiki", [0.9, 0.8]),
        _hop(first, "mail", []),
        _hop(first, "wiki", [7.0], skill=Skill.MENTION),
        _hop(second, "wiki", [0.5], refused="no"),
        _hop(second, "mail", [0.25]),
        _hop(other, "mail", [0.123456789]),
    ]
    assert by_hop(hops) == [{"wiki": [0.9, 0.8], "mail": []}, {"mail": [0.25, 0.123457]}]
    assert by_hop([]) == []


def test_the_figures_of_several_records():
    spread: Spread = {}
    add(spread, "GG", {"scores_by_hop": [{"wiki": [3.0, 5.0], "mail": [1.0]}, {"mail": [2.0]}]})
    add(spread, "GG", {"scores_by_hop": [{"wiki": [4.0], "mail": [4.0]}]})
    add(spread, "PP", {})  # a run without them
    told = figures(spread)
    assert list(told) == ["GG"] and list(told["GG"]) == ["hop 1", "hop 2"]
    wiki, mail = told["GG"]["hop 1"]["wiki"], told["GG"]["hop 1"]["mail"]
    assert wiki == {"passages": 3, "25 %": 3.5, "median": 4.0, "75 %": 4.5, "above": pytest.approx(4.5 / 6)}
    assert mail["above"] == pytest.approx(1.5 / 6)
    assert told["GG"]["hop 2"] == {"mail": {"passages": 1, "25 %": 2.0, "median": 2.0, "75 %": 2.0}}
