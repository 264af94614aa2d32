"""Models behind a real server on loopback: what is sent where, and what is never sent."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from answerable.errors import UsageError, WorkspaceError
from answerable_bench.endpoint import Endpoints
from answerable_bench.pairs import Pair
from answerable_bench.plan import SLICES
from bench_tests.world import mail, page

PASSAGES = (mail("Fulmar Ropes signed a contract for the Petrel."), page("Fulmar Ropes", "It was founded in 1921."))
REPLY = {"question": "When was it founded?", "answer": " 1921", "sentences_1": [0], "sentences_2": [0]}


class Server(HTTPServer):
    """Keeps what it was sent, and answers as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[dict[str, object]] = []
        self.keys: list[str | None] = []
        self.status, self.said, self.elsewhere = 200, json.dumps(REPLY), ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        assert self.path == "/v1/chat/completions"
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.keys.append(self.headers["Authorization"])
        self.send_response(self.server.status)
        if self.server.elsewhere:
            self.send_header("Location", self.server.elsewhere)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": self.server.said}}]}).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


def serving() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


server = pytest.fixture(serving)
other = pytest.fixture(serving)


def pair(slice: str) -> Pair:
    return Pair("x1", slice, "bridge", ("e1_p0", "Q1"), ("Fulmar Ropes",) * 2)


def test_private_text_goes_only_to_the_endpoint_named_for_it(server: Server, other: Server, tmp_path: Path):
    ask = Endpoints("m", public=server.address).proposer(tmp_path)
    for slice in SLICES:
        list(ask(pair(slice), PASSAGES))
    assert len(server.bodies) == 1  # of public passages alone
    ask = Endpoints("m", public=server.address, private=other.address).proposer(tmp_path / "again")
    (tmp_path / "again").mkdir()
    for slice in ("PP", "PG", "GP"):
        assert [one.answer for one in ask(pair(slice), PASSAGES)] == ["1921"]
        assert len(other.bodies) == 1  # the same text is asked for once
    assert len(server.bodies) == 1


def test_a_question_is_proposed_and_remembered(server: Server, tmp_path: Path):
    server.said = json.dumps({**REPLY, "note": "a line\u2028and another"}, ensure_ascii=False)
    endpoints = Endpoints("m", public=server.address, key="secret")
    (one,) = endpoints.proposer(tmp_path)(pair("GG"), PASSAGES)
    assert (one.question, one.answer, one.sentences, one.by) == ("When was it founded?", "1921", ((0,), (0,)), "m")
    assert server.keys == ["Bearer secret"] and "secret" not in json.dumps(endpoints.told)
    for _ in range(2):
        assert list(endpoints.proposer(tmp_path)(pair("GG"), PASSAGES)) == [one] and len(server.bodies) == 1
    assert (tmp_path / "answers.jsonl").stat().st_mode & 0o077 == 0


def test_an_answer_that_was_cut_off_is_asked_for_again(server: Server, tmp_path: Path):
    ask = Endpoints("m", public=server.address)
    list(ask.proposer(tmp_path)(pair("GG"), PASSAGES))
    whole = (tmp_path / "answers.jsonl").read_bytes()
    (tmp_path / "answers.jsonl").write_bytes(whole[:-9])
    for _ in range(2):
        assert len(list(ask.proposer(tmp_path)(pair("GG"), PASSAGES))) == 1
    assert len(server.bodies) == 2 and (tmp_path / "answers.jsonl").read_bytes() == whole


@pytest.mark.parametrize(
    "said",
    ["I cannot.", "{}", '{"question": 1, "answer": "a", "sentences_1": [0], "sentences_2": [0]}',
         json.dumps({**REPLY, "sentences_1": "0"}), "[]"],
)  # fmt: skip
def test_an_answer_of_another_form_is_no_question(server: Server, tmp_path: Path, said: str):
    server.said = said
    assert list(Endpoints("m", public=server.address).proposer(tmp_path)(pair("GG"), PASSAGES)) == []


def test_a_redirect_is_not_followed(server: Server, other: Server, tmp_path: Path):
    server.status, server.elsewhere = 307, other.address + "/chat/completions"
    with pytest.raises(WorkspaceError, match="cannot be asked") as raised:
        list(Endpoints("m", public=server.address).proposer(tmp_path)(pair("GG"), PASSAGES))
    assert other.bodies == [] and "Petrel" not in str(raised.value)


def test_a_proxy_of_the_environment_is_not_used(server: Server, other: Server, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("http_proxy", other.address)
    monkeypatch.delenv("no_proxy", raising=False)
    list(Endpoints("m", public=server.address).proposer(tmp_path)(pair("GG"), PASSAGES))
    assert len(server.bodies) == 1 and other.bodies == []


def test_addresses_that_are_none_are_refused():
    with pytest.raises(UsageError, match="no address"):
        Endpoints("m", public="file:///etc/passwd")
    with pytest.raises(UsageError, match="name of a model"):
        Endpoints("", public="http://localhost:1/v1")
