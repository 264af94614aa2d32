"""Workspaces of stand-ins behind real servers on loopback."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from answerable.serving.access import ServeSettings
from answerable.serving.server import Server, listen
from answerable.web.app import ROUTES, WorkspaceApp
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.server.running import in_thread

STAND_INS = {
    "models.encoder": "hashed",
    "models.reader": "overlap",
    "models.judge": "overlap",
    "models.matcher": "hashed",
    "search.linking": True,
}
WIKI = {
    "kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n",
    "hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built Hook Lighthouse.\n",
}
MAIL = {
    "birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n",
    "kopu.md": "# Kõpu Lighthouse\n\nKõpu Lighthouse was completed in 1845, says the keeper.\n",
}
ASKED = "When was Kõpu Lighthouse completed?"
BOUNDARY = "part-of-a-form"
FORMS = {"Content_Type": f"multipart/form-data; boundary={BOUNDARY}"}


@dataclass(frozen=True)
class Got:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def record(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The events of a stream, in order."""
        blocks = [
            dict(line.split(": ", 1) for line in one.split("\n")) for one in self.body.decode().split("\n\n")[:-1]
        ]
        return [(one["event"], json.loads(one["data"])) for one in blocks]


@dataclass(frozen=True)
class Web:
    """A server that runs, and its workspace."""

    port: int
    workspace: Workspace
    app: WorkspaceApp
    log: list[str]

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> Got:
        """One request; a body that is no bytes goes as JSON."""
        given = {
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, sent, given)
            reply = connection.getresponse()
            return Got(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def stream(self, path: str, body: Any, token: str | None = None) -> Got:
        """One request for a stream of events."""
        return self.ask("POST", path, body, token, Accept="text/event-stream")

    def upload(self, files: Mapping[str, bytes], token: str | None = None, **fields: str) -> Got:
        """Files as a browser sends them."""
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        parts += [f'name="file"; filename="{name}"\r\n\r\n'.encode() + data for name, data in files.items()]
        lines = [f"--{BOUNDARY}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts]
        body = b"".join(lines) + f"--{BOUNDARY}--\r\n".encode()
        return self.ask("POST", "/v1/documents", body, token, **FORMS)


@contextmanager
def served(workspace: Workspace, table: Any = ROUTES, **settings: Any) -> Iterator[Web]:
    """A workspace behind a server, for the length of the block."""
    chosen, log = replace(ServeSettings(port=0, rate=0.0), **settings), list[str]()
    app = WorkspaceApp(workspace, chosen, log.append, table)
    bound = listen(chosen)
    with in_thread(Server(app, chosen, bound)):
        yield Web(bound.getsockname()[1], workspace, app, log)


def made(place: Path, mail: Mapping[str, str] = MAIL) -> Workspace:
    """A workspace in which `wiki` is public, as if elsewhere, with pairs, and `mail` holds these texts."""
    for name, texts in {"wiki": WIKI, "mail": mail}.items():
        (place / name).mkdir(parents=True)
        for file, text in texts.items():
            (place / name / file).write_text(text, encoding="utf8")
    (place / "pairs.jsonl").write_text(json.dumps({"question": ASKED, "answer": "1531"}))
    opened = open_workspace(place / "work", create=True, settings=STAND_INS)
    opened.index([place / "wiki"], "wiki", "public", as_if_elsewhere=True)
    opened.index([place / "mail"], "mail")
    opened.pairs.import_(place / "pairs.jsonl", "wiki")
    opened.pairs.index("wiki")
    return opened


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A workspace of the owner alone."""
    with made(tmp_path_factory.mktemp("web")) as workspace, served(workspace) as running:
        yield running
