"""Pages as browsers get them: forms in, HTML out, under a policy that lets nothing run but our own script."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, get_origin
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from answerable.corpora.tables import HEADING_MARK
from answerable.engine import OWNER
from answerable.errors import UsageError
from answerable.printing import clean, consulted, counted
from answerable.serving.access import ANYONE
from answerable.serving.problems import UNREAD, refused
from answerable.serving.routes import body_of
from answerable.types import Asker
from answerable.web import sending
from answerable.web.models import Sent
from answerable.web.pages import Page, shown_answer, way
from answerable.web.sessions import CSRF, Sessions
from answerable.web.table import Call, Endpoint, Forbidden, Record

if TYPE_CHECKING:
    from answerable.web.app import WorkspaceApp

SIGN_IN, SIGN_OUT, STATIC = "/sign-in", "/sign-out", "/static/{name}"
_ASSETS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": f"{_POLICY}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
SURE = ((0.9, "almost certain"), (0.7, "likely"), (0.5, "more likely than not"), (0.3, "unsure"), (0.0, "a guess"))
"""A confidence in words: the first that it reaches."""


class Pages(sending.Door):
    """HTML by a session, or for the owner of this machine alone. `besides`: routes that are no pages of the table."""

    def __init__(self, app: WorkspaceApp) -> None:
        super().__init__(app)
        self._sessions = Sessions(app.workspace.askers)
        for name in environment().list_templates():  # now, not while somebody waits for a first page
            environment().get_template(name)
        self.besides: Sequence[BaseRoute] = (
            Route(SIGN_IN, self._sign_in, methods=["GET", "POST"]),
            Route(SIGN_OUT, self._sign_out, methods=["POST"]),
            Route(STATIC, _asset),
        )

    def asker(self, request: Request) -> Asker:
        """As `sending.Door`."""
        if not self._app.needs_token():
            self._app.rated(ANYONE)
            return OWNER
        held = self._sessions.holder(request)
        if held is None:
            raise refused(401)
        request.state.holder = held.name
        self._app.rated(held.name)
        return held.asker(self._app.workspace.settings)

    async def read(self, one: Endpoint, request: Request) -> tuple[Sent, Sequence[UploadFile]]:
        """As `sending.Door`. A form that we did not give to this browser is refused."""
        if one.method == "GET":
            return _checked(one, request.query_params.multi_items()), ()
        if one.uploads:
            pairs, files = await sending.form_of(request, self._app.settings)
            files = [file for file in files if file.filename or file.size]
        else:
            pairs, files = await self._pairs(request), []
        try:
            self._ours(request, pairs)
            return _checked(one, [pair for pair in pairs if pair[0] != CSRF]), files
        except Exception:
            for file in files:
                await file.close()
            raise

    def whole(
        self, one: Endpoint, request: Request, call: Call, sent: Sent, work: Callable[[Call], Record]
    ) -> Response:
        """As `sending.Door`. What was typed and cannot be used is shown again, with the reason beside it."""
        try:
            return super().whole(one, request, call, sent, work)
        except UsageError as error:
            if not isinstance(one, Page) or one.box is None:
                raise
            record = {**one.box(call, sent), "problem": sending.told(error)}
            return self._page(request, one.template, record, call.asker, sending.status_of(error))

    def answer(self, one: Endpoint, request: Request, call: Call, record: Record) -> Response:
        """As `sending.Door`."""
        if "_go" in record:
            return RedirectResponse(_target(record), 303, HEADERS)
        if "_csv" in record:
            named = {**HEADERS, "content-disposition": 'attachment; filename="set.csv"'}
            return Response(record["_csv"], media_type="text/csv; charset=utf-8", headers=named)
        assert isinstance(one, Page)
        return self._page(request, one.template, record, call.asker)

    def events(self, one: Endpoint, call: Call) -> sending.Shown:
        """As `sending.Door`: each event brings the HTML of what it changes, made where every page is made."""
        hops: list[Record] = []

        def shown(name: str, record: Record) -> bytes:
            told: Record = record if name == "progress" else {"html": ""}
            if name == "hop":
                hops.append(record)
                searches = counted(len(hops), "search", "searches")
                told = {"html": _part("way", way(call, hops)), "said": f"{searches} made or refused"}
            elif name == "evidence":
                told = {"html": _part("evidence", record)}
            elif name == "answer":
                turn = shown_answer(call, record["turn"])
                told = {"html": _part("turn", turn), "said": turn["answer"] or "No short answer."}
                told |= {"judge": turn["answer"]} if turn["citations"] and not turn["said"] else {}
            elif name == "indexed":
                told = {"go": _target(record)}
            elif name == "problem":
                told = {"html": _part("problem", record)}
            return f"event: {name}\ndata: {json.dumps(told)}\n\n".encode()

        return shown

    async def problem(self, request: Request, error: Exception) -> Response:
        """As `sending.Door`. Whoever is not signed in is sent to do so."""
        status, headers = sending.status_of(error), dict(getattr(error, "headers", None) or {})
        if status == 401 and request.method == "GET":
            return RedirectResponse(SIGN_IN, 303, HEADERS)
        headers |= {"connection": "close"} if status in UNREAD else {}
        return self._page(request, "problem.html", sending.told(error), None, status, headers)

    def _page(
        self,
        request: Request,
        template: str,
        record: Record,
        asker: Asker | None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> HTMLResponse:
        about: Record = {"who": asker, "path": request.url.path, "csrf": self._sessions.secret(request)}
        about = {**about, "examples": self._app.examples}
        signed = asker is not None and self._app.needs_token()
        html = environment().get_template(template).render({**record, **about, "signed": signed})
        return HTMLResponse(html.encode("utf8", "replace"), status, {**HEADERS, **(headers or {})})

    async def _pairs(self, request: Request) -> list[tuple[str, str]]:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise refused(415)
        body = await body_of(request, self._app.settings.max_request, self._app.settings.timeout)
        try:
            return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=1_000)
        except ValueError:
            raise refused(400) from None

    def _ours(self, request: Request, pairs: Sequence[tuple[str, str]]) -> None:
        if not self._sessions.is_ours(request, next((value for name, value in pairs if name == CSRF), "")):
            raise Forbidden("send this form: it has grown old. Go back, load the page again, and")

    async def _sign_in(self, request: Request) -> Response:
        if not self._app.needs_token():
            return RedirectResponse("/", 303, HEADERS)
        if request.method != "POST":
            return self._page(request, "sign-in.html", {"wrong": False}, None)
        self._app.rated(ANYONE)
        pairs = await self._pairs(request)
        try:
            self._ours(request, pairs)
        except Forbidden as error:
            return await self.problem(request, error)
        signed = RedirectResponse("/", 303, HEADERS)
        if self._sessions.sign_in(dict(pairs).get("token", ""), request, signed):
            return signed
        return self._page(request, "sign-in.html", {"wrong": True}, None, 401)

    async def _sign_out(self, request: Request) -> Response:
        try:
            self._ours(request, await self._pairs(request))
        except Forbidden as error:
            return await self.problem(request, error)
        left = RedirectResponse(SIGN_IN, 303, HEADERS)
        self._sessions.sign_out(request, left)
        return left


def _checked(one: Endpoint, pairs: Sequence[tuple[str, str]]) -> Sent:
    """What a form says, by the model of its route: fields that were left empty are as if they were not there."""
    given: dict[str, Any] = {}
    for name, value in pairs:
        known = one.takes.model_fields.get(name)
        if value.strip() or known is None:
            given[name] = [*given.get(name, ()), value] if known and get_origin(known.annotation) is list else value
    return one.takes.model_validate(given, strict=False)  # what is typed are texts, and lists of them


def _target(record: Record) -> str:
    return f"{record.get('_to', '/sources')}?{urlencode(record['_go'])}"


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        raise refused(404)
    return Response(asset(name), media_type=_ASSETS[name], headers={**HEADERS, "cache-control": "max-age=31536000"})


@cache
def asset(name: str) -> bytes:
    """The bytes of a file that pages load."""
    return (files("answerable.web") / "static" / name).read_bytes()


def _versioned(name: str) -> str:
    return f"/static/{name}?{hashlib.sha256(asset(name)).hexdigest()[:12]}"


@cache
def environment() -> Environment:
    """The templates. All that is put in is escaped, and what would turn or hide text in it made visible."""
    made = Environment(
        loader=PackageLoader("answerable.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    made.filters |= {"sure": sure, "around": around, "marked": marked, "day": day, "query": urlencode}
    made.filters |= {"consulted": consulted}
    made.globals |= {"asset": _versioned}
    return made


def _part(name: str, record: Record) -> str:
    """One macro of the parts of a page."""
    module = environment().get_template("parts.html").module
    return str(getattr(module, name)(record)).encode("utf8", "replace").decode()


def sure(confidence: float) -> str:
    """A confidence in words."""
    return next(word for least, word in SURE if confidence >= least)


def marked(text: str, answer: str | None) -> Markup:
    """A text with the answer marked wherever it stands in it."""
    words = clean(answer or "").split()
    if not words or answer in ("yes", "no"):
        return escape(clean(text))
    said = r"\s+".join(map(re.escape, words))  # the text may break the line amid it
    pieces = re.split(f"({said})", clean(text), flags=re.IGNORECASE)
    return Markup("").join(Markup("<mark>{}</mark>").format(one) if at % 2 else one for at, one in enumerate(pieces))


def around(passage: Record, citations: Sequence[Record] = ()) -> list[tuple[str, str]]:
    """The pieces of a passage as (text, what): what is "cited" of it, and the "best" sentence where nothing is."""
    start, text = passage["start"], passage["text"]
    own = [one for one in citations if (one["enclave"], one["document"]) == (passage["enclave"], passage["document"])]
    spans = [(max(0, one["start"] - start), min(len(text), one["end"] - start), "cited") for one in own]
    spans = sorted(span for span in spans if span[0] < span[1])
    if not spans:
        spans = [(passage["sentence"]["start"] - start, min(len(text), passage["sentence"]["end"] - start), "best")]
    at = text.find("\n\n") + 2 if start == 0 and passage.get("fields", {}).get("sender") else 0
    at = at if at <= min(span[0] for span in spans) else 0  # the line below says who wrote it to whom, and when
    pieces = list[tuple[str, str]]()
    for first, last, what in spans:
        pieces += [(text[at : max(at, first)], ""), (text[max(at, first) : last], what)]
        at = max(at, last)
    return [(HEADING_MARK.sub("", piece), what) for piece, what in [*pieces, (text[at:], "")] if piece]


def day(text: str) -> str:
    """A date in ISO 8601 as people write it; what is none stays as it is."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{date.day} {date:%B} {date.year}"
