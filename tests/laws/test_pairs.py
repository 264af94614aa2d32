"""What an enclave is sent does not depend on private pairs, though pairs may end an ask early."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings
from answerable.chains.plan import Planned
from answerable.chains.shortcuts import Shortcut
from answerable.encoders.encoder import Vectors
from answerable.engine import Engine, Terms
from answerable.errors import EnclaveError
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.grants import Grant
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.early_exit import NAMES as EARLY
from answerable.qapairs.early_exit import EarlyReader, Several
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.shortcut import PairShortcut
from answerable.qapairs.verify import Verdict
from answerable.readers.overlap import OverlapReader
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Answer, Asker, Evidence, Passage, Privacy, QAPair, Query, Skill
from tests.laws.worlds import NOW, TABLES, MemoryEnclave, TinyEncoder, Trial, at_least, draw, hidden_from, some_text
from tests.test_engine import calibration

Pairs = Mapping[str, Sequence[QAPair]]
NOW_AND_THEN = PairCalibration(
    tuple(12.0 if name in ("score", "borne_out") else 0.0 for name in EARLY), -7.5, 0.5, weighed=EARLY
)
"""How sure of what is read early: sometimes enough."""
STOPPED = "a shortcut reached private text"
ONE_HOP = Several((0.0,) * 16, -1.0, "tiny")


class TinyMatcher:
    """Questions as the encoder of the laws sees any text."""

    name, dimension = "tiny", 16

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        return TinyEncoder().encode_passages([("", question) for question in questions])


@dataclass
class LoggedPairs:
    """The pairs of one enclave; all it is sent goes into the log of the enclave."""

    name: str
    held: Sequence[QAPair]
    log: list[tuple[str, object]]
    matcher: str = "tiny"

    @property
    def count(self) -> int:
        return len(self.held)

    def search(self, vectors: Vectors, k: int) -> list[list[tuple[QAPair, float]]]:
        self.log.append((self.name, ("pairs", vectors.tobytes(), k)))
        rows = TinyMatcher().encode_questions([pair.question for pair in self.held]) if self.held else ()
        found = []
        for vector in vectors:
            scored = [(pair, float((row * vector).sum())) for pair, row in zip(self.held, rows, strict=True)]
            found.append(sorted(scored, key=lambda one: (-one[1], one[0].id))[:k])
        return found


def asking(rng: random.Random, tables: Sequence[EnclaveTable] = TABLES) -> Trial:
    """A trial whose question asks for a short answer, as one word alone does not."""
    trial = draw(rng, tables)
    return replace(trial, question=f"{trial.question}?")


def some_pairs(rng: random.Random, stored: Mapping[str, Sequence[Passage]], question: str) -> Pairs:
    """For some passages a question or two, now and then the one that is asked."""
    made: dict[str, list[QAPair]] = {}
    for name, passages in stored.items():
        for passage in passages:
            for number in range(rng.choice((0, 1, 2))):
                asked = question if rng.random() < 0.2 else some_text(rng, 1, 5)
                answer = rng.choice(passage.text.split())
                pair = QAPair(f"{passage.id}-{number}", asked, (answer,), passage.id, name, rng.random())
                made.setdefault(name, []).append(pair)
    return made


def asked(
    trial: Trial, which: int, pairs: Pairs, terms: Terms, shortcuts: tuple[Shortcut, ...] = ()
) -> tuple[Answer, list[tuple[str, object]]]:
    """The trial's question over one of its corpora with these pairs, and everything every enclave was sent.

    `shortcuts`: those, in place of pairs.
    """
    log: list[tuple[str, object]] = []
    stored = trial.corpora[which]
    indexes = {name: MemoryEnclave(name, ones, log) for name, ones in stored.items()}  # type: ignore[arg-type]
    held = {name: LoggedPairs(name, pairs.get(name, ()), log) for name in trial.table}
    how = RetrieverSettings(trial.mode)
    door = Retriever(
        trial.table, indexes, TinyEncoder(), trial.privacy, how, modes=trial.modes, pairs=held, matcher=TinyMatcher()
    )
    same = PairEngine(door, verify=lambda *_: Verdict(True), settings=PairSettings(threshold=0.9))
    early = EarlyReader(OverlapReader(), NOW_AND_THEN, 3, ONE_HOP)
    shortcuts = shortcuts or (PairShortcut(same, early),)
    engine = Engine(door, OverlapReader(), calibration(0.0), lambda _: None, trial.beam, shortcuts=shortcuts)
    try:
        return engine.ask(trial.question, terms), log
    except EnclaveError:
        return Answer(None, STOPPED, 0.0, PUBLIC, (), None, (), Evidence((), ()), 0.0), log


def terms_of(trial: Trial, asker: Asker | None = None, grants: tuple[Grant, ...] | None = None) -> Terms:
    chosen = trial.grants if grants is None else grants
    return Terms(asker or trial.asker, trial.privacy, grants=chosen, at=NOW)


def both(trial: Trial, rng: random.Random) -> tuple[list[object], list[object], bool]:
    """What the observer was sent with two sets of hidden pairs and hidden corpora; whether the first ended early."""
    hidden = hidden_from(trial.table[trial.observer], trial.table, trial.grants)
    common = some_pairs(rng, {n: p for n, p in trial.corpora[0].items() if n not in hidden}, trial.question)
    seen, early = [], False
    for which in (0, 1):
        own = some_pairs(rng, {n: p for n, p in trial.corpora[which].items() if n in hidden}, trial.question)
        answer, log = asked(trial, which, {**common, **own}, terms_of(trial))
        seen.append([sent for name, sent in log if name == trial.observer])
        early = early or (trial.beam.hops > 1 and not any(hop.skill == "expanded" for hop in answer.evidence.hops))
    return seen[0], seen[1], early


@pytest.mark.parametrize("granting", [False, True])
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_an_enclave_cannot_tell_hidden_pairs_apart(table: int, granting: bool) -> None:
    rng = random.Random(table)
    searched = ended = 0
    for number in range(30):
        trial = draw(rng, [TABLES[table]], granting=granting)
        first, second, early = both(trial, rng)
        assert first == second, f"trial {number} of table {table}"
        searched, ended = searched + len(first), ended + early
    assert searched > 15
    assert ended or not any(not one.label for one in TABLES[table].values()) or table in (5, 6)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_any_seed(seed: int) -> None:
    rng = random.Random(seed)
    first, second, _ = both(draw(rng, granting=rng.random() < 0.5), rng)
    assert first == second


def _lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view of the door that shows everything."""
    monkeypatch.setattr(Retriever, "public", lambda door: door)


def test_the_law_catches_private_pairs_that_end_an_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    _lie(monkeypatch)
    monkeypatch.setattr(Retriever, "reached", frozenset())
    monkeypatch.setattr(Engine, "_public", lambda *_: True)
    rng = random.Random(5)
    assert at_least(3, (first != second for first, second, _ in (both(draw(rng), rng) for _ in range(120))))


class Greedy:
    """A shortcut that searches whatever it can reach, in every way there is, and ends the ask with what it found.

    Without `reaching` it goes through the door alone, not to the indexes behind it.
    """

    def __init__(self, reaching: bool = True) -> None:
        self.reaching = reaching

    def begin(self, query: Query, public: Retriever, beam: BeamSettings, whole: bool) -> Greedy:
        k = beam.k
        hops = [*public.search(query, Skill.SINGLE, k), *public.search(query, Skill.MATCH, k)]
        hops += public.search_many([query], Skill.MATCH, k, among=set(public.enclaves))[0]
        hops += [hop for one in public.enclaves.values() for hop in public.search(query, Skill.SINGLE, k, one.label)]
        public.search(query, Skill.SINGLE, k, ahead=k)
        for index in public.indexes.values() if self.reaching else ():
            index.search(query.text, None, "lexical", k)
        for pairs in public.pairs.values() if self.reaching else ():
            pairs.search(TinyMatcher().encode_questions([query.text]), k)
        self.answer = Answer("x", None, 1.0, query.label, (), None, (), Evidence((), tuple(hops)), 0.0)
        return self

    def plan(self, query: Query, retriever: Retriever) -> tuple[Planned, ...]:
        return ()

    def join(self, query: Query, gathered: Evidence, retriever: Retriever) -> Greedy:
        raise AssertionError("the ask has ended")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_shortcut_reaches_public_text_alone(seed: int) -> None:
    rng = random.Random(seed)
    trial = asking(rng)
    pairs = some_pairs(rng, trial.corpora[0], trial.question)
    answer, log = asked(trial, 0, pairs, terms_of(trial), (Greedy(),))
    public = {name for name, one in trial.table.items() if not one.label}
    assert {name for name, _ in log} <= public and answer.text == "x"
    assert {hop.enclave for hop in answer.evidence.hops} <= public


def test_where_a_view_lies_the_ask_ends_there(monkeypatch: pytest.MonkeyPatch) -> None:
    _lie(monkeypatch)
    rng = random.Random(11)
    stopped = 0
    for _ in range(60):
        trial = asking(rng)
        pairs = some_pairs(rng, trial.corpora[0], trial.question)
        answer, log = asked(trial, 0, pairs, terms_of(trial), (Greedy(reaching=False),))
        private = any(trial.table[name].label for name, _ in log)
        assert (answer.reason == STOPPED) == private
        stopped += private
    assert stopped > 10


def test_what_is_told_below_does_not_depend_on_pairs_above() -> None:
    rng = random.Random(7)
    answered = 0
    for _ in range(60):
        trial = asking(rng, TABLES[:3])
        low = Asker("guest", frozenset(name for name, one in trial.table.items() if not one.label))
        readable = {n: p for n, p in trial.corpora[0].items() if n in (low.clearance or ())}
        common = some_pairs(rng, readable, trial.question)
        told = []
        for _ in range(2):
            above = {n: p for n, p in trial.corpora[0].items() if n not in readable}
            own = some_pairs(rng, above, trial.question)
            answer, _ = asked(replace(trial, privacy=Privacy.DOCUMENT), 0, {**common, **own}, terms_of(trial, low, ()))
            hops = [hop for hop in answer.evidence.hops if hop.enclave in readable]
            told.append((replace(answer, seconds=0.0, evidence=answer.evidence.__class__((), ())),
                         [(hop.skill, hop.refused, hop.hits) for hop in hops]))  # fmt: skip
        assert told[0] == told[1]
        answered += told[0][0].pair is not None
    assert answered > 3


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_labels_cover_what_was_weighed(seed: int) -> None:
    rng = random.Random(seed)
    trial = asking(rng)
    answer, _ = asked(trial, 0, some_pairs(rng, trial.corpora[0], trial.question), terms_of(trial))
    read = [hit.label for hop in answer.evidence.hops for hit in hop.hits]
    assert answer.label.issuperset(frozenset().union(*read))
    if all(hop.skill == "match" for hop in answer.evidence.hops):  # it ended early: by public pairs alone
        assert not any(read) and answer.chain is not None
    if answer.pair is not None:
        assert answer.text == answer.pair.answers[0] and trial.table[answer.pair.enclave].label <= answer.label


def test_an_ask_can_leave_pairs_out() -> None:
    rng = random.Random(9)
    trial = asking(rng, TABLES[:1])
    pairs = {name: [QAPair(f"{name}0", trial.question, ("W0",), "", name, 1.0)] for name in trial.table}
    with_pairs, _ = asked(trial, 0, pairs, Terms(privacy=Privacy.DOCUMENT))
    without, log = asked(trial, 0, pairs, Terms(privacy=Privacy.DOCUMENT, shortcuts=False))
    assert with_pairs.pair is not None and without.pair is None
    assert not any(sent[0] == "pairs" for _, sent in log)  # type: ignore[index]
