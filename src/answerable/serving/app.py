"""What every server of ours does, and the application that serves one enclave: who may ask (`access`), what (`routes`),
and how much at once.

Nothing is logged but codes, names of token holders and times.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from answerable.errors import MissingExtraError
from answerable.remote.wire import OtherEncoderError, WireError
from answerable.serving.access import Names, Rates, ServeSettings, Tokens, same_origin
from answerable.serving.served import Served

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import Message, Receive, Scope, Send

    from answerable.serving.problems import ERRORS, problem, refused
    from answerable.serving.protocol import Room
    from answerable.serving.routes import ROUTES, Work
except ImportError:
    raise MissingExtraError("answerable serve", "serve") from None

Made = TypeVar("Made")
Problem = Callable[[Request, Exception], Awaitable[Response]]
"""Makes the answer to a request that was refused, or that broke something."""


class Guarded(Starlette):
    """An application that no page of another site can ask, and no client hold. `log` gets a line for each request that
    was refused or failed. `tokens()`: whether tokens are needed now."""

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        settings: ServeSettings,
        log: Callable[[str], None],
        problem: Problem,
        room: Room,
        tokens: Callable[[], bool],
    ) -> None:
        super().__init__(routes=routes, exception_handlers={HTTPException: problem, Exception: problem})
        self.router.redirect_slashes = False
        self.settings, self.room, self.log = settings, room, log
        self.answered = self.refused = 0
        self._problem, self._needed = problem, tokens
        self._rates = Rates(settings.rate)
        self._names = {needed: Names(settings, needed) for needed in (False, True)}
        self._threads = ThreadPoolExecutor(settings.concurrent, "search")
        self._busy = 0
        self._counting = threading.Lock()

    def close(self) -> None:
        """Wait for work that is running, and begin no more."""
        self._threads.shutdown(cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, answered and counted."""
        if scope["type"] != "http":
            return
        began, status = time.monotonic(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        request = Request(scope)
        try:
            self._check_host(request)
            await super().__call__(scope, receive, sent)
        except HTTPException as error:
            await (await self._problem(request, error))(scope, receive, sent)
        except ClientDisconnect:
            return
        finally:
            self.counted(request, status, time.monotonic() - began)
        if 200 <= status < 400:
            self.answered += 1
        else:
            self.refused += 1
            holder, took = getattr(request.state, "holder", "none"), 1000 * (time.monotonic() - began)
            self.log(f"refused {status} {ERRORS.get(status, ERRORS[400])[0]}, token {holder}, {took:.0f} ms")

    def counted(self, request: Request, status: int, seconds: float) -> None:
        """For who counts requests; a status of 0 was never sent."""

    def _check_host(self, request: Request) -> None:
        """Refuse what a page in a browser asks that means another server, or is of another site."""
        hosts = [value for name, value in request.scope["headers"] if name == b"host"]
        reached = str((request.scope.get("server") or ("",))[0])
        if len(hosts) != 1 or not self._names[self._needed()].admit(hosts[0], reached):
            raise refused(421)
        origin = request.headers.get("origin")
        if not same_origin(None if origin is None else origin.encode("latin-1"), hosts[0]):
            raise refused(403)

    def rated(self, holder: str) -> str:
        """The name of who asks, which counts as a request of theirs. Raises `HTTPException`."""
        if wait := self._rates.wait(holder):
            raise refused(429, wait)
        return holder

    async def worked(self, work: Callable[[], Made], full: int = 503) -> Made:
        """What `work` makes, on a thread of its own. Raises `HTTPException`, `full` for more than can wait."""
        with self._counting:
            if self._busy >= self.settings.concurrent + self.settings.waiting:
                raise refused(full, 1.0)
            self._busy += 1
        found = self._threads.submit(work)
        found.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(found), self.room.answer)
        except TimeoutError:
            raise refused(503, 1.0) from None

    def _done(self, _: Future[Made]) -> None:
        with self._counting:
            self._busy -= 1


class App(Guarded):
    """One enclave, for other machines."""

    def __init__(self, served: Served, tokens: Tokens, settings: ServeSettings, log: Callable[[str], None]) -> None:
        super().__init__(ROUTES, settings, log, problem, Room(settings.timeout), lambda: bool(tokens))
        self._served, self._tokens = served, tokens

    def holder(self, authorization: str) -> str:
        """The name of who asks, which counts as a request of theirs. Raises `HTTPException`."""
        holder = self._tokens.holder(authorization.encode("latin-1"))
        if holder is None:
            raise refused(401)
        return self.rated(holder)

    async def searched(self, work: Work, body: bytes) -> bytes:
        """What `work` makes of a body. Raises `HTTPException`."""
        try:
            return await self.worked(lambda: work(self._served, body))
        except WireError:
            raise refused(400) from None
        except OtherEncoderError:
            raise refused(409) from None
        except HTTPException:
            raise
        except Exception as error:  # whatever broke: its class alone, since a message may quote a document
            self.log(f"a search failed: {type(error).__name__}")
            raise refused(500) from None
