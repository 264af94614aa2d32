"""Reading where the nearest pairs come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from answerable.engine import Engine, Terms
from answerable.errors import ModelError
from answerable.pairs.calibration import PairCalibration, read_calibrations, write_calibration
from answerable.pairs.near import FILE, NAMES, OTHER_WORDS, NearReader, open_near_calibration
from answerable.pairs.verify import Verdict
from answerable.privacy.enclaves import private, public
from answerable.privacy.taught import Taught
from answerable.readers.overlap import OverlapReader
from answerable.selective.features import choices
from answerable.types import Asker, Skill
from tests.pairs.test_answering import MAIL, WIKI, engine_of, shelf_of
from tests.test_engine import calibration

NEAR = "On which island was the tower of Kõpu Lighthouse put?"


def sure(threshold: float = 0.5, bias: float = 5.0) -> PairCalibration:
    """As sure of everything."""
    return PairCalibration((0.0,) * len(NAMES), bias, threshold, "m", "overlap", weighed=NAMES)


def asking(known: PairCalibration, most: int = 2) -> Engine:
    pairs = engine_of(public("wiki"), private("mail"), threshold=1.0, wiki=shelf_of("wiki", WIKI),
                      mail=shelf_of("mail", MAIL))  # fmt: skip
    near = NearReader(OverlapReader(), known, most)
    return Engine(pairs.door, OverlapReader(), calibration(0.0), pairs.find, pairs=pairs, near=near)


def test_what_is_read_near_ends_an_ask_before_anything_is_searched():
    engine = asking(sure())
    answer = engine.ask(NEAR)
    assert answer.text == "Hiiumaa." and answer.pair is None and answer.confidence > 0.99 and answer.reason is None
    assert [citation.text for citation in answer.citations] == ["Kõpu Lighthouse stands on the island of Hiiumaa."]
    assert [hop.skill for hop in answer.evidence.hops] == [Skill.MATCH] and answer.label == frozenset()
    assert engine.retriever.indexes["wiki"].asked == []  # type: ignore[attr-defined]


def test_what_is_read_near_and_unsure_changes_nothing():
    for doubting in (sure(bias=-5.0), sure(threshold=0.999)):
        engine = asking(doubting)
        one, two = engine.ask(NEAR), replace(engine, near=None).ask(NEAR)
        assert replace(one, seconds=0.0, evidence=two.evidence) == replace(two, seconds=0.0)
        assert [hop.skill for hop in one.evidence.hops] == [hop.skill for hop in two.evidence.hops]


def test_the_threshold_of_an_ask_holds_too():
    engine = asking(sure(bias=2.0))
    assert len(engine.ask(NEAR).evidence.hops) == 1
    strict = replace(engine, settings=replace(engine.settings, threshold=0.95))
    assert len(strict.ask(NEAR).evidence.hops) > 1


def test_only_pairs_that_anybody_may_read_lead_there():
    engine = asking(sure())
    assert engine.near is not None
    engine = replace(engine, near=replace(engine.near, verify=lambda *_: Verdict(True)))
    answer = engine.ask("What name has the job at Kõpu Lighthouse?")
    assert "KESTREL" not in str(answer.text) and answer.label == frozenset()
    mail = engine.ask("What name has the job at Kõpu Lighthouse?", Terms(Asker("me", frozenset({"mail"}))))
    assert {hop.skill for hop in mail.evidence.hops} > {Skill.MATCH}


def test_a_reader_that_learned_from_private_text_does_not_settle_what_is_searched():
    engine = asking(sure())
    taught = replace(engine, taught=Taught(reader=frozenset({"mail"})))
    answer = taught.ask(NEAR)
    assert len(answer.evidence.hops) > 1 and answer.label >= {"mail"}


def test_an_ask_without_pairs_reads_nothing_near():
    assert all(hop.skill != Skill.MATCH for hop in asking(sure()).ask(NEAR, Terms(pairs=False)).evidence.hops)


def test_features_by_hand():
    engine = asking(sure())
    assert engine.pairs is not None and engine.near is not None
    known = engine.pairs.answer(NEAR, Terms(Asker("guest", frozenset({"wiki"}))))
    near = engine.near.read(known)
    assert near is not None and [chain.hits[0].passage.document_id for chain in near.chains] == ["kopu", "hook"]
    first = choices(NEAR, OverlapReader().read(NEAR, near.chains), near.chains)[0]
    pairs = [(pair.passage_id, pair.answers[0], score) for pair, score in known.matched]
    kopu = [row for row in pairs if "kopu" in row[0]]
    same = max((row[2] for row in pairs if row[1] == "Hiiumaa"), default=0.0)
    assert near.features == pytest.approx((*first.features, pairs[0][2], max(row[2] for row in kopu), same,
                                          sum(row[1] == "Hiiumaa" for row in pairs) / 3,
                                          float(pairs[0][1] == "Hiiumaa"), 2 / 3, known.confidence))  # fmt: skip
    assert len(NAMES) == len(near.features)
    one = replace(engine.near, most=1).read(known)
    assert one is not None and len(one.chains) == 1


def test_the_answer_of_a_pair_that_asks_for_something_else_is_not_given():
    engine = asking(sure())
    assert engine.near is not None and engine.pairs is not None
    guest = Terms(Asker("guest", frozenset({"wiki"})))
    for question, kind in (("When was the tower of Kõpu Lighthouse not completed?", "polarity"), (NEAR, "")):
        near = engine.near.read(engine.pairs.answer(question, guest))
        assert near is not None and near.differs == kind
        assert engine.near.confidence(near) == (0.0 if kind else pytest.approx(0.9933, abs=1e-4))
    assert len(engine.ask("When was the tower of Kõpu Lighthouse not completed?").evidence.hops) > 1
    lax = replace(engine.near, verify=lambda *_: Verdict(False, OTHER_WORDS))
    again = lax.read(engine.pairs.answer("When was the tower of Kõpu Lighthouse not completed?", guest))
    assert again is not None and lax.confidence(again) > 0.9


def test_nothing_found_is_nothing_read():
    engine = asking(sure())
    assert engine.pairs is not None and engine.near is not None
    nobody = engine.pairs.answer(NEAR, Terms(Asker("guest", frozenset())))
    assert nobody.matched == () and engine.near.read(nobody) is None


def test_calibrations_are_by_matcher_and_reader(tmp_path: Path):
    assert open_near_calibration("nobody", "nothing") is None
    write_calibration(sure(0.25), tmp_path / "near.json")
    assert open_near_calibration("m", "overlap", tmp_path / "near.json") == sure(0.25)
    with pytest.raises(ModelError, match="other features"):
        read_calibrations(tmp_path / "near.json")


def test_what_ships_fits_what_ships():
    for one in read_calibrations(FILE, NAMES).values():
        assert 0 < one.threshold < 1 and one.fitted_on
