"""The table of routes, one declaration each: from it come the application, its description and its tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from answerable.privacy.trace import records
from answerable.types import Asker, Hop, Privacy
from answerable.web.answers import Told
from answerable.web.models import Nothing, Sent
from answerable.web.talks import Talks
from answerable.workspace.workspace import Workspace

Record = Mapping[str, Any]
Tell = Callable[[str, Record], None]
_STRICTNESS = [*Privacy]
"""From the least private to the most."""


class Cancelled(Exception):
    """Whoever asked is gone, or has waited too long: the work ends at the next hop."""


class Forbidden(Exception):
    """Only an owner may do this. Says what, never whether what it was about is there."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request on the thread that works on it: of whom, and where to tell what is found meanwhile.

    `files`: what was uploaded. `over`: set when nobody waits any more. `base`: the address the server was reached by.
    `talks`: the server's conversations.
    """

    workspace: Workspace
    asker: Asker
    tell: Tell | None = None
    files: tuple[Path, ...] = ()
    over: threading.Event = field(default_factory=threading.Event)
    base: str = "/"
    talks: Talks = field(default_factory=Talks)

    @property
    def owner(self) -> bool:
        """Whether who asks may read and change everything."""
        return self.asker.clearance is None

    def event(self, name: str, record: Record) -> None:
        """Tell whoever follows. Raises `Cancelled` where nobody waits any more."""
        if self.over.is_set():
            raise Cancelled
        if self.tell:
            self.tell(name, record)

    def hop(self, hop: Hop) -> None:
        """Tell of a search as `explain` does at the end: redacted for the asker, so that none is told what is not told
        there."""
        table = self.workspace.enclaves()
        shown = records([hop], self.asker, table)
        if not shown and self.over.is_set():
            raise Cancelled
        for record in shown:
            self.event("hop", record)

    def may_loosen(self, privacy: Privacy | None, *others: object) -> None:
        """Raise `Forbidden` where less privacy, or a grant, is asked for by somebody who is not the owner."""
        least = _STRICTNESS.index(self.workspace.settings.ask.privacy)
        if not self.owner and (any(others) or (privacy and _STRICTNESS.index(privacy) < least)):
            raise Forbidden("let more be sent")


Handler = Callable[[Call, Any], Record]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a route speaks where it is not as the others: of a protocol that is not ours.

    `streams`: whether what was sent asks for a stream. `event`: one event of it, by its name; the last has none.
    `told`: a refusal.
    """

    streams: Callable[[Any], bool]
    event: Callable[[str, Record], bytes]
    told: Callable[[Exception], Record]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One route. `handle` works on a thread of its own; its docstring is the description.

    `streams`: the name of the last event of a stream; None: there is none. `changes`: it alters what is held. `owner`:
    for owners alone. `open`: needs no token. `uploads`: takes files, as multipart/form-data. `manner`: None: ours.
    """

    method: Literal["GET", "POST", "DELETE"]
    path: str
    handle: Handler
    returns: type[Told]
    takes: type[Sent] = Nothing
    streams: str | None = None
    changes: bool = False
    owner: bool = False
    open: bool = False
    uploads: bool = False
    manner: Manner | None = None

    @property
    def name(self) -> str:
        """What it is called: `GET /v1/status`."""
        return f"{self.method} {self.path}"
