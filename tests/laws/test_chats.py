"""A conversation tells an enclave nothing that one ask would not: what was read before keeps its label."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answerable.chains.following import Said
from answerable.indexes.enclave import EnclaveIndex
from answerable.types import Asker
from answerable.workspace import chats
from answerable.workspace.workspace import Workspace
from tests.laws.test_workspace import CLERK, GUEST, NAMES, SETTINGS, WORKS, Sent, _opened

FOLLOWING = ("And when?", "why?", "Who sold it?", "what about the other one?", "Which of them is older?")
ASKERS = (Asker(), CLERK, GUEST)
Pair = tuple[Workspace, Workspace]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two workspaces that differ in nothing but the text of `clinic`; everything found is answered from."""
    yield from _opened(tmp_path_factory, SETTINGS | {"ask.threshold": 0.0})


@pytest.fixture(scope="module")
def sent() -> Iterator[list[Sent]]:
    """What every index is sent, in order."""
    log: list[Sent] = []
    search = EnclaveIndex.search

    def listening(self: EnclaveIndex, text: str, vector: Any, mode: Any, k: int) -> Any:
        log.append((self.enclave, text, None if vector is None else vector.tobytes(), mode, k))
        return search(self, text, vector, mode, k)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EnclaveIndex, "search", listening)
        yield log


def _turns(rng: random.Random) -> list[tuple[str, str]]:
    """Questions, most of which follow on, each with its privacy mode."""
    made = [f"When was {rng.choice(WORKS)} of {rng.choice(NAMES)} completed?"]
    made += [rng.choice((*FOLLOWING, f"Who saw {rng.choice(NAMES)}?")) for _ in range(2)]
    return [(question, rng.choice(("document", "document", "document", "query"))) for question in made]


def _told(opened: Workspace, sent: list[Sent], turns: list[tuple[str, str]], asker: Asker) -> tuple[Any, Any]:
    """What wiki was sent over a conversation, and the answers."""
    chat, told, answers = opened.chat(None, asker), [], []
    for question, privacy in turns:
        sent.clear()
        answers.append(chat.ask(question, privacy=privacy))
        told.append([one for one in sent if one[0] == "wiki"])
    return told, [replace(one, seconds=0.0, evidence=replace(one.evidence, hops=())) for one in answers]


def _differ(pair: Pair, sent: list[Sent], seed: int, askers: Sequence[Asker] = ASKERS) -> tuple[bool, bool]:
    """Whether wiki, and whether an asker who may not read the clinic, can tell the two apart."""
    rng = random.Random(seed)
    asker, turns = rng.choice(askers), _turns(rng)
    first, second = (_told(opened, sent, turns, asker) for opened in pair)
    return first[0] != second[0], asker != Asker() and first[1] != second[1]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_conversation_tells_nobody_of_hidden_text(pair: Pair, sent: list[Sent], seed: int) -> None:
    assert _differ(pair, sent, seed) == (False, False)


def test_the_law_is_not_empty(pair: Pair, sent: list[Sent]) -> None:
    """Wiki is sent the question before with what follows on, for a guest the answer too; the owner's answers differ."""
    question, whole = "When was the tower of Kopu completed?", "why? When was the tower of Kopu completed?"
    turns = [(question, "document"), ("And why?", "document")]
    owner = [_told(opened, sent, turns, Asker()) for opened in pair]
    assert {told[1][0][1] for told, _ in owner} == {whole} and owner[0][1] != owner[1][1]
    told, answers = _told(pair[0], sent, turns, GUEST)
    assert told[1][0][1] == f"{whole} {answers[0].text}"


@pytest.mark.parametrize("leak", ["without its label", "with the label of what was found"])
def test_the_law_catches_an_answer_that_is_joined_wrongly(
    pair: Pair, sent: list[Sent], leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if leak == "without its label":
        said = property(lambda turn: (Said(turn.question, turn.asked), Said(turn.answer) if turn.answer else None))
        monkeypatch.setattr(chats.ChatTurn, "said", said)
    else:
        monkeypatch.setattr(chats, "reachable", lambda query, table: query.label)
        monkeypatch.setattr(chats.Chat, "ask", _quoting(chats.Chat.ask))
    assert any(_differ(pair, sent, seed, ASKERS[:1])[0] for seed in range(40))


def _quoting(ask: Any) -> Any:
    """Keeps of an answer's label what its own chain carries, as if the others had not been read."""

    def asked(self: chats.Chat, question: str, **asking: Any) -> Any:
        answer = ask(self, question, **asking)
        own = answer.chain.hits if answer.chain else ()
        self._said[-1] = replace(self._said[-1], label=frozenset().union(*(hit.label for hit in own)))
        return answer

    return asked
