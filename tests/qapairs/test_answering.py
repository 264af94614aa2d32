"""Questions answered from pairs in memory, behind the real door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.engine import Terms
from answerable.errors import EnclaveError, IndexMismatch
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.verify import Verdict
from answerable.retriever import Retriever
from answerable.types import Asker, Document, Enclave, Passage, Privacy, QAPair, Skill
from tests.qapairs.memory import MemoryPairs, WordMatcher, pair
from tests.test_engine import Shelf

WIKI = {
    "kopu": "Kõpu Lighthouse stands on the island of Hiiumaa. Kõpu Lighthouse had its tower completed in 1531.",
    "hook": "Hook Lighthouse stands in Ireland. William Marshal built the tower.",
}
MAIL = {"birds": "From today the job at Kõpu Lighthouse is called KESTREL on all sheets."}
ASKED = {
    "kopu": [
        ("When was the tower of Kõpu Lighthouse completed?", "1531"),
        ("Where does Kõpu Lighthouse stand?", "Hiiumaa"),
    ],
    "hook": [("Who built the tower of Hook Lighthouse?", "William Marshal")],
    "birds": [("What is the job at Kõpu Lighthouse called?", "KESTREL")],
}


def shelf_of(name: str, texts: dict[str, str]) -> tuple[Shelf, MemoryPairs]:
    shelf = Shelf(name, texts)
    pairs = [pair(q, a, shelf.passages([i])[0]) for i in texts for q, a in ASKED[i]]
    return shelf, MemoryPairs(pairs)


def engine_of(*enclaves: Enclave, threshold: float = 0.5, **given: tuple[Shelf, MemoryPairs]) -> PairEngine:
    shelves = {name: shelf for name, (shelf, _) in given.items()}
    pairs = {name: held for name, (_, held) in given.items()}
    door = Retriever(EnclaveTable(enclaves), shelves, HashedEncoder(), pairs=pairs, matcher=WordMatcher())

    def find(passage: Passage) -> Document | None:
        return shelves[passage.enclave].documents.get(passage.document_id)

    return PairEngine(door, settings=PairSettings(threshold=threshold), find=find)


@pytest.fixture
def both() -> dict[str, tuple[Shelf, MemoryPairs]]:
    return {"wiki": shelf_of("wiki", WIKI), "mail": shelf_of("mail", MAIL)}


def test_an_answer_shows_the_pair_and_is_cited_word_for_word(both):
    engine = engine_of(public("wiki"), private("mail"), **both)
    found = engine.answer("Who built the tower of the Hook Lighthouse?")
    assert found.text == "William Marshal" and found.reason is None and found.confidence >= 0.5
    assert found.pair is not None and found.pair.question == "Who built the tower of Hook Lighthouse?"
    assert [citation.text for citation in found.citations] == ["William Marshal built the tower."]
    assert found.matched[0][0] == found.pair and found.label == {"mail"}  # a pair of the mail was weighed too


def test_nothing_like_it_is_no_answer_and_says_why(both):
    engine = engine_of(public("wiki"), private("mail"), **both)
    found = engine.answer("How deep is the harbour?")
    assert found.text is None and found.citations == () and found.pair is not None
    assert found.reason == "the best pair has confidence 0.00, below the threshold 0.50" and found.confidence > 0
    unlike = engine.answer("By whom was the lighthouse tower constructed at Hook?")
    assert unlike.text is None and "below the threshold 0.50" in str(unlike.reason)
    empty = engine_of(public("wiki"), wiki=(both["wiki"][0], MemoryPairs([])))
    assert empty.answer("Who built it?").reason == "no pair was found for this question"


def test_the_threshold_decides(both):
    sure, unsure = (engine_of(public("wiki"), wiki=both["wiki"], threshold=t) for t in (0.0, 1.0))
    question = "Where does the lighthouse of Kõpu stand?"
    assert sure.answer(question).text == "Hiiumaa"
    kept = unsure.answer(question)
    assert kept.text is None and kept.pair is not None and kept.confidence == sure.answer(question).confidence


def test_a_batch_answers_as_one_by_one(both):
    engine = engine_of(public("wiki"), private("mail"), **both)
    questions = [q for own in ASKED.values() for q, _ in own] + ["Who built what?", "Nothing of the kind"]
    alone = [replace(engine.answer(one), seconds=0.0, hops=()) for one in questions]
    assert [replace(one, seconds=0.0, hops=()) for one in engine.answer_many(questions)] == alone
    assert engine.answer_many([]) == []
    quick = engine.answer_many(questions, citing=False)
    assert all(not one.citations for one in quick) and [one.text for one in quick] == [one.text for one in alone]


def test_pairs_are_searched_under_the_flow_rule(both):
    engine = engine_of(public("wiki"), private("mail"), **both)
    guest = Terms(Asker("guest", frozenset({"wiki"})))
    found = engine.answer("What is the job at Kõpu Lighthouse called?", guest)
    assert both["mail"][1].sent == [] and found.label == frozenset() and found.text is None
    assert [hop.enclave for hop in found.hops if hop.refused] == ["mail"]
    hidden = engine.answer("Who built the tower of Hook Lighthouse?", Terms(privacy=Privacy.QUERY))
    assert len(both["wiki"][1].sent) == 1  # the guest's; the private question went nowhere
    assert hidden.text is None and "wiki could not be asked under this privacy" in str(hidden.reason)
    with pytest.raises(EnclaveError):
        engine.answer("Who?", Terms(Asker("guest", frozenset({"attic"}))))


def test_what_is_told_below_does_not_depend_on_private_pairs(both):
    guest = Terms(Asker("guest", frozenset({"wiki"})))
    with_mail = engine_of(public("wiki"), private("mail"), **both)
    without = engine_of(public("wiki"), private("mail"), wiki=both["wiki"])
    for question in [q for own in ASKED.values() for q, _ in own]:
        one, two = (replace(e.answer(question, guest), seconds=0.0, hops=()) for e in (with_mail, without))
        assert one == two


class Backwards:
    """A reranker that likes short questions, much more than any distance counts."""

    name = "backwards"

    def rerank(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        return np.array([-100.0 * len(q) for q, _ in pairs], np.float32)


class Silent:
    """A reranker to which all pairs are the same."""

    name = "silent"

    def rerank(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        return np.zeros(len(pairs), np.float32)


class Counted(Silent):
    """The first, which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rerank(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        self.asked.append(question)
        return super().rerank(question, pairs)


def test_lazily_nothing_is_read_again_where_no_pair_can_ask_the_same(both):
    told = Counted()
    engine = replace(engine_of(public("wiki"), wiki=both["wiki"]), reranker=told)
    asked = ["When was the tower of Kõpu Lighthouse completed?", "Which ports pay dues?"]
    wholly, lazily = engine.answer_many(asked), engine.answer_many(asked, lazily=True)
    assert told.asked == [*asked, asked[0]]
    assert [one.text for one in lazily] == [one.text for one in wholly] == ["1531", None]


def test_the_first_pair_is_weighed_however_probably_another_asks_the_same(both):
    likely = {"Where does Kõpu Lighthouse stand?": 0.9, "When was the tower of Kõpu Lighthouse completed?": 0.6}
    engine = replace(
        engine_of(public("wiki"), wiki=both["wiki"]), verify=lambda _, told: Verdict(likely.get(told, 0.1))
    )
    found = engine.answer("When does the tower of Kõpu Lighthouse stand?")
    assert found.pair == found.matched[0][0] and found.pair is not None
    assert found.pair.question == "When was the tower of Kõpu Lighthouse completed?"
    assert found.features[-1] == pytest.approx(np.log(0.6 / 0.4))


def test_a_reranker_decides_the_order(both):
    engine = replace(engine_of(public("wiki"), wiki=both["wiki"]), reranker=Backwards())
    found = engine.answer("When was the tower of Kõpu Lighthouse completed?")
    lengths = [len(one.question) for one, _ in found.matched]
    assert lengths == sorted(lengths) and engine.k == 10
    found = replace(engine, reranker=Silent()).answer("When was the tower of Kõpu Lighthouse completed?")
    scores = [score for _, score in found.matched]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) > 1  # where it says nothing, the distance does
    off = replace(engine, settings=PairSettings(rerank=0, threshold=0.5))
    assert off.answer("When was the tower of Kõpu Lighthouse completed?").text == "1531"


def test_a_pair_whose_passage_is_gone_is_gone_and_one_without_a_passage_is_not(both):
    shelf, held = both["wiki"]
    del shelf.documents["hook"]
    imported = QAPair("x", "Who keeps the lamp?", ("Jaan",), "", "wiki", 0.5)
    engine = engine_of(public("wiki"), wiki=(shelf, MemoryPairs([*held.pairs, imported])))
    assert all(
        pair.passage_id != "hook" for pair, _ in engine.answer("Who built the tower of Hook Lighthouse?").matched
    )
    found = engine.answer("Who keeps the lamp?")
    assert found.text == "Jaan" and found.citations == ()


def test_pairs_of_another_matcher_or_enclave_are_refused(both):
    shelf, held = both["wiki"]
    foreign = MemoryPairs(held.pairs, matcher="other")
    with pytest.raises(IndexMismatch, match="other"):
        engine_of(public("wiki"), wiki=(shelf, foreign)).answer("Who?")
    mixed = MemoryPairs([replace(one, enclave="mail") for one in held.pairs])
    with pytest.raises(IndexMismatch):
        engine_of(public("wiki"), wiki=(shelf, mixed)).answer("Who?")


@given(st.text(min_size=1, max_size=40))
def test_any_question_gets_an_answer_or_a_reason(question):
    found = engine_of(public("wiki"), wiki=shelf_of("wiki", WIKI)).answer(question)
    assert (found.text is None) == (found.reason is not None) and 0 <= found.confidence <= 1


def test_the_door_searches_pairs_by_its_own_skill(both):
    door = engine_of(public("wiki"), private("mail"), **both).door
    from answerable.types import Query

    hops = door.search(Query("Who built the tower?"), Skill.MATCH, 2)
    assert [hop.enclave for hop in hops] == ["wiki", "mail"]
    for hop in hops:
        assert len(hop.hits) <= 2 and all(hit.pair and hit.pair.passage_id == hit.passage.id for hit in hop.hits)
        assert all(hit.label == door.enclaves[hop.enclave].label for hit in hop.hits)
