"""Where pairs end an ask, and where they join one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answerable.engine import Engine, Terms
from answerable.errors import IndexMismatch
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import private, public
from answerable.privacy.provenance import TrainingProvenance
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.shortcut import PairShortcut
from answerable.readers.overlap import OverlapReader
from answerable.types import Asker, Privacy, Query, Skill
from tests.qapairs.memory import MemoryPairs
from tests.qapairs.test_answering import MAIL, WIKI, engine_of, shelf_of
from tests.test_engine import calibration

PUBLIC = "When was the tower of Kõpu Lighthouse completed?"
PRIVATE = "What is the job at Kõpu Lighthouse called?"


def asking(threshold: float = 0.5, surer: float = 0.0) -> tuple[Engine, PairEngine]:
    """Two enclaves with pairs, behind an engine whose reader is sure of nothing below `surer`."""
    pairs = engine_of(public("wiki"), private("mail"), threshold=threshold, wiki=shelf_of("wiki", WIKI),
                      mail=shelf_of("mail", MAIL))  # fmt: skip
    engine = Engine(pairs.door, OverlapReader(), calibration(surer), pairs.find, shortcuts=(PairShortcut(pairs),))
    return engine, pairs


def test_a_public_pair_ends_the_ask_before_anything_is_searched():
    engine, pairs = asking()
    answer = engine.ask(PUBLIC)
    assert answer.text == "1531" and answer.label == frozenset() and 0 < answer.seconds < 60
    assert answer.pair is not None and answer.pair.question == PUBLIC
    assert [hop.skill for hop in answer.evidence.hops] == [Skill.MATCH] and answer.evidence.hops[0].enclave == "wiki"
    assert [citation.text for citation in answer.citations] == ["Kõpu Lighthouse had its tower completed in 1531."]
    assert answer.chain is not None and answer.chain.hits[0].pair == answer.pair
    assert pairs.door.indexes["wiki"].asked == [] and pairs.door.pairs["mail"].sent == []  # type: ignore[attr-defined]


def test_the_question_label_is_the_answers():
    engine, _ = asking()
    answer = engine.ask(PUBLIC, Terms(Asker("me", label=frozenset({"mail"}))))
    assert answer.label == {"mail"} and answer.evidence.hops[0].refused  # the wiki may not be told


def test_an_ask_that_a_pair_ends_is_as_private_as_what_the_reader_learned_from():
    engine, _ = asking()
    answer = replace(engine, taught=TrainingProvenance(reader=frozenset({"mail"}))).ask(PUBLIC)
    assert answer.pair is not None and answer.label == {"mail"}


def test_what_both_a_search_and_a_pair_lead_to_is_read_once():
    engine, _ = asking(threshold=1.0)
    told: list[list[tuple[str, ...]]] = []

    class Telling(OverlapReader):
        def read(self, question, chains):
            told.append([chain.key for chain in chains])
            return super().read(question, chains)

    reading = replace(engine, reader=Telling())
    reading.ask(PRIVATE, Terms(hops=1))
    reading.ask(PRIVATE, Terms(hops=1, shortcuts=False))
    with_pairs, without = told
    assert len(set(with_pairs)) == len(with_pairs) and set(with_pairs) == set(without)


def test_a_private_pair_joins_when_all_has_been_searched():
    engine, pairs = asking()
    answer = engine.ask(PRIVATE)
    assert answer.text == "KESTREL" and answer.pair is not None and answer.pair.enclave == "mail"
    assert answer.label == {"mail"} and pairs.door.indexes["wiki"].asked  # type: ignore[attr-defined]
    skills = {hop.skill for hop in answer.evidence.hops}
    assert skills > {Skill.MATCH} and [citation.enclave for citation in answer.citations] == ["mail"]
    assert any(hit.pair for chain in answer.evidence.chains for hit in chain.hits)


def test_the_surer_of_pair_and_reader_answers():
    engine, pairs = asking(threshold=1e-12)
    unsure = replace(pairs.calibration, bias=-60.0)
    doubting = replace(engine, shortcuts=(PairShortcut(replace(pairs, calibration=unsure)),))
    answer = doubting.ask(PRIVATE)
    assert answer.pair is None
    assert engine.ask(PRIVATE).pair is not None


def test_without_a_sure_pair_all_is_as_it_was():
    engine, _ = asking(threshold=1.0)
    plain = replace(engine, shortcuts=())
    for question in (PUBLIC, PRIVATE, "Where does Hook Lighthouse stand?"):
        one, two = engine.ask(question), plain.ask(question)
        assert (one.text, one.citations, one.reason) == (two.text, two.citations, two.reason)
        left_out = engine.ask(question, Terms(shortcuts=False))
        assert left_out.evidence.chains == two.evidence.chains and left_out.label == two.label


def test_an_asker_without_clearance_gets_nothing_of_private_pairs():
    engine, pairs = asking()
    answer = engine.ask(PRIVATE, Terms(Asker("guest", frozenset({"wiki"}))))
    assert answer.pair is None and "KESTREL" not in str(answer) and answer.label == frozenset()
    assert pairs.door.pairs["mail"].sent == []  # type: ignore[attr-defined]


def test_searches_among_pairs_are_in_the_journal_of_their_ask(tmp_path):
    engine, pairs = asking()
    journal = AuditLog(tmp_path / "journal.jsonl")
    kept = replace(engine, retriever=replace(pairs.door, journal=journal))
    kept.ask(PUBLIC)
    kept.ask(PRIVATE, Terms(Asker(label=frozenset({"mail"}))))
    (first, *rest), matched = journal.shown(Asker(), pairs.door.enclaves), Skill.MATCH.value
    assert (first["skill"], first["enclave"], first["allowed"], first["hits"]) == (matched, "wiki", True, 3)
    told = [(one["enclave"], one["allowed"], one["hits"]) for one in rest if one["skill"] == matched]
    assert told == [("wiki", False, None), ("mail", True, 1)]
    assert len({one["ask"] for one in rest}) == 1 and first["ask"] not in ("", rest[0]["ask"])


def test_the_door_to_pairs_keeps_to_a_label_and_remembers_for_one_ask_alone(tmp_path):
    _, pairs = asking()
    journal, query = AuditLog(tmp_path / "journal.jsonl"), Query(PUBLIC)
    door = replace(pairs.door, journal=journal)
    for into, names in ((frozenset(), ["wiki"]), (frozenset({"mail"}), ["mail"]), (None, ["wiki", "mail"])):
        assert [hop.enclave for hop in door.search(query, Skill.MATCH, 1, into)] == names
    assert {one["ask"] for one in journal.shown(Asker(), door.enclaves)} == {""}
    once = door.remembering()
    once.search(query, Skill.MATCH, 1)
    assert once.matched(query) is not None and once.matched(Query("Who?")) is None and door.matched(query) is None


class Broken(MemoryPairs):
    """An index found damaged in the middle of a search."""

    def search(self, vectors, k):
        raise IndexMismatch("the pairs of mail are damaged", hint="build them again")


def test_a_private_index_of_pairs_that_breaks_is_left_out_and_a_public_one_is_told():
    engine, pairs = asking()
    broken = replace(pairs.door, pairs={**pairs.door.pairs, "mail": Broken([])})
    answer = replace(engine, retriever=broken).ask(PRIVATE)
    assert answer.pair is None and answer.evidence.chains
    worse = replace(pairs.door, pairs={"wiki": Broken([])})
    assert "damaged" in str(replace(engine, retriever=worse).ask(PUBLIC).reason)


def test_the_plan_says_which_pairs_are_looked_among():
    engine, pairs = asking()
    told = [(one.skill, one.enclave, one.refused is None) for one in engine.plan(PUBLIC, Terms(hops=1))]
    assert told[:2] == [(Skill.MATCH, "wiki", True), (Skill.MATCH, "mail", True)]
    assert not any(skill is Skill.MATCH for skill, *_ in told[2:])
    without = engine.plan(PUBLIC, Terms(hops=1, shortcuts=False))
    assert [(one.skill, one.enclave, one.refused is None) for one in without] == told[2:]
    assert engine.plan(PUBLIC, Terms(privacy=Privacy.QUERY))[0].refused
    assert pairs.door.pairs["wiki"].sent == []  # type: ignore[attr-defined]


def test_settings_raise_the_threshold():
    engine, pairs = asking()
    strict = replace(engine, shortcuts=(PairShortcut(replace(pairs, settings=PairSettings(threshold=1.0))),))
    assert strict.ask(PUBLIC).pair is None


@pytest.mark.parametrize("question", ["When was the tower of Hook Lighthouse completed?", "Who built Kõpu Lighthouse?"])
def test_a_question_that_only_looks_alike_is_searched_for(question):
    engine, _ = asking()
    assert engine.ask(question).pair is None
