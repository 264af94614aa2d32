"""What an enclave is sent does not depend on private pairs, though pairs may end an ask early."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable import engine as engine_module
from answerable.encoders.encoder import Vectors
from answerable.engine import Engine, Terms
from answerable.pairs import joining
from answerable.pairs.answering import PairAnswer, PairEngine
from answerable.pairs.calibration import PairCalibration
from answerable.pairs.early import NAMES as EARLY
from answerable.pairs.early import EarlyReader
from answerable.pairs.pair_settings import PairSettings
from answerable.pairs.several import Several
from answerable.pairs.verify import Verdict
from answerable.privacy.grants import Grant
from answerable.readers.overlap import OverlapReader
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Answer, Asker, Passage, Privacy, QAPair, Query
from tests.laws.worlds import NOW, TABLES, MemoryEnclave, TinyEncoder, Trial, draw, hidden_from, some_text
from tests.test_engine import calibration

Pairs = Mapping[str, Sequence[QAPair]]
NOW_AND_THEN = PairCalibration(
    tuple(12.0 if name in ("score", "borne_out") else 0.0 for name in EARLY), -7.5, 0.5, weighed=EARLY
)
"""How sure of what is read early: sometimes enough."""
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


def asked(trial: Trial, which: int, pairs: Pairs, terms: Terms) -> tuple[Answer, list[tuple[str, object]]]:
    """The trial's question over one of its corpora with these pairs, and everything every enclave was sent."""
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
    engine = Engine(door, OverlapReader(), calibration(0.0), lambda _: None, trial.beam, pairs=same, early=early)
    return engine.ask(trial.question, terms), log


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


def _all_at_once(pairs: PairEngine, query: Query, door: Retriever) -> PairAnswer:
    return pairs.weigh(query, pairs.search(query, door, set(door.enclaves)))


def test_the_law_catches_private_pairs_that_end_an_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "before", _all_at_once)
    rng = random.Random(5)
    told = 0
    for _ in range(120):
        first, second, _ = both(draw(rng), rng)
        told += first != second
    assert told >= 3


def test_what_is_told_below_does_not_depend_on_pairs_above() -> None:
    rng = random.Random(7)
    answered = 0
    for _ in range(60):
        trial = draw(rng, TABLES[:3])
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
    trial = draw(rng)
    answer, _ = asked(trial, 0, some_pairs(rng, trial.corpora[0], trial.question), terms_of(trial))
    read = [hit.label for hop in answer.evidence.hops for hit in hop.hits]
    assert answer.label.issuperset(frozenset().union(*read))
    if all(hop.skill == "match" for hop in answer.evidence.hops):  # it ended early: by public pairs alone
        assert not any(read) and answer.chain is not None
    if answer.pair is not None:
        assert answer.text == answer.pair.answers[0] and trial.table[answer.pair.enclave].label <= answer.label


def test_an_ask_can_leave_pairs_out() -> None:
    rng = random.Random(9)
    trial = draw(rng, TABLES[:1])
    pairs = {name: [QAPair(f"{name}0", trial.question, ("W0",), "", name, 1.0)] for name in trial.table}
    with_pairs, _ = asked(trial, 0, pairs, Terms(privacy=Privacy.DOCUMENT))
    without, log = asked(trial, 0, pairs, Terms(privacy=Privacy.DOCUMENT, pairs=False))
    assert with_pairs.pair is not None and without.pair is None
    assert not any(sent[0] == "pairs" for _, sent in log)  # type: ignore[index]
    assert joining.early is engine_module.early
