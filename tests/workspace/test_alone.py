"""What an ask answers of one document, as if it were all there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answerable.corpora.paragraphs import paragraphs
from answerable.documents.answering import EVEN, Known, answer
from answerable.documents.encoded import plain_book
from answerable.documents.reader import Guide, Shelved, shelved
from answerable.readers.overlap import OverlapReader
from answerable.types import Answer, Document, Reading
from answerable.workspace.alone import alone
from answerable.workspace.models import STAND_IN
from answerable.workspace.settings import load
from tests.documents.grant import TEXT, guide, shelf

SETTINGS = load(None, {"ANSWERABLE_MODELS_READER": "overlap"})
DOCUMENT = shelf().book.document
QUESTION = "How many pounds is the grant a year?"


def own(document: Document = DOCUMENT, **read: float) -> Shelved:
    ask = alone(replace(SETTINGS, read=replace(SETTINGS.read, **read)), OverlapReader(), STAND_IN, document)
    return replace(shelved(plain_book(document, paragraphs(document))), ask=ask)


def read(question: str, shelf: Shelved | None = None, by: Guide | None = None, known: Known = Known()) -> Reading:
    return answer(by or guide(), shelf or own(), question, known, frozenset({"office"}))


def test_an_answer_stands_in_the_document_and_carries_its_label() -> None:
    reading = read(QUESTION)
    assert reading.text == "1,200" and reading.reason is None and reading.label == {"office"} and reading.bytes == 0
    (cited,) = reading.citations
    assert cited.text == TEXT[cited.start : cited.end] == "The grant is 1,200 pounds a year."
    assert (cited.document, cited.enclave) == ("grant", "office")
    (stop,) = reading.path
    assert (stop.start, stop.end, stop.headings) == (cited.start, cited.end, ("Apprentice grant", "How much"))
    assert reading.passages[0].hit.passage.enclave == "office"


def test_of_a_file_in_no_enclave_nothing_names_one() -> None:
    reading = read(QUESTION, own(replace(DOCUMENT, enclave="")))
    assert reading.text == "1,200"
    assert {one.enclave for one in reading.citations} | {one.hit.passage.enclave for one in reading.passages} == {""}


def test_without_a_sure_answer_there_are_a_reason_the_guesses_and_the_passages() -> None:
    reading = read(QUESTION, own(threshold=1.0))
    assert reading.text is None and reading.reason and "below the threshold 1.0" in reading.reason
    assert reading.others[0][0] == "1,200" and reading.passages and not reading.citations


def test_what_the_document_does_not_speak_of_stays_unanswered() -> None:
    for question in ("Does the ferry carry bicycles?", "Who painted the harbour?"):
        assert read(question).text is None


def test_who_asks_to_be_told_of_something_gets_passages() -> None:
    reading = read("Tell me about the grant")
    assert reading.text is None and reading.via == "passages" and reading.passages


def test_where_a_few_words_are_too_short_it_is_the_sentence() -> None:
    assert read("What are the pounds of the grant a year?").text == "The grant is 1,200 pounds a year."


def test_what_a_rule_leaves_open_is_told_where_nothing_contradicts_it() -> None:
    reading = read("Can you apply for the grant?")
    assert reading.text == "yes, if you are under 25, and you live in Scotland"
    assert reading.ask == "Are you under 25?" and len(reading.conditions) == 2


def said(question: str, text: str, sure: float) -> Shelved:
    """The document, of which an ask says this."""
    found = alone(SETTINGS, OverlapReader(), STAND_IN, DOCUMENT)(question)
    told: Answer = replace(found, text=text, confidence=sure, reason=None, others=())
    return replace(own(), ask=lambda _: told)


@pytest.mark.parametrize(("sure", "text"), [(EVEN, "no"), (0.9, "no"), (EVEN - 0.01, None)])
def test_a_yes_or_a_no_is_given_from_even_on(sure: float, text: str | None) -> None:
    reading = read("Is it paid in Wales?", said("Is it paid in Wales?", "no", sure), guide(None))
    assert reading.text == text
    if text is None:
        assert reading.others[0] == ("no", sure) and reading.reason and "0.50" in reading.reason


def test_a_situation_is_weighed_where_words_lead() -> None:
    known = Known("I am under 25 and I live in Scotland.")
    reading = read("Can you apply for the grant?", known=known)
    assert reading.text == "yes" and len(reading.path) == 1


def test_words_lead_to_the_sentence_that_has_them() -> None:
    book = own()
    (row, _), *_ = book.led("When is it paid?").best(1)
    assert book.book.said(row) == "It is paid on 4 May."
