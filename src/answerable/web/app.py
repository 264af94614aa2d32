"""The application that serves a workspace: who asks, what they sent, and the table's handlers to answer it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from answerable.engine import OWNER
from answerable.remote.place import is_loopback
from answerable.serving.access import ANYONE, ServeSettings
from answerable.serving.app import Guarded
from answerable.serving.problems import refused
from answerable.serving.protocol import Room
from answerable.types import Asker
from answerable.web import asking, completions, holdings, sending
from answerable.web.following import Follower
from answerable.web.openapi import described, page
from answerable.web.pages import PAGES
from answerable.web.sending import Json, Stream
from answerable.web.showing import Pages
from answerable.web.table import Call, Cancelled, Endpoint, Forbidden, Record
from answerable.web.talks import Talks
from answerable.workspace.workspace import Workspace

ROUTES: tuple[Endpoint, ...] = (*asking.ROUTES, *holdings.ROUTES, *completions.ROUTES)
"""Every route that answers with JSON; `pages.PAGES` are those for people."""
Made = TypeVar("Made")
OPENAPI, DOCS, METRICS = "/v1/openapi.json", "/docs", "/v1/metrics"
UPLOAD = ".upload-"
"""How folders begin, in the workspace's, in which uploaded files lie until they are indexed."""
_METHODS = ("GET", "HEAD", "POST", "DELETE")


class WorkspaceApp(Guarded):
    """A workspace for its owner on this machine, or for askers with tokens. `more`: routes of other kinds. `pages`:
    for people; `examples`: questions that these offer to whoever has asked none."""

    def __init__(
        self,
        workspace: Workspace,
        settings: ServeSettings,
        log: Callable[[str], None],
        table: Iterable[Endpoint] = ROUTES,
        more: Iterable[BaseRoute] = (),
        pages: Sequence[Endpoint] = PAGES,
        examples: Sequence[str] = (),
    ) -> None:
        self.workspace, self.table, self.examples = workspace, tuple(table), examples
        self.talks, self._follower, self._registry = Talks(), Follower(workspace), CollectorRegistry()
        what = ("answerable_requests", "Requests by route and status; 0: left before it was answered")
        self._requests = Counter(*what, ["method", "route", "status"], registry=self._registry)
        what = ("answerable_request_seconds", "Seconds to answer a request")
        self._seconds = Histogram(*what, ["route"], registry=self._registry)
        self._local, self._shows = is_loopback(settings.host), bool(pages)
        routes: list[BaseRoute] = [Route(DOCS, HTMLResponse(page(self.table)), methods=["GET"])]
        routes += [Route(OPENAPI, lambda _: self._described), Route(METRICS, self._measured), *more]
        self._pages, self._programs = Pages(self), sending.Door(self)
        for table_of, door in ((self.table, self._programs), (pages, self._pages)):
            routes += [Route(one.path, self._endpoint(one, door), methods=[one.method]) for one in table_of]
        routes += self._pages.besides if pages else ()
        uploads = frozenset(one.path.encode() for one in (*self.table, *pages) if one.uploads)
        room = Room(settings.answer, settings.max_upload, uploads)
        for left in workspace.folder.glob(f"{UPLOAD}*"):  # by a server that was killed
            shutil.rmtree(left, ignore_errors=True)
        super().__init__(routes, settings, log, self._refused, room, self.needs_token)

    @cached_property
    def _described(self) -> Json:
        """The OpenAPI document, made by a thread when it is first asked for: a server need not wait for it to begin."""
        return Json(described(self.table))

    async def _refused(self, request: Request, error: Exception) -> Response:
        """A refusal as JSON, or for whoever reads with a browser as a page."""
        wants = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")
        return await (self._pages if wants and self._shows else self._programs).problem(request, error)

    def needs_token(self) -> bool:
        """Whether tokens are needed: where there ever was an asker, or other machines could ask."""
        return not self._local or bool(self.workspace.askers.all())

    def asker(self, request: Request) -> Asker:
        """Who asks, which counts as a request of theirs. Raises `HTTPException`."""
        if not self.needs_token():
            self.rated(ANYONE)
            return OWNER
        kind, _, token = request.headers.get("authorization", "").encode("latin-1").partition(b" ")
        held = self.workspace.askers.holder(token.strip(), datetime.now(UTC))
        if held is None or kind.lower() != b"bearer":
            raise refused(401)
        request.state.holder = held.name
        self.rated(held.name)
        return held.asker(self.workspace.settings)

    def counted(self, request: Request, status: int, seconds: float) -> None:
        """Count it for Prometheus: by route and status, never by who asked or what."""
        path = getattr(request.scope.get("route"), "path", "none")
        self._requests.labels(request.method if request.method in _METHODS else "other", path, status).inc()
        self._seconds.labels(path).observe(seconds)

    async def _measured(self, request: Request) -> Response:
        if self.asker(request).clearance is not None:
            return await self._programs.problem(request, Forbidden("ask this"))
        return Response(generate_latest(self._registry), media_type="text/plain; version=0.0.4")

    def _endpoint(self, one: Endpoint, door: sending.Door) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            request.state.manner = one.manner
            try:
                who = OWNER if one.open else door.asker(request)
                call = Call(self.workspace, who, base=str(request.base_url), talks=self.talks)
                if one.owner and not call.owner:
                    raise Forbidden("change what is held" if one.changes else "see this")
                sent, files = await door.read(one, request)

                def work(call: Call) -> Record:
                    if not files:
                        return one.handle(call, sent)
                    with TemporaryDirectory(prefix=UPLOAD, dir=self.workspace.folder) as place:
                        folder = Path(place, "uploads")
                        folder.mkdir()
                        return one.handle(replace(call, files=sending.saved(files, folder)), sent)

                if door.streams(one, request, sent):
                    return await self._stream(one, call, work, door)
                return await self._whole(one, call, lambda: door.whole(one, request, call, sent, work), request)
            except (HTTPException, ClientDisconnect):
                raise
            except Exception as error:
                return await door.problem(request, self._noted(error))

        return endpoint

    async def _whole(self, one: Endpoint, call: Call, work: Callable[[], Response], request: Request) -> Response:
        """All at once; whoever leaves before ends the work at its next hop."""
        made, gone = self._begun(work), asyncio.ensure_future(_left(request))
        try:
            waited: set[asyncio.Future[Any]] = {made, gone}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not made.done():
                raise ClientDisconnect
            return made.result()
        finally:
            gone.cancel()
            self._end(one, call, made)

    async def _stream(self, one: Endpoint, call: Call, work: Callable[[Call], Record], door: sending.Door) -> Response:
        """Event by event. What goes wrong before the first is an ordinary refusal, and later the last event."""
        loop, told = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()
        shown = door.events(one, call)

        def tell(name: str, record: Record) -> None:
            loop.call_soon_threadsafe(told.put_nowait, shown(name, record))

        own = replace(call, tell=tell)
        made = self._begun(lambda: shown(one.streams or "", work(own)))
        made.add_done_callback(lambda _: told.put_nowait(None))
        try:
            first = await told.get()
            if first is None:
                made.result()
        except BaseException:
            self._end(one, own, made)
            raise

        async def events() -> AsyncIterator[bytes]:
            one_event = first
            while one_event is not None:
                yield one_event
                one_event = await told.get()
            try:
                yield made.result()
            except Exception as error:
                yield shown("problem", door.told(one, self._noted(error)))

        return Stream(events(), lambda: self._end(one, own, made))

    def _begun(self, work: Callable[[], Made]) -> asyncio.Future[Made]:
        """The work, begun. asyncio does not log its failure where nobody asks for it: it may quote a document."""

        def current() -> Made:
            self._follower.look()
            return work()

        made = asyncio.ensure_future(self.worked(current, 429))
        made.add_done_callback(_taken)
        return made

    def _end(self, one: Endpoint, call: Call, made: asyncio.Future[Made]) -> None:
        """Nobody waits any more: what only reads ends at its next hop, and what changes something is finished."""
        if not one.changes:
            call.over.set()
            made.cancel()

    def _noted(self, error: Exception) -> Exception:
        """The same; of what nobody foresaw its class in the log, since its message may quote a document."""
        if sending.status_of(error) == 500 and not isinstance(error, Cancelled):
            self.log(f"a request failed: {type(error).__name__}")
        return error


async def _left(request: Request) -> None:
    """Returns when the client is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _taken(made: asyncio.Future[Made]) -> None:
    """Take note of how it ended."""
    if not made.cancelled():
        made.exception()
