"""Equations 6 and 7 of Chain-of-Skills on hits, alignment and promotion; and what other queries add to a hop."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.chains.merging import besides, merged
from answerable.privacy.flow import first_query
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Chain, Hit, Passage, Privacy, Skill
from tests.laws.worlds import MODES, TABLES, MemoryEnclave, TinyEncoder, corpus, some_text


def hit(name: str, score: float, skill: Skill = Skill.SINGLE) -> Hit:
    return Hit(Passage(name, name, "wiki", name, name, 0, len(name)), score, PUBLIC, skill)


def linked(name: str, score: float) -> Hit:
    return hit(name, score, Skill.MENTION)


def scores(hits: list[Hit]) -> dict[str, float]:
    return {one.passage.id: one.score for one in hits}


def test_linking_scores_above_those_of_retrieval_are_scaled_down_to_them() -> None:
    found = merged([hit("a", 0.5), hit("b", 0.2)], [linked("c", 0.8), linked("d", 0.4)], alpha=1.0)
    assert scores(found) == pytest.approx({"a": 0.5, "c": 0.5, "d": 0.25, "b": 0.2})


def test_linking_scores_below_stay_as_they_are() -> None:
    found = merged([hit("a", 0.5)], [linked("c", 0.3)], alpha=1.0)
    assert scores(found) == {"a": 0.5, "c": 0.3}


def test_what_both_found_is_promoted_and_counts_as_retrieved() -> None:
    found = merged([hit("a", 0.5), hit("b", 0.4)], [linked("b", 1.0)], alpha=1.5)
    assert scores(found) == pytest.approx({"b": 0.75, "a": 0.5})
    assert [one.skill for one in found] == [Skill.SINGLE, Skill.SINGLE]


def test_either_alone_is_kept_with_the_best_score_of_each_passage() -> None:
    assert scores(merged([], [linked("c", 0.3), linked("c", 0.6)], alpha=2.0)) == {"c": 0.6}
    assert scores(merged([hit("a", 0.3), hit("a", 0.6)], [], alpha=2.0)) == {"a": 0.6}
    assert merged([], [], alpha=2.0) == []


def test_ties_break_by_id_and_then_by_enclave() -> None:
    other = Hit(Passage("a", "a", "mail", "a", "other", 0, 1), 0.5, PUBLIC, Skill.SINGLE)
    found = merged([hit("b", 0.5), hit("a", 0.5), other], [linked("c", 0.5)], alpha=1.0)
    assert [(one.passage.id, one.passage.enclave) for one in found] == [
        ("a", "mail"), ("a", "wiki"), ("b", "wiki"), ("c", "wiki"),
    ]  # fmt: skip


def test_copies_are_one_passage() -> None:
    copy = replace(hit("a", 0.4), passage=replace(hit("a", 0.4).passage, id="z", enclave="mail"))
    assert [one.score for one in merged([hit("a", 0.3), copy], [linked("a", 0.2)], alpha=2.0)] == [0.8]


@pytest.mark.parametrize("best", [0.0, -0.5])
def test_where_nothing_retrieved_scores_above_nothing_linking_scores_stay(best: float) -> None:
    assert scores(merged([hit("a", best)], [linked("c", 2.0)], alpha=1.0)) == {"c": 2.0, "a": best}


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 1.0)),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 3.0)),
)
def test_no_linked_passage_passes_the_best_retrieved_without_being_retrieved(
    right: dict[str, float], left: dict[str, float]
) -> None:
    found = merged([hit(*one) for one in right.items()], [linked(*one) for one in left.items()], alpha=1.0)
    assert set(scores(found)) == {*right, *left}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    if right:
        assert found[0].score == pytest.approx(max(right.values()))


def chains(*scored: tuple[str, float]) -> list[Chain]:
    return [Chain((hit(name, score),), score, PUBLIC) for name, score in scored]


def test_what_other_queries_find_comes_in_turn_and_not_above_what_there_is() -> None:
    own, first, second = chains(("a", 0.5), ("b", 0.3)), chains(("c", 2.0), ("a", 1.6), ("d", 1.0)), chains(("e", 0.1))
    found = besides(own, [first, second], 3)
    assert [(one.key, one.score) for one in found] == [(("c",), 0.5), (("e",), 0.1), (("d",), 0.25)]
    assert besides(own, [first, second], 1) == found[:1]


def test_what_other_queries_find_stands_as_it_is_where_there_is_nothing_else() -> None:
    (found,) = besides([], [chains(("c", 2.0))], 5)
    assert found.score == 2.0


@given(seed=st.integers(0, 2**32), privacy=st.sampled_from(list(Privacy)))
@settings(max_examples=60, deadline=None)
def test_parts_of_a_question_take_no_place_of_what_the_whole_finds(seed: int, privacy: Privacy) -> None:
    rng = random.Random(seed)
    table = rng.choice(TABLES)
    indexes = {name: MemoryEnclave(name, corpus(rng, name), []) for name in table}
    door = Retriever(table, indexes, TinyEncoder(), privacy, RetrieverSettings(rng.choice(MODES)))
    query = first_query(some_text(rng, 2, 6), Asker(), privacy, table)
    parts = [replace(query, text=word) for word in query.text.split()]
    beam = BeamSettings(hops=1, k=3, width=4, ranking=rng.choice(("overall", "enclave")))
    alone, beside = (gather(query, door, beam, some).chains for some in ((), parts))
    assert {*alone} <= {*beside}
    if beam.ranking == "overall":
        best = max((one.score for one in alone), default=9.0)
        assert best >= max((one.score for one in beside), default=0.0)
        assert len(beside) <= len(alone) + max(2, len(parts) and 4 - len(alone))
