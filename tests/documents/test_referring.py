"""Sections that a text names, and questions for one."""

from __future__ import annotations

import pytest

from answerable.documents.answering import answer
from answerable.documents.referring import section_asked, sections_named
from tests.documents.grant import guide, shelf

TEXT = """# Harbour rules

## 1. Berths

A berth is given for a year. Fees are those of Section 3.1.

## 2. Nights

No boat may leave at night.

## 3. Money

### 3.1. Fees

A berth costs 40 pounds, to be paid under section 2 of the Harbour Act. It is due in May.

3.2. Fines are set by the master.

## B note on cats

They are not allowed.

## 4. Dogs

{dogs}

## Appendix B

The map of the harbour.
""".format(dogs="A dog is kept on a lead. " * 40)
BOOK = shelf(TEXT).book


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("as said in Section 3.1(b)", ["A berth costs"]),
        ("under sections 1, 2 and 3.2", ["A berth is", "No boat", "3.2. Fines"]),
        ("§ 2", ["No boat"]),
        ("see Appendix B of this document", ["The map"]),
        ("(see Nights)", ["No boat"]),
        ("See also Berths.", ["A berth is"]),
        ("section 2 of the Harbour Act", []),
        ("under section 9, 3.1 pounds", []),
        ("see Nightsong", []),
    ],
)
def test_sections_are_found_by_number_and_title(text: str, begins: list[str]) -> None:
    found = [BOOK.document.text[slice(*span)] for span in sections_named(BOOK, text)]
    assert len(found) == len(begins) and all(map(str.startswith, found, begins))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does section 2 say?", True),
        ("What is said in § 3.1?", True),
        ("What is in Appendix B", True),
        ("What does section 2 say about boats?", True),
        ("What does section 4 say about boats?", False),
        ("What does section 9 say?", False),
        ("What are the fees?", False),
    ],
)
def test_a_question_may_ask_for_a_section_and_no_more(question: str, asked: bool) -> None:
    assert (section_asked(BOOK, question) is not None) is asked


def test_what_an_answer_refers_to_is_cited_after_it() -> None:
    reading = answer(guide(), shelf(TEXT), "What does section 1 say?")
    assert reading.text == "A berth is given for a year. Fees are those of Section 3.1."
    assert [(one.place, one.text) for one in reading.citations[1:]] == [
        ("§ 3.1. Fees", "A berth costs 40 pounds, to be paid under section 2 of the Harbour Act.")
    ]
