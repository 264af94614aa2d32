"""What comes in and goes out: a request as its model, files that are uploaded, JSON, problems and streams of events."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from answerable.errors import (
    AbsentError,
    AnswerableError,
    EnclaveError,
    FormatError,
    IndexMismatch,
    ModelError,
    RemoteError,
    UsageError,
)
from answerable.printing import as_json
from answerable.serving.access import ServeSettings
from answerable.serving.problems import ERRORS, UNREAD, refused
from answerable.serving.routes import body_of
from answerable.types import Asker
from answerable.web.models import Sent
from answerable.web.table import Call, Endpoint, Forbidden, Manner, Record

if TYPE_CHECKING:
    from answerable.web.app import WorkspaceApp

STREAM = "text/event-stream"
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (Forbidden, 403),
    (ValidationError, 422),
    (AbsentError, 404),
    (EnclaveError, 404),
    (UsageError, 400),
    (FormatError, 422),
    (RemoteError, 502),
    (ModelError, 501),
    (IndexMismatch, 409),
    (AnswerableError, 503),
)
"""What each error is over HTTP: the first that fits; any other is 500."""
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_FILES = 1_000
"""Files of one upload."""


async def form_of(request: Request, settings: ServeSettings) -> tuple[Sequence[tuple[str, str]], Sequence[UploadFile]]:
    """The fields and files of multipart/form-data, of files one at least. Raises `HTTPException`, `UsageError`."""
    announced = request.headers.get("content-length", "")
    if not announced.isdigit() or len(announced) > 12 or int(announced) > settings.max_upload:
        raise refused(413)
    try:
        async with asyncio.timeout(settings.answer):
            form = await request.form(max_files=_FILES, max_fields=_FILES)
    except TimeoutError:
        raise refused(408) from None
    files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
    if not files:
        await form.close()
        raise UsageError("no file was sent", hint="as a part `file` of multipart/form-data")
    return [(name, value) for name, value in form.multi_items() if isinstance(value, str)], files


def saved(files: Sequence[UploadFile], folder: Path) -> tuple[Path, ...]:
    """Files as they were uploaded, in an empty folder: of a name that is a path, its last part. Raises `UsageError`."""
    kept: list[Path] = []
    with ExitStack() as open_files:
        for one in files:
            open_files.callback(one.file.close)
        for one in files:
            kept.append(_saved(one, folder, kept))
    return tuple(kept)


def _saved(one: UploadFile, folder: Path, kept: Sequence[Path]) -> Path:
    name = PurePosixPath((one.filename or "").replace("\\", "/")).name
    if name in ("", ".", "..") or not name.isprintable() or len(name.encode("utf8", "replace")) > 200:
        raise UsageError("a file has no name that can be used", hint="name it with up to 200 printable characters")
    path = folder / name
    if path in kept:
        raise UsageError(f"two files are called {name!r}", hint="send them one after the other")
    with open(path, "xb") as target:
        shutil.copyfileobj(one.file, target)
    return path


class Json(Response):
    """One JSON object."""

    media_type = "application/json"

    def __init__(self, record: Record, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(as_json(record).encode("utf8"), status, {**_HEADERS, **(headers or {})})


class ProblemJson(Json):
    """A refusal."""

    media_type = "application/problem+json"


def status_of(error: Exception) -> int:
    """What an error is over HTTP."""
    if isinstance(error, HTTPException):
        return error.status_code
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def told(error: Exception) -> Record:
    """A refusal as it is sent (RFC 9457). Of what nobody foresaw the message stays here: it may quote a document."""
    status = status_of(error)
    code, detail = ERRORS[status]
    hint = None
    if isinstance(error, AnswerableError):
        code, detail, hint = type(error).__name__, str(error.args[0]), error.hint
    elif isinstance(error, HTTPException) and (wait := (error.headers or {}).get("retry-after")):
        hint = f"try again in {wait} s"
    elif isinstance(error, Forbidden):
        code, detail = "owner", f"only an owner may {error.args[0]}"
    elif isinstance(error, ValidationError):
        wrong = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, wrong["loc"]))
        detail = f"{where}: {wrong['msg']}" if where else str(wrong["msg"])
    record = {"type": f"urn:answerable:{code}", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return {**record, "hint": hint} if hint else record


def event(name: str, record: Record) -> bytes:
    """One event of a stream."""
    return f"event: {name}\ndata: {as_json(record)}\n\n".encode()


class Stream(StreamingResponse):
    """Events, until there are no more or whoever asked is gone; then `over` is called."""

    def __init__(self, events: AsyncIterator[bytes], over: Callable[[], Any]) -> None:
        headers = {**_HEADERS, "x-accel-buffering": "no"}  # a proxy before it hands on what it gets at once
        super().__init__(events, headers=headers, media_type=STREAM)
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


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
        settings, kind = self._app.settings, request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if one.method == "POST" and kind != ("multipart/form-data" if one.uploads else "application/json"):
            raise refused(415)
        if one.uploads:
            pairs, files = await form_of(request, settings)
            try:
                return one.takes.model_validate_strings(dict(pairs)), files
            except Exception:
                for file in files:
                    await file.close()
                raise
        if one.method == "POST":
            return one.takes.model_validate_json(await body_of(request, settings.max_request, settings.timeout)), ()
        return one.takes.model_validate_strings({**request.query_params, **request.path_params}), ()

    def streams(self, one: Endpoint, request: Request, sent: Sent) -> bool:
        """Whether it is to be answered event by event."""
        if one.manner:
            return one.manner.streams(sent)
        return one.streams is not None and STREAM in request.headers.get("accept", "")

    def whole(
        self, one: Endpoint, request: Request, call: Call, sent: Sent, work: Callable[[Call], Record]
    ) -> Response:
        """The answer all at once, on the thread that works on it."""
        return self.answer(one, request, call, work(call))

    def answer(self, one: Endpoint, request: Request, call: Call, record: Record) -> Response:
        """The answer of which this is the record."""
        return Json(record)

    def events(self, one: Endpoint, call: Call) -> Shown:
        """What shows the events of one stream."""
        return one.manner.event if one.manner else event

    def told(self, one: Endpoint, error: Exception) -> Record:
        """What the last event of a stream says that went wrong."""
        return one.manner.told(error) if one.manner else told(error)

    async def problem(self, request: Request, error: Exception) -> Response:
        """The answer to a request that was refused, or that broke something."""
        status = status_of(error)
        headers = {**(error.headers or {})} if isinstance(error, HTTPException) else {}
        headers |= {"connection": "close"} if status in UNREAD else {}
        headers |= {"www-authenticate": "Bearer"} if status == 401 else {}
        manner: Manner | None = getattr(request.state, "manner", None)
        return Json(manner.told(error), status, headers) if manner else ProblemJson(told(error), status, headers)
