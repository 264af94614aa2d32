"""What another process indexes, or deletes, while a workspace is served: noticed without a start anew."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from answerable.errors import AnswerableError
from answerable.workspace.workspace import Workspace

CHECK = 1.0
"""Seconds between looks, and for which nothing more may have been written before what was is looked into."""
SHARE = 10
"""Times as long as a look took, nobody looks again."""


class Follower:
    """Looks after a workspace, at most once a second. Safe from several threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known = self._last = workspace.library.changes()
        self._next = 0.0
        self._looking = threading.Lock()

    def look(self) -> None:
        """Have the workspace asked as it is now, where another process has written to it and rests."""
        began = time.monotonic()
        if began < self._next or not self._looking.acquire(blocking=False):
            return
        try:
            with suppress(AnswerableError):  # the same is said to whoever asks
                now = self._workspace.library.changes()
                if now == self._last != self._known and self._workspace.reopen():
                    self._known = now
                self._last = now
        finally:
            ended = time.monotonic()
            self._next = ended + max(CHECK, SHARE * (ended - began))
            self._looking.release()
