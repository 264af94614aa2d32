"""The server alone, asked with raw requests: what it refuses, how it says so, and what it never says."""

import json
import socket
import threading
import time
from contextlib import suppress

import pytest

from answerable.errors import UsageError
from answerable.privacy.enclaves import mirror, private, public
from answerable.remote.wire import Search
from answerable.serving.access import ServeSettings
from answerable.serving.server import check_exposure, listen, tokens_for
from tests.laws.worlds import MemoryEnclave, TinyEncoder, passage
from tests.server.proxy import read_message
from tests.server.running import Stored, client, running

TOKEN = "correct-horse-battery"
JSON = "Content-Type: application/json\r\n"
STORED = [passage("wiki", at, f"W{at} SOMETHING") for at in range(3)]


class Slow(Stored):
    """Searches for as long as it is told, or until `gate` opens, and says when it has begun."""

    seconds = 0.0
    broken = False

    def __init__(self, *parts):
        super().__init__(*parts)
        self.begun, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def search(self, sent):
        if self.broken:
            raise RuntimeError(f"the text {sent.text} broke it")
        self.begun.set()
        time.sleep(self.seconds)
        self.gate.wait(30)
        return super().search(sent)


def made():
    return Slow(MemoryEnclave("wiki", STORED, []), TinyEncoder())


def ask(port, request):
    """The status, the headers and the body of one raw request."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        head, _, body = read_message(connection).partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in headers), json.loads(body or b"null")


def post(port, path, body, token=TOKEN, length=None):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{JSON}"
    return ask(port, f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body)


SEARCH = Search("lexical", 3, "W1 hiddenword", None, None).to_bytes()


@pytest.fixture(scope="module")
def log():
    return []


@pytest.fixture(scope="module")
def port(log):
    with running(made(), {"alice": TOKEN}, log, max_request=4096) as port:
        yield port


def test_a_search_by_hand(port):
    status, headers, record = post(port, "/v1/search", SEARCH)
    assert status == 200 and headers["answerable-api"] == "1.2" and headers["cache-control"] == "no-store"
    assert [hit["id"] for hit in record["hits"]] == ["wiki01"]
    assert "enclave" not in record["hits"][0] and "label" not in record["hits"][0]


def test_health_needs_no_token_and_tells_nothing(port):
    assert ask(port, b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n")[::2] == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("method", "path", "body", "token", "status"),
    [
        ("POST", "/v1/search", SEARCH, "hidden-token-of-somebody", 401),
        ("GET", "/v1/about", b"", "", 401),
        ("POST", "/v1/search", b"{}", TOKEN, 400),
        ("POST", "/v1/search", b"\xff{hiddenword", TOKEN, 400),
        ("POST", "/v1/passages", b'{"ids":"hiddenword"}', TOKEN, 400),
        ("POST", "/v1/search", b" " * 5000, TOKEN, 413),
        ("GET", "/v1/search", b"", TOKEN, 405),
        ("POST", "/v1/about", b"", TOKEN, 405),
        ("GET", "/v2/about", b"", TOKEN, 404),
        ("GET", "/hiddenword?hiddenword", b"", TOKEN, 404),
    ],
)
def test_a_refusal_is_short_and_names_no_content(port, log, method, path, body, token, status):
    log.clear()
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{JSON}"
    got, headers, record = ask(port, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    assert got == status and set(record) == {"error"} and set(record["error"]) == {"code", "message"}
    assert headers["answerable-api"] == "1.2"
    written = json.dumps(record) + " ".join(log) + str(headers)
    assert len(log) == 1 and str(status) in log[0] and len(written) < 400
    assert "hidden" not in written and "W1" not in written and TOKEN not in written


@pytest.fixture(scope="module")
def open_port():
    """Of a server that needs no token."""
    with running(made(), hosts="Wiki.example.org, other") as port:
        yield port


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("Host: localhost\r\nContent-Type: application/json", 200),
        ("Host: LOCALHOST.:1\r\nContent-Type: Application/JSON; charset=utf-8", 200),
        ("Host: 127.0.0.1:9\r\nOrigin: http://127.0.0.1:9\r\nContent-Type: application/json", 200),
        ("Host: [::1]:9\r\nContent-Type: application/json", 200),
        ("Host: wiki.example.org\r\nOrigin: https://wiki.example.org\r\nContent-Type: application/json", 200),
        ("Host: other\r\nContent-Type: application/json", 200),
        ("Host: evil.example\r\nOrigin: http://evil.example\r\nContent-Type: application/json", 421),
        ("Host: localhost.evil.example\r\nContent-Type: application/json", 421),
        ("Host: 192.168.0.7\r\nContent-Type: application/json", 421),
        ("Host: \r\nContent-Type: application/json", 421),
        ("Host: [::1\r\nContent-Type: application/json", 421),
        ("Host: localhost\r\nHost: evil.example\r\nContent-Type: application/json", 421),
        ("Content-Type: application/json", 421),
        ("Host: localhost\r\nOrigin: http://evil.example\r\nContent-Type: application/json", 403),
        ("Host: localhost:9\r\nOrigin: http://localhost:3000\r\nContent-Type: application/json", 403),
        ("Host: localhost\r\nOrigin: null\r\nContent-Type: application/json", 403),
        ("Host: localhost\r\nContent-Type: text/plain", 415),
        ("Host: localhost", 415),
    ],
)
def test_a_page_in_a_browser_cannot_ask_in_the_place_of_whoever_sits_there(open_port, lines, status):
    head = f"POST /v1/search HTTP/1.1\r\n{lines}\r\nContent-Length: {len(SEARCH)}\r\n\r\n"
    got, _, record = ask(open_port, head.encode() + SEARCH)
    assert got == status and ("hits" in record) == (status == 200)
    assert "evil" not in json.dumps(record)


@pytest.mark.parametrize(("hosts", "status"), [(None, 200), ("wiki.example.org", 421)])
def test_with_tokens_any_name_will_do_until_names_are_given(hosts, status):
    head = f"GET /v1/about HTTP/1.1\r\nHost: wiki\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    with running(made(), {"alice": TOKEN}, hosts=hosts) as port:
        assert ask(port, head.encode())[0] == status


@pytest.mark.parametrize(("host", "url"), [("::1", "http://[::1]"), ("127.0.0.1", "http://localhost")])
def test_a_client_asks_by_every_name_of_this_machine(host, url):
    try:
        listen(ServeSettings(host=host, port=0)).close()
    except UsageError:
        pytest.skip("this machine has no such address")
    with running(made(), host=host) as port:
        there = client(f"{url}:{port}", TinyEncoder())
        assert there.search("W1", None, "lexical", 3)[0][0] == "wiki01"
        there.close()


def test_nothing_is_logged_of_a_search_that_is_answered(port, log):
    log.clear()
    assert post(port, "/v1/search", SEARCH)[0] == 200
    assert log == []


def test_a_request_that_never_ends_is_hung_up_on():
    starts = [
        b"",
        b"POST /v1/search HTTP/1.1\r\nHost: x\r\n",
        b"POST /v1/health HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
    ]
    with running(made(), timeout=0.5) as port:
        connections = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in starts]
        for connection, start in zip(connections, starts, strict=True):
            connection.sendall(start)
        for connection in connections:
            with connection, connection.makefile("rb") as reply:
                assert not reply.read().startswith(b"HTTP/1.1 200")  # raises when it is not hung up on


def test_headers_without_end_are_hung_up_on(port):
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, suppress(OSError):
        connection.sendall(b"GET /v1/health HTTP/1.1\r\n")
        while sent < 400:
            connection.sendall(b"x: " + b"y" * 4000 + b"\r\n")
            time.sleep(0.001)
            sent += 1
    assert sent < 400


def test_more_than_the_rate_is_refused_for_that_token_alone():
    with running(made(), {"alice": TOKEN, "bob": TOKEN[::-1]}, rate=0.02) as port:
        assert [post(port, "/v1/search", SEARCH)[0] for _ in range(2)] == [200, 429]
        assert int(post(port, "/v1/search", SEARCH)[1]["retry-after"]) >= 1
        assert post(port, "/v1/search", SEARCH, TOKEN[::-1])[0] == 200


def test_searches_that_cannot_wait_and_searches_that_take_too_long_are_refused():
    slow = made()
    slow.gate.clear()
    with running(slow, concurrent=1, waiting=0, timeout=0.5) as port:
        statuses = []
        threads = [
            threading.Thread(target=lambda: statuses.append(post(port, "/v1/search", SEARCH)[0])) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [503, 503, 503]
        slow.gate.set()
        assert any(post(port, "/v1/search", SEARCH)[0] == 200 for _ in range(1000))


def test_an_error_inside_tells_its_class_alone():
    broken, log = made(), []
    broken.broken = True
    with running(broken, log=log) as port:
        status, _, record = post(port, "/v1/search", SEARCH)
    assert status == 500 and record["error"]["code"] == "internal"
    assert any("RuntimeError" in line for line in log) and "hiddenword" not in " ".join(log)


def test_a_server_that_stops_answers_what_was_begun():
    slow = made()
    slow.seconds = 0.4
    statuses = []
    with running(slow) as port:
        thread = threading.Thread(target=lambda: statuses.append(post(port, "/v1/search", SEARCH)[0]))
        thread.start()
        assert slow.begun.wait(30)
    thread.join()
    assert statuses == [200]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "wiki.example.org"])
def test_other_machines_may_not_ask_without_a_token(host):
    with pytest.raises(UsageError, match="without a token would let anyone on the network ask"):
        check_exposure(public("wiki"), ServeSettings(host=host), {})
    check_exposure(public("wiki"), ServeSettings(host=host), {"a": TOKEN})


def test_a_private_enclave_is_never_served_without_a_token():
    for enclave in (public("wiki"), mirror("wiki")):
        check_exposure(enclave, ServeSettings(), {})
    with pytest.raises(UsageError, match="mail without a token"):
        check_exposure(private("mail"), ServeSettings(), {})


def test_tokens_come_from_the_file_and_the_environment(tmp_path):
    (tmp_path / "tokens").write_text(f"alice: {TOKEN}")
    settings = ServeSettings(token_file=str(tmp_path / "tokens"))
    assert tokens_for(settings, {}) == {"alice": TOKEN}
    assert set(tokens_for(settings, {"ANSWERABLE_TOKEN": TOKEN[::-1]}).values()) == {TOKEN, TOKEN[::-1]}
    assert tokens_for(ServeSettings(), {}) == {}


def test_an_address_that_is_taken_is_said():
    with listen(ServeSettings(port=0)) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} cannot be served on"):
            listen(ServeSettings(port=port))
