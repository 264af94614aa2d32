"""A language model behind a real server on loopback: what is sent, what is not, and what is believed."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from answerable.errors import UsageError
from answerable.remote.chat import Chat
from answerable.sets.expression import Expression, canonical, read_expression
from answerable.sets.parsing.asked import AskingParser, understood
from answerable.sets.parsing.parser import Parser

PARSER = Parser.open()
QUERY = "orchids of Peru or Chile"
SAID = '"orchids of Chile" or "orchids of Peru"'


class Server(HTTPServer):
    """Keeps what it was sent, and says what it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.prompts: list[str] = []
        self.said, self.status, self.elsewhere = SAID, 200, ""

    @property
    def chat(self) -> Chat:
        return Chat(f"http://127.0.0.1:{self.server_port}/v1", "m")


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.prompts.append(body["messages"][0]["content"])
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


def same(one: Expression, other: str) -> bool:
    return canonical(one) == canonical(read_expression(other))


def test_the_model_is_asked_and_its_reading_is_the_only_one(server: Server):
    found = AskingParser(PARSER, server.chat).understand(QUERY)
    assert found.note is None and [one.probability for one in found.readings] == [1.0]
    assert same(found.readings[0].expression, SAID)
    assert len(server.prompts) == 1 and server.prompts[0].count(QUERY) == 1


def test_a_private_question_goes_only_to_an_address_for_private_text(server: Server):
    asking = AskingParser(PARSER, server.chat)
    found = asking.understand(QUERY, frozenset({"mail"}))
    assert server.prompts == [] and "private" in str(found.note)
    assert found.readings == PARSER.parse(QUERY)
    found = AskingParser(PARSER, server.chat, private=True).understand(QUERY, frozenset({"mail"}))
    assert len(server.prompts) == 1 and found.note is None


@pytest.mark.parametrize(
    "said", ["", "I cannot do that.", '"orchids of" and', '"orchids of Japan"', '"orchids" minus "Peru']
)
def test_what_is_no_expression_of_the_query_s_words_is_not_believed(server: Server, said: str):
    server.said = said
    found = AskingParser(PARSER, server.chat).understand(QUERY)
    assert found.readings == PARSER.parse(QUERY)
    assert "language model" in str(found.note) and "Peru" not in str(found.note)


def test_a_server_that_fails_or_sends_elsewhere_costs_only_its_reading(server: Server, other: Server):
    server.status = 500
    asking = AskingParser(PARSER, server.chat)
    assert asking.understand(QUERY).readings == PARSER.parse(QUERY)
    server.status, server.elsewhere = 302, f"{other.chat.address}/chat/completions"
    found = asking.understand(QUERY)
    assert found.readings == PARSER.parse(QUERY) and found.note
    assert other.prompts == []


def test_a_query_of_any_length_is_answered_without_sending_a_long_one(server: Server):
    found = AskingParser(PARSER, server.chat).understand("orchids or " * 2000 + "ferns")
    assert server.prompts == [] and found.readings and found.note


def test_the_expression_may_stand_among_marks_of_code():
    assert same(understood(f"```\n{SAID}\n```", QUERY), SAID)
    with pytest.raises(UsageError, match="did not answer with an expression"):
        understood("none", QUERY)
