"""What is answered: JSON with the version of the protocol, and refusals, which quote nothing that was found."""

from __future__ import annotations

import math
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from answerable.remote import wire

ERRORS: dict[int, tuple[str, str]] = {
    400: ("request", "the request is not one of this protocol"),
    401: ("token", "a token that this server knows is needed"),
    403: ("origin", "a page of another site may not ask"),
    404: ("route", "there is nothing here"),
    405: ("method", "this is asked in another way"),
    408: ("slow", "the request took too long to come"),
    409: ("encoder", "the vector was made by another encoder"),
    413: ("size", "the request is too large"),
    415: ("type", "a request is sent as application/json, files as multipart/form-data"),
    422: ("fields", "a field of the request cannot be used"),
    421: ("host", "this server is not known by that name"),
    429: ("rate", "too many requests"),
    500: ("internal", "the search failed"),
    501: ("unable", "this workspace cannot do that"),
    502: ("elsewhere", "another machine does not answer"),
    503: ("busy", "too many searches at once"),
}
"""Every refusal: its code and its sentence."""
UNREAD = frozenset({401, 403, 408, 413, 415, 421})
"""Where the rest of the request is not waited for, so that its connection ends."""


class Reply(Response):
    """One JSON object."""

    media_type = "application/json"

    def __init__(self, content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        always = {"cache-control": "no-store", wire.API_HEADER: f"{wire.API[0]}.{wire.API[1]}"}
        super().__init__(content, status, {**always, **(headers or {})})


def refused(status: int, wait: float = 0.0) -> HTTPException:
    """A refusal, to be raised; `wait`: seconds after which the request may be sent again."""
    return HTTPException(status, headers={"retry-after": str(math.ceil(wait))} if wait else None)


async def problem(_: Request, error: Exception) -> Reply:
    """The answer to a request that was refused, or that broke something."""
    status, headers = (error.status_code, error.headers) if isinstance(error, HTTPException) else (500, None)
    code, message = ERRORS[status]
    closing = {"connection": "close"} if status in UNREAD else {}
    return Reply(wire.dumped({"error": {"code": code, "message": message}}), status, {**closing, **(headers or {})})
