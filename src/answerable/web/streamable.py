"""Assistants over HTTP: the protocol's own transport, behind the checks that every server of ours makes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from answerable.serving.access import ServeSettings
from answerable.types import Asker
from answerable.web.app import WorkspaceApp
from answerable.web.assistants import Assistants, Context
from answerable.web.table import Record
from answerable.workspace.workspace import Workspace

PATH = "/mcp"
SESSIONS = 1_000
"""Of clients of the protocol before 2026-07-28, which hold one each."""


class AssistantApp(WorkspaceApp):
    """Assistants, for the holder of a token; where none is needed, for the given asker."""

    def __init__(
        self,
        workspace: Workspace,
        settings: ServeSettings,
        log: Callable[[str], None],
        asker: Asker,
        public: bool,
        typed: bool,
    ) -> None:
        super().__init__(workspace, settings, log, (), [Route(PATH, _Door(self))], pages=())  # no way around `public`
        self._given = asker

        async def worked(work: Callable[[], Record]) -> Record:
            return await self.worked(work, 429)

        def asks(context: Context) -> Asker:
            held: Asker = context.request.state.asker  # type: ignore[union-attr]
            return held

        server = Assistants(workspace, asks, public, typed, log, worked).server()
        self.manager = StreamableHTTPSessionManager(
            server, max_request_body_size=settings.max_request, max_sessions=SESSIONS
        )

    def asker(self, request: Request) -> Asker:
        """Who asks. Raises `HTTPException`."""
        held = super().asker(request)
        return held if self.needs_token() else self._given


class _Door:
    """The way to the protocol's own application, which runs from the first request on."""

    def __init__(self, app: AssistantApp) -> None:
        self._app = app
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request.state.asker = asker = self._app.asker(request)
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=asker.name, scopes=[]))
        self._running = self._running or asyncio.create_task(self._run())
        await self._ready.wait()
        await self._app.manager.handle_request(scope, receive, send)

    async def _run(self) -> None:
        with suppress(asyncio.CancelledError):  # the end of the server
            async with self._app.manager.run():
                self._ready.set()
                await asyncio.Event().wait()
