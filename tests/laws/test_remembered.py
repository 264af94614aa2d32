"""What was called good or bad of private answers tells no enclave by what it is sent, and no other asker."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answerable.engine import Engine
from answerable.qapairs.remembered import Judged, Remembered
from answerable.types import PUBLIC, Asker
from answerable.workspace.workspace import Workspace
from tests.laws.test_chats import sent
from tests.laws.test_workspace import CLERK, GUEST, SETTINGS, Sent, _opened, _questions

OWNER = Asker()
Pair = tuple[Workspace, Workspace]
__all__ = ["sent"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two workspaces that differ in nothing but the text of `clinic`; everything found is answered from."""
    yield from _opened(tmp_path_factory, SETTINGS | {"ask.threshold": 0.0, "models.matcher": "hashed"})


def _judge(opened: Workspace, asker: Asker, questions: list[str], verdicts: list[bool | None]) -> None:
    for question, good in zip(questions, verdicts, strict=True):
        answer = opened.ask(question, asker)
        if good is not None and answer.citations:
            opened.remembered.judge(asker, good, answer=answer)


def _asked(opened: Workspace, sent: list[Sent], question: str, asker: Asker) -> tuple[list[Sent], Any]:
    sent.clear()
    answer = opened.ask(question, asker)
    told = replace(answer, seconds=0.0, evidence=replace(answer.evidence, hops=()))
    return [one for one in sent if one[0] == "wiki"], told


def _differ(pair: Pair, sent: list[Sent], seed: int) -> tuple[bool, bool, set[str]]:
    """Whether wiki, and whether those who may not read the clinic, can tell the two apart; and how answers came.

    The owner says other things in each of the two; the clerk and the guest say the same.
    """
    rng = random.Random(seed)
    questions, via = _questions(rng, 3), set[str]()
    theirs = {one: [rng.choice((True, False, None)) for _ in questions] for one in (CLERK, GUEST)}
    for opened in pair:
        for asker in (OWNER, CLERK, GUEST):
            for one in opened.remembered.of(asker):
                opened.remembered.forget(asker, one.id)
        _judge(opened, OWNER, questions, [rng.choice((True, True, False, None)) for _ in questions])
        for asker, verdicts in theirs.items():
            _judge(opened, asker, questions, verdicts)
    wiki = others = False
    for question in questions:
        for asker in (OWNER, CLERK, GUEST):
            first, second = (_asked(opened, sent, question, asker) for opened in pair)
            via |= {first[1].via}
            wiki |= first[0] != second[0]
            others |= asker is not OWNER and first[1] != second[1]
    return wiki, others, via


@given(seed=st.integers(0, 2**32))
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_remembered_of_private_answers_tells_nobody_else(pair: Pair, sent: list[Sent], seed: int) -> None:
    assert _differ(pair, sent, seed)[:2] == (False, False)


def test_the_law_is_not_empty(pair: Pair, sent: list[Sent]) -> None:
    assert "remembered" in _differ(pair, sent, 1)[2]


@pytest.mark.parametrize("leak", ["told to everybody", "used before all is searched", "kept without its label"])
def test_the_law_catches_a_leak(pair: Pair, sent: list[Sent], leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recall = Remembered.recall
    if leak == "told to everybody":
        monkeypatch.setattr(Judged, "told", lambda one, asker: True)
    else:
        monkeypatch.setattr(Engine, "_public", lambda *_: True)
    if leak == "used before all is searched":
        monkeypatch.setattr(Remembered, "recall", lambda self, query, public: recall(self, query, False))
    if leak == "kept without its label":
        monkeypatch.setattr(Remembered, "recall", lambda self, *given: recall(_unlabelled(self), *given))
    assert any(any(_differ(pair, sent, seed)[:2]) for seed in range(2, 8))  # those that show it soon


def _unlabelled(held: Remembered) -> Remembered:
    return replace(held, judged=lambda: [replace(one, label=PUBLIC) for one in held.judged()])
