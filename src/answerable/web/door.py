"""How requests of one kind come in, and how they are answered: programs send and get JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from answerable.types import Asker
from answerable.web import sending
from answerable.web.models import Sent
from answerable.web.table import Call, Endpoint, Record

if TYPE_CHECKING:
    from answerable.web.app import WorkspaceApp

Shown = Callable[[str, Record], bytes]
"""Makes one event of a stream, by its name and record; it may be called from a thread."""


class Door:
    """One kind of request, as programs send it: JSON by a token. `showing.Pages` is the other."""

    def __init__(self, app: WorkspaceApp) -> None:
        self._app = app

    def asker(self, request: Request) -> Asker:
        """Who asks, which counts as a request of theirs. Raises `HTTPException`."""
        return self._app.asker(request)

    async def read(self, one: Endpoint, request: Request) -> tuple[Sent, Sequence[UploadFile]]:
        """What was sent, checked. Raises `HTTPException`, pydantic's `ValidationError`, `UsageError`."""
        return await sending.read(one, request, self._app.settings)

    def streams(self, one: Endpoint, request: Request, sent: Sent) -> bool:
        """Whether it is to be answered event by event."""
        if one.manner:
            return one.manner.streams(sent)
        return one.streams is not None and sending.STREAM in request.headers.get("accept", "")

    def answer(self, one: Endpoint, request: Request, call: Call, record: Record) -> Response:
        """The whole answer, on the thread that worked on it."""
        return sending.Json(record)

    def events(self, one: Endpoint, call: Call) -> Shown:
        """What shows the events of one stream."""
        return one.manner.event if one.manner else sending.event

    def told(self, one: Endpoint, error: Exception) -> Record:
        """What the last event of a stream says that went wrong."""
        return one.manner.told(error) if one.manner else sending.told(error)

    async def problem(self, request: Request, error: Exception) -> Response:
        """The answer to a request that was refused, or that broke something."""
        return await sending.problem(request, error)
