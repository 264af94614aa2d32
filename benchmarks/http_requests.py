"""Does any request break the workspace's server? Requests drawn from its own description, most of them wrong somewhere.

    python benchmarks/http_requests.py [--requests 5000] [--seed 1] [--json FILE]

The sample workspace, with stand-ins for models, is served on loopback in a thread of this process; a route and what it
takes are drawn from `/v1/openapi.json`, so that a new route is asked at once. About a third of the requests keep to
their schema; the others have a value of another type, out of range, hostile or none, or a field more or less. Told are
how many were answered with which status, and the milliseconds until the first event of a stream and until the whole
answer of an ask. Exit code 1 where any status is 500.
"""

from __future__ import annotations

import http.client
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import common
from answerable.serving.access import ServeSettings
from answerable.serving.server import Server, listen
from answerable.web.app import WorkspaceApp
from served import STAND_INS, sample, streamed

WORDS = ("Bell Rock", "lighthouses that are not in Scotland", "office", "encyclopaedia", "When was it built?", "Tomasz")
HOSTILE = (
    "",
    " ",
    "\x00",
    "../../etc/passwd",
    "a" * 5000,
    "\u202egnp",
    "' OR 1=1 --",
    "%00%2e",
    '"a" minus',
    "((",
    "🗼" * 40,
)
ODD: tuple[Any, ...] = (None, True, -1, 0, 2**63, 10**30, 1e308, 0.5, [], {}, [[]], "x", *HOSTILE)
Request = tuple[str, str, bytes | None, dict[str, str]]


def value(schema: Mapping[str, Any], schemas: Mapping[str, Any], rng: random.Random, wrong: float) -> Any:
    """A value by a JSON schema; each part of it is something else with the probability `wrong`."""
    if rng.random() < wrong:
        return rng.choice(ODD)
    if "$ref" in schema:
        return value(schemas[schema["$ref"].rpartition("/")[2]], schemas, rng, wrong)
    if "anyOf" in schema:
        return value(rng.choice(schema["anyOf"]), schemas, rng, wrong)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        named = schema.get("properties", {})
        needed = schema.get("required", ())
        made = {
            name: value(one, schemas, rng, wrong)
            for name, one in named.items()
            if (name in needed and rng.random() >= wrong) or (name not in needed and rng.random() < 0.3)
        }
        return made | ({rng.choice(WORDS): 1} if rng.random() < wrong else {})
    if kind == "array":
        parts = schema.get("prefixItems") or [schema.get("items", {})] * rng.randrange(3)
        return [value(one, schemas, rng, wrong) for one in parts]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -10), min(schema.get("maximum", 100), 100)
        return rng.randint(int(low), int(high))
    return {"boolean": rng.random() < 0.5, "null": None}.get(str(kind), rng.choice(WORDS))


def request(described: Mapping[str, Any], rng: random.Random, changing: bool = True) -> Request:
    """A method, a path, a body and headers, drawn from an OpenAPI document; `changing`: also to add and delete."""
    schemas = described["components"]["schemas"]
    routes = [(path, method) for path, methods in described["paths"].items() for method in methods]
    adds = {path for path, told in described["paths"].items() if "multipart/form-data" in str(told)}
    path, method = rng.choice([one for one in routes if changing or (one[1] != "delete" and one != (*adds, "post"))])
    told, wrong = described["paths"][path][method], rng.choice((0.0, 0.05, 0.3))
    headers = {"Accept": rng.choice(("text/event-stream", "application/json"))}
    query: dict[str, Any] = {}
    for one in told.get("parameters", ()):
        given = value(one["schema"], schemas, rng, wrong)
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", quote(str(given), safe="/" if rng.random() < 0.5 else ""))
        elif one["required"] or rng.random() < 0.5:
            query[one["name"]] = given
    path += f"?{urlencode(query)}" if query else ""
    for kind, content in told.get("requestBody", {}).get("content", {}).items():
        sent = value(content["schema"], schemas, rng, wrong)
        if kind == "application/json":
            body = json.dumps(sent).encode()
            headers["Content-Type"] = kind if rng.random() > wrong / 10 else "text/plain"
            return method.upper(), path, body[: rng.randrange(len(body))] if rng.random() < wrong / 5 else body, headers
        return method.upper(), path, *_form(sent, rng, headers)
    return method.upper(), path, None, headers


def _form(sent: Any, rng: random.Random, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    fields = sent if isinstance(sent, dict) else {"enclave": sent}
    parts = [f'name="{name}"\r\n\r\n{one}' for name, one in fields.items() if name != "file"]
    parts += [f'name="file"; filename="{rng.choice((*HOSTILE[1:4], "note.txt"))}"\r\n\r\nA note.'] * rng.randrange(2)
    body = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--x--\r\n"
    return body.encode("utf8", "replace"), {**headers, "Content-Type": "multipart/form-data; boundary=x"}


def answered(connection: http.client.HTTPConnection, one: Request) -> tuple[int, bytes]:
    """The status and the body of one request; (0, b"") where it was hung up on."""
    try:
        connection.request(one[0], one[1], one[2], one[3])
        reply = connection.getresponse()
        return reply.status, reply.read()
    except (http.client.HTTPException, OSError):
        connection.close()
        return 0, b""


def main(words: list[str] | None = None) -> int:
    """Serve, ask and count."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--requests", type=int, default=5000)
    given = parser.parse_args(words)
    rng = random.Random(given.seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened = stack.enter_context(sample(folder / "work", STAND_INS))
        settings, log = replace(ServeSettings(), port=0, rate=0.0), list[str]()
        app, bound = WorkspaceApp(opened, settings, log.append), listen(settings)
        server = Server(app, settings, bound)
        thread = threading.Thread(target=server.run)
        thread.start()
        stack.callback(thread.join)
        stack.callback(server.stop)
        while not server.started:
            time.sleep(0.01)
        port = bound.getsockname()[1]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        described = json.loads(answered(connection, ("GET", "/v1/openapi.json", None, {}))[1])
        firsts, _, wholes = zip(*(streamed(port, word) for word in WORDS * 5), strict=True)
        statuses: Counter[int] = Counter()
        for number in range(given.requests):
            one = request(described, rng)
            status, _ = answered(connection, one)
            statuses[status] += 1
            if status == 500:
                print(f"request {number} breaks it: {one[:2]}", *log[-2:])
    figures = {
        "requests": given.requests,
        "broken": statuses[500],
        "answered": statuses[200],
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "ms to the first event": statistics.median(firsts),
        "ms to the answer": statistics.median(wholes),
    }
    common.tell(given.json, figures, given.requests)
    return 1 if statuses[500] else 0


if __name__ == "__main__":
    sys.exit(main())
