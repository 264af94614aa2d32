"""Who is let in, uploads, and what a server refuses."""

from __future__ import annotations

import io
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.serving.access import ServeSettings
from answerable.web.app import UPLOAD, WorkspaceApp
from tests.web.conftest import ASKED, FORMS, Web, made, served


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[Web, str, str]]:
    """A server with a guest and an owner, and their tokens."""
    with made(tmp_path) as workspace:
        guest = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
        owner = workspace.askers.add(workspace.settings, "olga", owner=True)[1]
        with served(workspace) as running:
            yield running, guest, owner


def test_tokens_are_asked_for_as_soon_as_there_is_an_asker_and_for_good(tmp_path: Path) -> None:
    with made(tmp_path) as workspace, served(workspace) as web:
        assert web.ask("GET", "/v1/status").status == 200
        token = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
        assert web.ask("GET", "/v1/status").status == 401
        assert web.ask("GET", "/v1/status", token=token).status == 200
        for wrong in ("", token[:-1], token + "x", workspace.askers.all()[0].digest):
            assert web.ask("GET", "/v1/status", token=wrong).status == 401
        assert web.ask("GET", "/v1/status", Authorization=f"Basic {token}").status == 401
        workspace.askers.revoke("guest")
        assert web.ask("GET", "/v1/status", token=token).status == 401
        assert web.ask("GET", "/v1/status").status == 401
        assert token not in str(web.log) and "hidden" not in str(web.log)


def test_where_other_machines_could_ask_nobody_does_without_a_token(web: Web) -> None:
    app = WorkspaceApp(web.workspace, ServeSettings(host="192.168.0.7"), print)
    assert app.needs_token() and not web.app.needs_token()


@pytest.mark.parametrize(("name", "status"), [("evil.example", 421), ("localhost", 200), ("127.0.0.1:9", 200)])
def test_a_page_that_was_made_to_lead_here_is_refused(web: Web, name: str, status: int) -> None:
    assert web.ask("GET", "/v1/status", Host=name).status == status


def test_a_page_of_another_site_may_neither_ask_nor_upload(web: Web) -> None:
    assert web.ask("POST", "/v1/ask", {"question": ASKED}, Origin="http://evil.example").status == 403
    assert web.ask("POST", "/v1/documents", b"", Origin="http://evil.example", **FORMS).status == 403
    assert web.ask("POST", "/v1/ask", b"{}", Content_Type="text/plain").status == 415
    assert "files as multipart/form-data" in web.ask("POST", "/v1/documents", {"enclave": "notes"}).record["detail"]


def test_each_token_has_a_rate_of_its_own(tmp_path: Path) -> None:
    with made(tmp_path) as workspace:
        tokens = [workspace.askers.add(workspace.settings, name, ["wiki"])[1] for name in ("maria", "jan")]
        with served(workspace, rate=0.02) as web:
            assert [web.ask("GET", "/v1/enclaves", token=tokens[0]).status for _ in range(2)] == [200, 429]
            again = web.ask("GET", "/v1/enclaves", token=tokens[0])
            assert int(again.headers["retry-after"]) >= 1
            assert again.record["hint"] == f"try again in {again.headers['retry-after']} s"
            assert web.ask("GET", "/v1/enclaves", token=tokens[1]).status == 200


def test_an_owner_reads_no_file_of_the_machine(web: Web, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("The safe opens at 4711.")
    for name in (str(tmp_path / "secret.txt"), "/etc/passwd"):
        got = web.ask("POST", "/v1/read", {"document": name, "question": "When does the safe open?"})
        assert got.status == 404 and b"4711" not in got.body


def test_files_are_uploaded_found_replaced_and_deleted(guarded: tuple[Web, str, str]) -> None:
    web, guest, owner = guarded
    assert web.upload({"a.txt": b"x"}, guest, enclave="notes").status == 403
    for text in ("The boiler was served in May.", "The boiler was served in June."):
        got = web.upload({"boiler.txt": text.encode()}, owner, enclave="notes")
        assert got.status == 200 and got.record["kind"] == "private" and got.record["documents"] == 1
    fetched = web.ask("GET", "/v1/documents/notes/boiler.txt?start=4&end=10", token=owner).record
    assert fetched["text"] == "boiler" and fetched["characters"] == 30
    found = web.ask("POST", "/v1/ask", {"question": "When was the boiler served?"}, owner).record
    assert "June" in str(found["passages"]) and "May" not in str(found)
    assert web.ask("GET", "/v1/documents/notes/boiler.txt", token=guest).status == 404
    assert web.ask("DELETE", "/v1/documents/notes/boiler.txt", token=owner).record["deleted"] == 1
    assert web.ask("DELETE", "/v1/documents/notes/boiler.txt", token=owner).status == 404
    assert not [*web.workspace.folder.glob(f"{UPLOAD}*")]


def test_names_of_uploads_lead_nowhere(guarded: tuple[Web, str, str]) -> None:
    web, _, owner = guarded
    folder = web.workspace.folder
    files = {"../../answerable.toml": b"[beam]", "c:\\up\\..\\x.txt": b"One."}
    assert web.upload(files, owner, enclave="notes").status == 200
    assert b"[beam]\nhops" not in (folder / "answerable.toml").read_bytes()
    skipped = web.upload({"x.exe": b"MZ"}, owner, enclave="notes").record["skipped"]
    assert len(skipped) == 1 and skipped[0].startswith("skipped x.exe: ")
    listed = web.ask("GET", "/v1/documents?enclave=notes", token=owner).record["documents"]
    assert {one["source"] for one in listed} == {"x.txt"}
    for name in ("..", ".", "", "/", "\x07.txt", "n" * 300):
        assert web.upload({name: b"x"}, owner, enclave="notes").status == 400, name
    assert web.upload({"a/x.txt": b"x", "b/x.txt": b"y"}, owner, enclave="notes").status == 400
    assert not [*folder.glob(f"{UPLOAD}*")]


def test_an_archive_that_names_other_places_writes_nowhere(guarded: tuple[Web, str, str]) -> None:
    web, _, owner = guarded
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../../escaped.txt", "x")
        archive.writestr("word/document.xml", "<w:document/>")
    got = web.upload({"a.docx": packed.getvalue()}, owner, enclave="notes")
    assert got.status == 200 and not [*web.workspace.folder.parent.parent.rglob("escaped.txt")]


def test_too_large_an_upload_is_refused_before_it_comes(web: Web) -> None:
    head = "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    for length in (2 << 30, 10**15):
        with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
            connection.sendall(f"{head}Content-Length: {length}\r\n\r\n--x\r\n".encode())
            assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--",
        b"\xff" * 99,
        b"--x\r\n\r\n\r\n--x--",
        b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--",
        b'--x\r\nContent-Disposition: form-data; name="enclave"\r\n\r\n\xff\r\n--x--\r\n',
    ],
)
@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "multipart/form-data", "multipart/form-data; boundary="]
)
def test_a_form_that_is_none_is_a_refusal(web: Web, body: bytes, kind: str) -> None:
    got = web.ask("POST", "/v1/documents", body, Content_Type=kind)
    assert got.status in (400, 422), got


def test_a_large_body_has_room_where_files_are_uploaded_and_nowhere_else(guarded: tuple[Web, str, str]) -> None:
    web, _, owner = guarded
    large = b"The boiler was served in May. " * 12_000
    assert len(large) > web.app.settings.max_request
    assert web.upload({"large.txt": large}, owner, enclave="notes").record["documents"] == 1
    head = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {owner}\r\nContent-Length: {len(large)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]


def test_what_a_server_that_was_killed_left_is_removed(web: Web) -> None:
    left = web.workspace.folder / f"{UPLOAD}x"
    left.mkdir()
    (left / "secret.txt").write_text("x")
    WorkspaceApp(web.workspace, ServeSettings(), print)
    assert not left.exists()


@pytest.mark.parametrize("path", ["/v2/ask", "/v1/ask/", "/nothing", "/v1/documents/wiki"])
def test_what_is_not_there_is_a_problem_too(web: Web, path: str) -> None:
    got = web.ask("GET", path)
    assert got.status in (404, 405) and got.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail"} <= got.record.keys()


def test_a_problem_names_the_field_and_the_way_out_but_no_value(web: Web) -> None:
    got = web.ask("POST", "/v1/ask", {"question": ASKED, "k": "hiddenword"})
    assert got.status == 422 and got.record["detail"].startswith("k: ") and b"hiddenword" not in got.body
    got = web.ask("POST", "/v1/ask", {"question": ASKED, "filter": {"after": "no day"}})
    assert got.status == 400 and got.record["hint"].startswith("such as 2001")
