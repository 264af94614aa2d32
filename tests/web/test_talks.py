"""Conversations that a server keeps in memory."""

from __future__ import annotations

from answerable.types import Asker
from answerable.web.talks import MOST
from tests.web.conftest import Web

READER = Asker("reader", frozenset({"wiki"}))


def test_a_program_goes_on_with_a_conversation(web: Web) -> None:
    def ask(question: str, chat: str) -> str:
        return str(web.ask("POST", "/v1/ask", {"question": question, "chat": chat, "explain": True}).record)

    ask("Who built Hook Lighthouse?", "one")
    followed, alone = ask("And where does it stand?", "one"), ask("And where does it stand?", "two")
    assert "It stands in Ireland." in followed and followed != alone


def test_the_conversations_of_one_asker_are_few_and_their_own(web: Web) -> None:
    talks = web.app.talks
    owner = web.workspace.asker(None)
    talks.ask(web.workspace, owner, "mine", "Who built Hook Lighthouse?", {})
    for number in range(MOST + 1):
        talks.ask(web.workspace, READER, f"n{number}", "Who built Hook Lighthouse?", {"hops": 1})
    assert talks.turns(READER, "n0") == () and len(talks.turns(READER, f"n{MOST}")) == 1
    assert len(talks.turns(owner, "mine")) == 1 and talks.turns(READER, "mine") == ()
    narrowed = Asker("reader", frozenset())  # whoever may read less begins anew
    assert talks.turns(narrowed, "n5") == ()
