"""Asking a corpus its own questions: as the engine asks, as private as the text, and ended early to the same end."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings
from answerable.engine import AskSettings, Engine, Terms
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.grants import standing
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.filtering import WEIGHED, GlobalFilter, chance
from answerable.readers.overlap import OverlapReader
from answerable.readers.reader import best_first
from answerable.retriever import Retriever
from answerable.selective.features import choices
from answerable.types import Asker, Candidate, Chain, Enclave, Passage, Privacy
from answerable.workspace.models import STAND_IN
from tests.contracts.filter import GLASS, LIGHT, FilterContract
from tests.contracts.filter import passage as whole
from tests.laws.worlds import WORDS, MemoryEnclave, Sent, TinyEncoder, corpus, passage, some_text
from tests.qapairs.generation.plain import by_asking

Log = list[tuple[str, Sent]]


class AnyWord:
    """Answers with words of the passage, by chance that is always the same."""

    name = "any word"

    def __init__(self) -> None:
        self.count = 0

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.count += 1
        found = [
            Candidate(word, _chance(question, chain.hits[0].passage.id, word), chain, 0, 0, len(word))
            for chain in chains
            for word in dict.fromkeys(chain.hits[0].passage.text.split())
        ]
        return sorted(found, key=lambda one: (-one.score, one.text, one.chain.key))[:2]


def _chance(*parts: str) -> float:
    return zlib.crc32("\0".join(parts).encode()) % 7 - 3.0


def corpora(log: Log, **texts: list[str]) -> dict[str, MemoryEnclave]:
    return {
        name: MemoryEnclave(name, [passage(name, at, text) for at, text in enumerate(stored)], log)
        for name, stored in texts.items()
    }


class Asking(GlobalFilter):
    """One that also says what it finds: all of it is read, and judged as the stand-in for a reader is."""

    def ask(self, question: str) -> list[tuple[str, float]]:
        chains = self._found([question])[question]
        found = best_first(one for chain in chains for one in self._reader.read(question, [chain]))
        ranked = choices(question, found, chains)
        return [(one.text, STAND_IN.confidence(one.features, one.path)) for one in ranked]


def world(enclave: str, log: Log, table: EnclaveTable, **texts: list[str]) -> Asking:
    door = Retriever(table, corpora(log, **texts), TinyEncoder())
    return Asking(door, table[enclave], AnyWord())


class TestGlobalOverItsCorpus(FilterContract):
    stored = (whole(LIGHT), whole(GLASS, title="Chance Brothers"))
    table = EnclaveTable([public("public")])
    filter = GlobalFilter(
        Retriever(table, {"public": MemoryEnclave("public", stored, [])}, TinyEncoder()),
        table["public"],
        OverlapReader(),
    )


TABLE = EnclaveTable(
    [public("wiki"), mirror("copy"), private("mail"), private("clinic"), private("desk", admits=["mail"])]
)
TEXTS = {name: [f"{name} alpha beta", f"{name} alpha gamma"] for name in TABLE}


@pytest.mark.parametrize(
    ("enclave", "searched"),
    [
        ("mail", {"mail", "copy"}),
        ("clinic", {"clinic", "copy"}),
        ("wiki", {"wiki", "copy"}),
        ("copy", {"wiki", "copy"}),
    ],
)
def test_questions_are_as_private_as_the_text_they_were_made_of(enclave: str, searched: set[str]) -> None:
    """Neither do private questions reach a public enclave, nor does private text settle which public ones are kept."""
    log: Log = []
    own = world(enclave, log, TABLE, **TEXTS)
    own.finds([("what is alpha beta", "beta"), ("what is gamma", "gamma")])
    own.ask("what is alpha")
    assert {name for name, _ in log} == searched
    assert {sent[0] for _, sent in log} == {"what is alpha beta", "what is gamma", "what is alpha"}


@pytest.mark.parametrize("enclave", ["mail", "clinic"])
def test_neither_a_privacy_mode_nor_a_grant_lets_them_out(enclave: str) -> None:
    log: Log = []
    now = datetime.now(UTC)
    grant = standing(Asker("pairs"), ["mail", "clinic", "desk"], "wiki", now - timedelta(hours=1))
    for privacy in Privacy:
        door = Retriever(TABLE, corpora(log, **TEXTS), TinyEncoder(), privacy).under(privacy, (grant,), now)
        Asking(door, TABLE[enclave], AnyWord()).finds([("what is alpha", "beta")])
    assert {name for name, _ in log} == {enclave, "copy"}


def test_enclaves_elsewhere_are_left_alone() -> None:
    log: Log = []
    table = EnclaveTable([public("wiki"), Enclave("far", remote=True)])
    world("wiki", log, table, wiki=["alpha beta"], far=["alpha beta"]).finds([("what is alpha", "beta")])
    assert {name for name, _ in log} == {"wiki"}


@given(seed=st.integers(0, 10**6), read=st.integers(1, 4), polar=st.booleans())
@settings(max_examples=60)
def test_ending_early_never_changes_a_verdict(seed: int, read: int, polar: bool) -> None:
    rng = random.Random(seed)
    table = EnclaveTable([public("wiki"), mirror("copy")])
    indexes = {name: MemoryEnclave(name, corpus(rng, name, 2, 8), []) for name in table}
    reader = AnyWord()
    own = Asking(Retriever(table, indexes, TinyEncoder()), table["wiki"], reader, read=read)
    questions = [("is it " if polar else "") + some_text(rng, 1, 4) for _ in range(4)]
    asked = [(question, rng.choice(WORDS)) for question in questions]
    asked += [(question, answers[0][0]) for question in questions if (answers := own.ask(question))]
    before = reader.count
    verdicts = own.finds(asked)
    lazily, before = reader.count - before, reader.count
    assert [one is not None for one in verdicts] == by_asking(own.ask)(asked)
    assert lazily <= reader.count - before


@given(seed=st.integers(0, 10**6), least=st.floats(-3, 3))
@settings(max_examples=60)
def test_nor_does_ending_where_nothing_can_be_sure(seed: int, least: float) -> None:
    rng = random.Random(seed)
    table, fit = EnclaveTable([public("wiki")]), PairCalibration((1.0,), -least, 0.5, weighed=WEIGHED)
    door = Retriever(table, {"wiki": MemoryEnclave("wiki", corpus(rng, "wiki", 2, 8), [])}, TinyEncoder())
    asked = [(some_text(rng, 1, 4), rng.choice(WORDS)) for _ in range(8)]
    readers = AnyWord(), AnyWord()
    all_read, sure_read = (Asking(door, table["wiki"], one, by) for one, by in zip(readers, (None, fit), strict=True))
    whole, surely = ([chance(one, fit) for one in own.finds(asked)] for own in (all_read, sure_read))
    assert whole == surely and readers[1].count <= readers[0].count


def test_reading_ends_where_the_answer_cannot_be_the_best() -> None:
    reader = AnyWord()
    table = EnclaveTable([public("wiki")])
    indexes = corpora([], wiki=["alpha beta", "alpha gamma", "alpha delta"])
    own = Asking(Retriever(table, indexes, TinyEncoder()), table["wiki"], reader)
    assert own.finds([("what is alpha", "omega")]) == [None] and reader.count == 0


def test_it_asks_as_the_engine_does() -> None:
    """One hop, three passages, nothing else: the same best answer."""
    table = EnclaveTable([public("wiki"), mirror("copy")])
    rng = random.Random(4)
    stored = {name: _facts(rng, name) for name in table}
    indexes = {name: MemoryEnclave(name, ones, []) for name, ones in stored.items()}
    door = Retriever(table, indexes, TinyEncoder())
    own = Asking(door, table["wiki"], OverlapReader())
    engine = Engine(
        door,
        OverlapReader(),
        STAND_IN,
        lambda passage: None,
        BeamSettings(hops=1, k=3, width=3),
        AskSettings(threshold=0.0, read=3),
    )
    answered = 0
    for one in [one for ones in stored.values() for one in ones]:
        question = f"When did the {one.title} burn?"
        answer = engine.ask(question, Terms(Asker("pairs", frozenset(table))))
        found = own.ask(question)
        answered += bool(found)
        assert (found[0] if found else (None, 0.0)) == (answer.text, pytest.approx(answer.confidence))
    assert answered > 8


def _facts(rng: random.Random, enclave: str) -> list[Passage]:
    names = rng.sample(["mill", "barn", "ship", "inn", "church", "school", "tower", "bridge"], 6)
    texts = [(name, f"In {rng.randint(1700, 1900)} the {name} did burn down.") for name in names]
    return [
        Passage(f"{enclave}{n}", f"{enclave}{n}", enclave, name, text, 0, len(text))
        for n, (name, text) in enumerate(texts)
    ]


def test_a_batch_is_encoded_and_searched_once_a_question() -> None:
    log: Log = []
    encoder = TinyEncoder()
    table = EnclaveTable([public("wiki")])
    own = Asking(Retriever(table, corpora(log, wiki=["alpha beta"]), encoder), table["wiki"], AnyWord())
    own.finds([("what is alpha", "beta"), ("what is alpha", "alpha"), ("what is beta", "beta")])
    assert encoder.texts == ["what is alpha", "what is beta"] and len(log) == 2
