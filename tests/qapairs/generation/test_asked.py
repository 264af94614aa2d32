"""A language model behind a real server on loopback: what it is sent, what is kept back, and what is believed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.errors import WorkspaceError
from answerable.privacy.audit_log import JOURNAL, AuditLog, JournalSettings
from answerable.privacy.enclaves import EnclaveTable
from answerable.qapairs.generation.asked import AskedGenerator, asks, understood
from answerable.qapairs.generation.parts import Extracted
from answerable.remote.chat import Chat
from answerable.testing.reader import GeneratorContract
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Passage
from tests.remote.openai import Model, serving

TEXTS = {
    "kopu": "Kopu was finished in 1531. It stands in Estonia.",
    "hook": "Hook was finished in 1245. It stands in Ireland.",
}
SAID = json.dumps(
    {"1": ["when was the lighthouse finished?", "in which year was it lit?"], "2": ["where does it stand?"]}
)


@pytest.fixture
def model() -> Iterator[Model]:
    with serving(Model(lambda _: SAID)) as made:
        yield made


ELSEWHERE = Enclave("llm", PUBLIC, PUBLIC, remote=True, answers=True)
LABELS = {"wiki": PUBLIC, "mail": frozenset({"mail"})}


def chat(model: Model) -> Chat:
    return Chat(model.address, "m")


def asking(model: Model, host: Enclave = ELSEWHERE) -> AskedGenerator:
    return AskedGenerator(chat(model), host, LABELS)


def prompts(model: Model) -> list[str]:
    return [body["messages"][0]["content"] for body in model.bodies]


def passage_of(name: str, enclave: str = "wiki") -> Passage:
    return Passage(f"{enclave}/{name}#0", f"{enclave}/{name}", enclave, name.title(), TEXTS[name], 0, len(TEXTS[name]))


def answers_of(name: str) -> tuple[Extracted, ...]:
    text = TEXTS[name]
    found = [text[text.index("in ") + 3 :][:4], text.rsplit(" ", 1)[1].rstrip(".")]
    return tuple(Extracted(text.index(one), text.index(one) + len(one), one, 0.5, "told") for one in found)


class TestAskedGenerator(GeneratorContract):
    passages = (passage_of("kopu"), passage_of("hook"))
    answers = (answers_of("kopu"), answers_of("hook"))

    @pytest.fixture(autouse=True)
    def _asking(self, model: Model) -> None:
        self.model, self.generator = model, asking(model)

    def test_each_passage_is_sent_once_with_its_answers(self) -> None:
        made = self.generator.generate(self.passages, self.answers)
        assert [(one.question, one.answer.text, one.score / one.answer.score) for one in made[0]] == [
            ("when was the lighthouse finished?", "1531", 1.0),
            ("in which year was it lit?", "1531", 0.5),
            ("where does it stand?", "Estonia", 1.0),
        ]
        assert len(prompts(self.model)) == 2
        for prompt, passage, answers in zip(prompts(self.model), self.passages, self.answers, strict=True):
            assert passage.text in prompt and f"1. {answers[0].text}\n2. {answers[1].text}" in prompt


def test_text_of_other_enclaves_goes_only_to_an_address_for_private_text(model: Model):
    both = [passage_of("kopu", "mail"), passage_of("hook")]
    given = [answers_of("kopu"), answers_of("hook")]
    careful = asking(model)
    made = careful.generate(both, given)
    assert made[0] == [] and made[1]
    assert len(prompts(model)) == 1 and "Kopu" not in prompts(model)[0]
    assert AskedGenerator(chat(model), ELSEWHERE, {}).generate(both, given) == [[], []] and len(prompts(model)) == 1
    here = Enclave("llm", PUBLIC, EVERYTHING, answers=True)
    assert all(asking(model, here).generate(both, given)) and len(prompts(model)) == 3


def test_what_is_sent_is_in_the_journal_before_and_so_is_what_is_not(model: Model, tmp_path: Path):
    journal, seen = AuditLog(tmp_path / JOURNAL, JournalSettings(text=True)), list[int]()
    replies = ["", SAID]

    def reply(_: object) -> str:
        seen.append(len(journal.path.read_bytes().splitlines()))
        return replies.pop(0)

    model.reply = reply
    generator = replace(asking(model), journal=journal)
    generator.generate([passage_of("kopu", "mail"), passage_of("hook")], [answers_of("kopu"), answers_of("hook")])
    table = EnclaveTable([Enclave("wiki", PUBLIC), Enclave("mail", LABELS["mail"], EVERYTHING), ELSEWHERE])
    lines = journal.shown(Asker(), table)
    assert [(one["enclave"], one["label"], one["allowed"], one["mode"], one["hits"]) for one in lines] == [
        ("llm", ["mail"], False, None, None),
        ("llm", [], True, "pairs", None),
        ("llm", [], True, "pairs", 3),
    ]
    assert seen == [2, 3] and len({one["ask"] for one in lines}) == 1
    assert [one.get("text") for one in lines] == [None, *prompts(model)]
    journal.path.unlink()
    journal.path.mkdir()
    with pytest.raises(WorkspaceError, match="journal"):
        generator.generate([passage_of("hook")], [answers_of("hook")])
    assert len(prompts(model)) == 2


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
def test_a_bad_reply_is_asked_for_once_more_and_passed_over(model: Model, said: str):
    model.reply = lambda _: said
    generator = asking(model)
    assert generator.generate([passage_of("kopu")], [answers_of("kopu")]) == [[]]
    assert len(prompts(model)) == 2


def test_questions_that_are_none_are_dropped(model: Model):
    questions = [
        "finished in what year?",
        "What was finished in 1531?",
        "the year.",
        "what does the passage say it is?",
    ]
    model.reply = lambda _: f"```json\n{json.dumps({'1': [*questions, questions[0]]})}\n```"
    generator = asking(model)
    (made,) = generator.generate([passage_of("kopu")], [answers_of("kopu")])
    assert [one.question for one in made] == questions[:1]


def test_a_server_that_fails_ends_it_and_is_named_without_the_text(model: Model):
    model.fault = "status"
    with pytest.raises(WorkspaceError) as raised:
        asking(model).generate([passage_of("kopu")], [answers_of("kopu")])
    assert model.address.rsplit(":", 1)[1].split("/")[0] in str(raised.value) and "Kopu" not in str(raised.value)
    assert len(prompts(model)) == 2


def test_what_asks_and_what_gives_its_answer_away():
    assert asks("who was it?", "Kõpu") and asks("who was an artist of art?", "the art of it")
    for question in ("who was it", "it?", "who was Kõpu?", "who is in the text above?", "who is it in this passage?"):
        assert not asks(question, "Kõpu")
    assert not asks("who was it?", "the")  # an answer of which nothing is left is in every question
    assert understood('{"2": ["a b c?"]}', 2) == [[], ["a b c?"]] and understood("{}", 0) == []
