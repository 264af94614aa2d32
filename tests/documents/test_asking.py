"""What an ask of a document alone answers, where the walk does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from answerable.chains.beam import BeamSettings
from answerable.documents.answering import Known, answer
from answerable.documents.asking import Asking, alone
from answerable.documents.reader import Guide
from answerable.types import Document
from answerable.workspace.models import STAND_IN
from tests.documents.grant import PLAIN, TEXT, guide, shelf

QUESTION = "How many pounds is the grant a year?"
SHELF = shelf()


def unsure(asking: Asking | None, threshold: float = 0.15) -> Guide:
    """A guide whose walk is never sure of an answer."""
    weights = replace(PLAIN, confidence=np.array([0.0, 0.0, -40.0], np.float32))
    return replace(guide(threshold=threshold), weights=weights, asking=asking)


def test_an_ask_answers_where_the_walk_is_not_sure() -> None:
    assert answer(unsure(None), SHELF, QUESTION).text is None
    reading = answer(unsure(Asking(STAND_IN)), SHELF, QUESTION, label=frozenset({"office"}))
    assert reading.text == "1,200" and reading.reason is None and reading.label == {"office"}
    assert 0.5 <= reading.confidence <= 1.0
    (cited,) = reading.citations
    assert cited.text == TEXT[cited.start : cited.end] == "The grant is 1,200 pounds a year."
    assert (cited.document, cited.enclave) == ("grant", "office")
    (stop,) = reading.path
    assert (stop.start, stop.end, stop.headings) == (cited.start, cited.end, ("Apprentice grant", "How much"))


def test_where_the_walk_is_sure_its_answer_stays() -> None:
    sure = replace(guide(), asking=Asking(STAND_IN))
    walked, reading = answer(guide(), SHELF, QUESTION), answer(sure, SHELF, QUESTION)
    assert replace(reading, seconds=walked.seconds) == walked


@pytest.mark.parametrize(
    ("asking", "threshold", "known"),
    [
        (Asking(STAND_IN, threshold=1.1), 0.15, Known()),
        (Asking(STAND_IN), 1.0, Known()),
        (Asking(STAND_IN), 0.15, Known("I live in Wales.")),
        (Asking(STAND_IN), 0.15, Known("", (("Are you under 25?", "yes"),))),
    ],
)
def test_it_is_as_sure_as_both_thresholds_and_knows_of_no_situation(
    asking: Asking, threshold: float, known: Known
) -> None:
    without = answer(unsure(None, threshold), SHELF, QUESTION, known)
    reading = answer(unsure(asking, threshold), SHELF, QUESTION, known)
    assert reading.text is None and reading.reason == without.reason and reading.others == without.others


def test_what_the_document_does_not_speak_of_stays_unanswered() -> None:
    for question in ("Does the ferry carry bicycles?", "Who painted the harbour?"):
        reading = answer(unsure(Asking(STAND_IN)), SHELF, question)
        assert reading.text is None and reading.citations == ()


def test_where_a_few_words_are_too_short_it_is_the_sentence() -> None:
    reading = answer(unsure(Asking(STAND_IN)), SHELF, "What are the pounds of the grant a year?")
    assert reading.text == "The grant is 1,200 pounds a year."


def test_what_is_read_in_a_table_is_left_to_what_reads_it_whole() -> None:
    text = "Name: Ann; Office: Dundee; Pay: 1,200 pounds a year"
    rows = Document("pay", "office", "Pay", text, "pay.csv", "table", meta={"header": ["Name", "Office", "Pay"]})
    by = unsure(Asking(STAND_IN))
    assert answer(by, by.open(rows), "Which office has a pay of 1,200 pounds a year?").text is None
    assert answer(by, by.open(replace(rows, kind="text")), "Which office has a pay of 1,200 pounds a year?").text


def test_a_document_is_an_enclave_by_itself() -> None:
    held = alone(SHELF.book.document)
    assert len(held) == len(SHELF.passages) > 0
    found = Asking(STAND_IN, BeamSettings(hops=1)).decide(guide().reader, held, QUESTION)
    assert found.text == "1,200" and found.candidate is not None and len(found.candidate.chain.hits) == 1
