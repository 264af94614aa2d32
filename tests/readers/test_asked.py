"""What a language model is handed, and what of its reply stands."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from answerable.privacy.enclaves import EnclaveTable, mirror
from answerable.readers.asked import AskedReader, Heard, Said, located, schema, understood, weighed
from answerable.remote.host import LlmSettings
from answerable.retriever import Retriever
from answerable.testing.reader import LIGHT, OTHER, chain
from answerable.types import Document, Passage, Query
from tests.laws.worlds import TinyEncoder
from tests.remote.openai import answer

NUMBERED = [(hit, one) for one in (chain(LIGHT), chain(OTHER)) for hit in one.hits]


def stored(one: Passage) -> Document:
    return Document(one.document_id, one.enclave, one.title, " " * one.start + one.text, "file")


def weigh(question: str, *entries: tuple[str, int, str]) -> Heard:
    said = understood(answer(*entries))
    assert said is not None
    return weighed(question, said, NUMBERED, stored)


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        (answer(("1844", 1, "lit in 1844")), ["1844"]),
        (f"```json\n{answer(('a  b', 1, 'q'))}\n```", ["a b"]),
        (f"<think>It says so.</think>\n{answer(('x', 1, 'q'))} Done.", ["x"]),
        ('{"answer": []}', []),
        ("", None),
        ("no object", None),
        ('{"answer": "text"}', None),
        ('{"said": []}', None),
        ('{"answer": [{"text": "x"}]}', None),
        ('{"answer": [null]}', None),
        ('{"answer": [' + "[" * 100_000, None),
        (answer(("cut", 1, "q"))[:-2], ["cut", ""]),
        (answer(("whole", 1, "q"), ("cut", 1, "q"))[:-8], ["whole", ""]),
        (answer(("cut", 1, "q"))[:-8], None),
        ('{"answer": [{"text": "x", "quotes": []}, null, {"text": "y", "quotes": []}', ["x", ""]),
    ],
)
def test_a_reply_is_of_the_form_asked_for_or_nothing(reply: str, texts: list[str] | None) -> None:
    said = understood(reply)
    assert (said if said is None else [one.text for one in said]) == texts


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("designed by Alan Stevenson", "designed by Alan Stevenson"),
        (" designed\n by  Alan ", "designed by Alan"),
        ("west  of Tiree.\n\nIt", "west of Tiree. It"),
        ("Designed by", None),
        ("designed by ... Stevenson", None),
        ("", None),
        (".", None),
        ("x" * 3000, None),
    ],
)
def test_a_quote_stands_exactly_but_for_white_space(quote: str, found: str | None) -> None:
    span = located(LIGHT, quote)
    assert (LIGHT[slice(*span)] if span else None) == found


def test_a_quote_is_looked_up_in_the_document_as_it_is_stored() -> None:
    said = [Said("Alan Stevenson", ((1, "designed by Alan Stevenson"),))]
    assert weighed("Who?", said, NUMBERED, stored).candidate is not None
    assert weighed("Who?", said, NUMBERED, lambda one: None).candidate is None
    changed = weighed("Who?", said, NUMBERED, lambda one: replace(stored(one), text=stored(one).text.upper()))
    assert changed.candidate is None and not changed.citations


def test_sentences_without_a_quote_that_stands_are_dropped_and_counted() -> None:
    entries = [
        ("Alan Stevenson designed it.", 1, "designed by Alan Stevenson"),
        ("Its glass came from Smethwick.", 2, "made glass in Smethwick"),
        ("It fell.", 2, "it fell"),
    ]
    heard = weigh("Describe Skerryvore", *entries)
    assert heard.candidate and heard.candidate.text == "Alan Stevenson designed it. Its glass came from Smethwick."
    assert [one.text for one in heard.citations] == ["designed by Alan Stevenson", "made glass in Smethwick"]
    (note,) = heard.notes
    assert note.startswith("a sentence of the language model's answer had no quote")
    assert {hit.passage.text for hit in heard.candidate.chain.hits} == {LIGHT, OTHER}
    (cut,) = weighed("Why?", [Said("Alan Stevenson", ((1, "Alan Stevenson"),)), Said("", ())], NUMBERED, stored).notes
    assert cut == note
    nothing = weigh("Why?", *entries[2:], *entries[2:])
    assert nothing.candidate is None and nothing.notes[0].startswith("2 sentences")


def test_a_sentence_that_is_copied_whole_is_its_own_quote() -> None:
    copied = "It was designed by Alan Stevenson and first lit in 1844."
    heard = weigh("Who designed it?", (copied, 1, "words of passage 1"))
    assert heard.candidate and heard.quoted == 1.0 and [one.text for one in heard.citations] == [copied]
    assert weigh("Who designed it?", (copied, 2, "words of passage 2")).candidate is None  # it stands in another
    assert weigh("Who designed it?", ("Alan Stevenson", 1, "words of passage 1")).candidate is None


def test_a_reply_is_held_to_the_passages_there_are_and_to_an_end() -> None:
    entries = schema(3)["properties"]["answer"]
    quotes = entries["items"]["properties"]["quotes"]
    assert quotes["items"]["properties"]["passage"]["enum"] == [1, 2, 3]
    assert 0 < quotes["maxItems"] < entries["maxItems"] < 100


def test_the_share_of_quoted_words_tells_a_copied_answer_from_an_invented_one() -> None:
    quote = "designed by Alan Stevenson"
    asked = "Who designed Skerryvore Lighthouse?"
    assert weigh(asked, ("Alan Stevenson", 1, quote)).quoted == 1.0
    assert weigh(asked, ("Skerryvore was designed by Alan Stevenson.", 1, quote)).quoted == 1.0
    assert weigh(asked, ("Napoleon Bonaparte", 1, quote)).quoted == 0.0
    assert weigh("Was it designed by Alan Stevenson?", ("Yes", 1, quote)).quoted == 1.0
    assert weigh("Was it made of Danish butter?", ("Yes", 1, quote)).quoted == 0.0


class Listening:
    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def reply(self, messages: Any, schema: Any, most: int) -> str:
        assert len(json.dumps(messages)) // 3 + most < 1024
        self.told.append(json.loads(messages[1]["content"]))
        return answer(("1844", 1, "lit in 1844"))


def test_passages_are_numbered_once_and_as_many_as_the_model_takes() -> None:
    model, long = Listening(), chain("word " * 1000)
    asked = AskedReader(model, LlmSettings("http://localhost:1/v1").enclave, "the model", 1024)
    door = Retriever(EnclaveTable([mirror("public")]), {}, TinyEncoder())
    heard = asked.ask(Query("When?"), door, [chain(LIGHT, OTHER), long, chain(LIGHT)], stored)
    (told,) = model.told
    assert [(one["number"], one["text"]) for one in told["passages"]] == [(1, LIGHT), (2, OTHER)]
    assert heard.candidate and heard.candidate.chain == chain(LIGHT, OTHER)
    assert asked.ask(Query("When?"), door, [], stored) == Heard() and len(model.told) == 1
