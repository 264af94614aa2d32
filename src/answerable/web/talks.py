"""Conversations of those who ask a server: the last few of each, in memory alone."""

from __future__ import annotations

import threading
from collections import OrderedDict

from answerable.types import Answer, Asker
from answerable.workspace.chats import Chat, ChatTurn
from answerable.workspace.terms import Asking
from answerable.workspace.workspace import Workspace

MOST = 20
"""Conversations of one asker; nobody's depend on how many others have."""


class Talks:
    """Conversations by asker, with the clearance they have now, and name. Safe from several threads."""

    def __init__(self) -> None:
        self._held: dict[Asker, OrderedDict[str, tuple[Chat, threading.Lock]]] = {}
        self._lock = threading.Lock()

    def ask(self, workspace: Workspace, asker: Asker, name: str, question: str, asking: Asking) -> Answer:
        """Answer a question that goes on with a conversation. One is answered after the other."""
        with self._lock:
            own = self._held.setdefault(asker, OrderedDict())
            chat, speaking = own.setdefault(name, (workspace.chat(None, asker), threading.Lock()))
            own.move_to_end(name)
            while len(own) > MOST:
                own.popitem(last=False)
        with speaking:
            return chat.ask(question, **asking)

    def context(self, asker: Asker, name: str, question: str) -> list[str]:
        """What a question will be asked with: what was said before that it follows on."""
        held = self._chat(asker, name)
        return [one.text for one in held.context(question)] if held else []

    def turns(self, asker: Asker, name: str) -> tuple[ChatTurn, ...]:
        """What was said in a conversation, oldest first; nothing in one that is not held."""
        held = self._chat(asker, name)
        return held.turns if held else ()

    def _chat(self, asker: Asker, name: str) -> Chat | None:
        with self._lock:
            own = self._held.get(asker)
            held = own.get(name) if own else None
        return held[0] if held else None
