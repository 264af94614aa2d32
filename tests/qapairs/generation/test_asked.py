"""A language model behind a real server on loopback: what it is sent, what is kept back, and what is believed."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from answerable.errors import WorkspaceError
from answerable.qapairs.generation.asked import AskedGenerator, asks, understood
from answerable.qapairs.generation.parts import Extracted
from answerable.remote.chat import Chat
from answerable.testing.reader import GeneratorContract
from answerable.types import Passage


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
TEXTS = {
    "kopu": "Kopu was finished in 1531. It stands in Estonia.",
    "hook": "Hook was finished in 1245. It stands in Ireland.",
}
SAID = json.dumps(
    {"1": ["when was the lighthouse finished?", "in which year was it lit?"], "2": ["where does it stand?"]}
)


def passage_of(name: str, enclave: str = "wiki") -> Passage:
    return Passage(f"{enclave}/{name}#0", f"{enclave}/{name}", enclave, name.title(), TEXTS[name], 0, len(TEXTS[name]))


def answers_of(name: str) -> tuple[Extracted, ...]:
    text = TEXTS[name]
    found = [text[text.index("in ") + 3 :][:4], text.rsplit(" ", 1)[1].rstrip(".")]
    return tuple(Extracted(text.index(one), text.index(one) + len(one), one, "", 0.5, "told") for one in found)


class TestAskedGenerator(GeneratorContract):
    passages = (passage_of("kopu"), passage_of("hook"))
    answers = (answers_of("kopu"), answers_of("hook"))

    @pytest.fixture(autouse=True)
    def _asking(self, server: Server) -> None:
        server.said = SAID
        self.server, self.generator = server, AskedGenerator(server.chat, {"wiki"})

    def test_each_passage_is_sent_once_with_its_answers(self) -> None:
        made = self.generator.generate(self.passages, self.answers)
        assert [(one.question, one.answer.text, one.score / one.answer.score) for one in made[0]] == [
            ("when was the lighthouse finished?", "1531", 1.0),
            ("in which year was it lit?", "1531", 0.5),
            ("where does it stand?", "Estonia", 1.0),
        ]
        assert len(self.server.prompts) == 2
        for prompt, passage, answers in zip(self.server.prompts, self.passages, self.answers, strict=True):
            assert passage.text in prompt and f"1. {answers[0].text}\n2. {answers[1].text}" in prompt


def test_text_of_other_enclaves_goes_only_to_an_address_for_private_text(server: Server):
    server.said = SAID
    both = [passage_of("kopu", "mail"), passage_of("hook")]
    given = [answers_of("kopu"), answers_of("hook")]
    careful = AskedGenerator(server.chat, {"wiki"})
    made = careful.generate(both, given)
    assert made[0] == [] and made[1]
    assert len(server.prompts) == 1 and "Kopu" not in server.prompts[0]
    assert AskedGenerator(server.chat).generate(both, given) == [[], []] and len(server.prompts) == 1
    assert all(AskedGenerator(server.chat, private=True).generate(both, given)) and len(server.prompts) == 3


@pytest.mark.parametrize(
    "said",
    [
        "",
        "When was it finished?",
        "[]",
        '{"3": ["when was it finished?"]}',
        '{"1": "when was it finished?"}',
        '{"1": [1531]}',
        f"Here you are: {SAID}",
        "[" * 100_000,
    ],
)
def test_a_bad_reply_is_asked_for_once_more_and_passed_over(server: Server, said: str):
    server.said = said
    generator = AskedGenerator(server.chat, {"wiki"})
    assert generator.generate([passage_of("kopu")], [answers_of("kopu")]) == [[]]
    assert len(server.prompts) == 2


def test_questions_that_are_none_are_dropped(server: Server):
    questions = [
        "finished in what year?",
        "What was finished in 1531?",
        "the year.",
        "what does the passage say it is?",
    ]
    server.said = f"```json\n{json.dumps({'1': [*questions, questions[0]]})}\n```"
    generator = AskedGenerator(server.chat, {"wiki"})
    (made,) = generator.generate([passage_of("kopu")], [answers_of("kopu")])
    assert [one.question for one in made] == questions[:1]


def test_a_server_that_fails_ends_it_and_is_named_without_the_text(server: Server):
    server.status = 500
    with pytest.raises(WorkspaceError) as raised:
        AskedGenerator(server.chat, {"wiki"}).generate([passage_of("kopu")], [answers_of("kopu")])
    assert str(server.server_port) in str(raised.value) and "Kopu" not in str(raised.value)
    assert len(server.prompts) == 2


def test_what_asks_and_what_gives_its_answer_away():
    assert asks("who was it?", "Kõpu") and asks("who was an artist of art?", "the art of it")
    for question in ("who was it", "it?", "who was Kõpu?", "who is in the text above?", "who is it in this passage?"):
        assert not asks(question, "Kõpu")
    assert not asks("who was it?", "the")  # an answer of which nothing is left is in every question
    assert understood('{"2": ["a b c?"]}', 2) == [[], ["a b c?"]] and understood("{}", 0) == []
