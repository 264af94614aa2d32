"""Reading what the first search finds, before anything more is searched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from answerable.chains.beam import BeamSettings
from answerable.engine import Engine, Terms
from answerable.errors import ModelError
from answerable.privacy.enclaves import private, public
from answerable.privacy.provenance import TrainingProvenance
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.calibration import PairCalibration, read_calibrations, write_calibration
from answerable.qapairs.early_exit import (
    FILE,
    LACKING,
    NAMES,
    TURNED,
    EarlyReader,
    Several,
    about,
    open_early_calibration,
)
from answerable.qapairs.shortcut import PairShortcut, looked
from answerable.qapairs.verify import Verdict
from answerable.readers.overlap import OverlapReader
from answerable.selective.features import choices
from answerable.types import Asker, Hit, Passage, Query, Skill
from tests.qapairs.test_answering import MAIL, WIKI, engine_of, shelf_of
from tests.test_engine import calibration

PUT = "On which island was the tower of Kõpu Lighthouse put?"
GUEST = Terms(Asker("guest", frozenset({"wiki"})))
ONE, MANY = (Several((0.0,) * 256, bias, "hashed-256") for bias in (-1.0, 1.0))


def sure(threshold: float = 0.5, bias: float = 5.0) -> PairCalibration:
    """As sure of everything."""
    return PairCalibration((0.0,) * len(NAMES), bias, threshold, "m", "overlap", weighed=NAMES)


def asking(known: PairCalibration, most: int = 2, several: Several = ONE) -> Engine:
    pairs = engine_of(public("wiki"), private("mail"), threshold=1.0, wiki=shelf_of("wiki", WIKI),
                      mail=shelf_of("mail", MAIL))  # fmt: skip
    early = EarlyReader(OverlapReader(), known, most, several)
    return Engine(pairs.door, OverlapReader(), calibration(0.0), pairs.find, shortcuts=(PairShortcut(pairs, early),))


def shortcut(engine: Engine, **changed: object) -> Engine:
    """The engine with a shortcut that differs."""
    (one,) = engine.shortcuts
    return replace(engine, shortcuts=(replace(one, **changed),))  # type: ignore[type-var]


def early_of(engine: Engine) -> EarlyReader:
    (one,) = engine.shortcuts
    assert isinstance(one, PairShortcut) and one.early is not None
    return one.early


def pairs_of(engine: Engine) -> PairEngine:
    (one,) = engine.shortcuts
    assert isinstance(one, PairShortcut)
    return one.pairs


def found(engine: Engine, question: str = PUT) -> tuple[PairAnswer, list[Hit]]:
    """What a guest's pairs say, and what the first search finds."""
    door, query = pairs_of(engine).door.remembering(), Query(question, GUEST.asker)
    known = pairs_of(engine).weigh(query, door.search_many([query], Skill.MATCH, 10)[0])
    hops = looked(early_of(engine), known, query, door, BeamSettings(k=10))
    return known, [hit for hop in hops or () for hit in hop.hits]


def test_what_is_read_early_ends_an_ask_after_one_search_of_what_all_may_read():
    engine = asking(sure())
    answer = engine.ask(PUT)
    assert answer.text == "Hiiumaa." and answer.pair is None and answer.confidence > 0.99 and answer.reason is None
    assert [citation.text for citation in answer.citations] == ["Kõpu Lighthouse stands on the island of Hiiumaa."]
    assert [(hop.skill, hop.enclave) for hop in answer.evidence.hops] == [
        (Skill.MATCH, "wiki"),
        (Skill.SINGLE, "wiki"),
    ]
    assert answer.label == frozenset() and answer.chain is not None and answer.via == "early"
    assert 0 < answer.seconds < 60
    shelves = engine.retriever.indexes
    assert shelves["wiki"].asked == [PUT] and shelves["mail"].asked == []  # type: ignore[attr-defined]


def test_what_is_read_early_and_unsure_changes_nothing_and_sends_nothing_twice():
    for doubting in (sure(bias=-5.0), sure(threshold=0.999)):
        engine = asking(doubting)
        one, two = engine.ask(PUT), shortcut(asking(doubting), early=None).ask(PUT)
        assert replace(one, seconds=0.0, evidence=two.evidence) == replace(two, seconds=0.0)
        hops = [[(hop.skill, hop.enclave, hop.hits) for hop in answer.evidence.hops] for answer in (one, two)]
        assert hops[0] == hops[1]
        assert engine.retriever.indexes["wiki"].asked.count(PUT) == 1  # type: ignore[attr-defined]


def test_the_threshold_of_an_ask_holds_too():
    engine = asking(sure(bias=2.0))
    assert len(engine.ask(PUT).evidence.hops) == 2
    strict = shortcut(engine, least=0.95)
    assert len(strict.ask(PUT).evidence.hops) > 2


def test_only_what_anybody_may_read_is_read_early():
    engine = asking(sure())
    engine = shortcut(engine, early=replace(early_of(engine), verify=lambda *_: Verdict(True)))
    answer = engine.ask("What name has the job at Kõpu Lighthouse?")
    assert "KESTREL" not in str(answer.text) and answer.label == frozenset()
    mail = engine.ask("What name has the job at Kõpu Lighthouse?", Terms(Asker("me", frozenset({"mail"}))))
    assert {hop.enclave for hop in mail.evidence.hops if not hop.refused} == {"mail"}  # no public pair was near it


def test_a_question_that_is_not_public_is_not_read_early():
    engine = asking(sure())
    known, _ = found(engine)
    door, secret = (
        pairs_of(engine).door.remembering(),
        Query(PUT, Asker("me", label=frozenset({"mail"})), frozenset({"mail"})),
    )
    door.search_many([secret], Skill.MATCH, 10)
    assert (
        door.matched(secret) is not None and looked(early_of(engine), known, secret, door, BeamSettings(k=10)) is None
    )


def test_a_question_of_several_hops_or_in_parts_or_for_a_yes_or_a_no_is_left_to_the_engine():
    assert len(asking(sure()).ask("Does Kõpu Lighthouse stand on the island of Hiiumaa?").evidence.hops) > 2
    whole = asking(sure(), several=MANY).ask(PUT)
    assert len(whole.evidence.hops) > 2 and whole.via == "search"
    assert len(asking(sure()).ask(PUT, Terms(parts=("Kõpu Lighthouse",))).evidence.hops) > 2


def test_a_reader_that_learned_from_private_text_does_not_settle_what_is_searched():
    taught = TrainingProvenance(reader=frozenset({"mail"}))
    engine = asking(sure())
    taught = shortcut(replace(engine, taught=taught), pairs=replace(pairs_of(engine), taught=taught))
    answer = taught.ask(PUT)
    assert len(answer.evidence.hops) > 2 and answer.label >= {"mail"}


def test_an_ask_without_pairs_reads_nothing_early():
    hops = asking(sure()).ask(PUT, Terms(shortcuts=False)).evidence.hops
    assert all(hop.skill != Skill.MATCH for hop in hops) and len(hops) > 2


def test_passages_are_read_one_after_another_until_one_is_sure():
    engine = asking(sure())
    known, hits = found(engine)
    reads = [*early_of(engine).reads(known, hits)]
    assert [[chain.hits[0].passage.id for chain in read.chains] for read in reads] == [["kopu"], ["kopu", "hook"]]
    first = early_of(engine).first(known, hits, 0.9)
    assert first == reads[0] and early_of(engine).first(known, hits, 0.999) is None
    assert [*replace(early_of(engine), most=1).reads(known, hits)] == reads[:1]
    told: list[int] = []

    class Counting(OverlapReader):
        def read(self, question, chains):
            told.append(len(chains))
            return super().read(question, chains)

    replace(early_of(engine), reader=Counting()).first(known, hits, 0.9)
    assert told == [1]


def test_features_by_hand():
    engine = asking(sure())
    known, hits = found(engine)
    _, both = early_of(engine).reads(known, hits)
    own = choices(PUT, OverlapReader().read(PUT, both.chains), both.chains)[0]
    pairs = [(pair.passage_id, pair.answers[0], score) for pair, score in known.matched]
    kopu = [row for row in pairs if row[0] == "kopu"]
    same = max((row[2] for row in pairs if row[1] == "Hiiumaa"), default=0.0)
    assert both.features == pytest.approx((*own.features[:8], pairs[0][2], max(row[2] for row in kopu), same,
                                           sum(row[1] == "Hiiumaa" for row in pairs) / 3,
                                           float(pairs[0][1] == "Hiiumaa"), 2 / 3, known.confidence, 0.5))  # fmt: skip
    assert len(NAMES) == len(both.features)


def test_the_answer_of_a_pair_that_asks_for_something_else_is_not_given():
    engine = asking(sure())
    turned = "When was the tower of Kõpu Lighthouse not completed?"
    for question, kind in ((turned, TURNED), (PUT, "")):
        read = next(early_of(engine).reads(*found(engine, question)))
        assert read.differs == kind
        assert early_of(engine).confidence(read) == (0.0 if kind else pytest.approx(0.9933, abs=1e-4))
    assert len(engine.ask(turned).evidence.hops) > 2
    lax = replace(early_of(engine), verify=lambda *_: Verdict(0.2))
    assert lax.confidence(next(lax.reads(*found(engine, turned)))) > 0.9


def test_a_name_that_the_pair_lacks_and_the_passage_has_does_no_harm():
    engine = asking(sure())
    early = replace(early_of(engine), verify=lambda *_: Verdict(0.2))
    for name, differs in (("Kõpu", ""), ("Sõrve", LACKING)):
        question = f"When was the tower of {name} Lighthouse finished?"
        assert next(early.reads(*found(engine, question))).differs == differs
        assert next(early_of(engine).reads(*found(engine, question))).differs == differs


@pytest.mark.parametrize(
    ("question", "there"),
    [
        ("Who lit Kõpu in 1531?", True),
        ("who lit it?", True),
        ("Who lit Kopu in 1532?", False),
        ("Who lit Sõrve in 1531?", False),
    ],
)
def test_a_passage_is_about_all_the_names_and_numbers_of_a_question(question, there):
    assert about(question, Passage("", "", "", "Kõpu", "The tower was lit in 1531.", 0, 26)) is there


def test_nothing_found_is_nothing_read():
    engine = asking(sure())
    known, hits = found(engine)
    assert [*early_of(engine).reads(replace(known, matched=(), hops=()), hits)] == []
    assert [*early_of(engine).reads(known, [])] == []


def test_what_is_read_is_trusted_only_where_it_was_fitted(tmp_path: Path):
    assert open_early_calibration("nobody", "nothing") is None
    write_calibration(sure(0.25), tmp_path / "early.json")
    assert open_early_calibration("m", "overlap", tmp_path / "early.json") == sure(0.25)
    (tmp_path / "early.json").write_text("[{}]")
    with pytest.raises(ModelError, match="cannot be read"):
        open_early_calibration("m", "overlap", tmp_path / "early.json")
    shipped = read_calibrations(FILE, NAMES)
    assert {reader for _, reader in shipped} == {"span"} and all(0 < one.threshold < 1 for one in shipped.values())
