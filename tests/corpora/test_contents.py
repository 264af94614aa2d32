"""Tables of contents, which say nothing that the headings do not."""

from __future__ import annotations

import time

import pytest

from answerable.corpora.contents import contents
from answerable.corpora.headings import text_sections
from answerable.corpora.paragraphs import paragraphs
from answerable.types import Document

BODY = (
    "1 Oil\n\nIt is burned.\n\n2 May it be\n\nkept? No.\n\n2.1 Wicks and\n\nThey are cut.\n\n3 Lamps\n\nThey are lit.\n"
)
LISTED = "1 Oil . . . . . . . 1\n2 May it be ........ 2\n2.1 Wicks and\nhow they are cut .... 3\n3 Lamps\t4"


def document(text: str) -> Document:
    return Document("n", "e", "", text, "n", "text", text_sections(text))


def test_a_table_of_contents_is_no_text() -> None:
    one = document(f"The lamp\n\n{LISTED}\n\n{BODY}")
    ((start, end),) = contents(one)
    assert one.text[start:end] == LISTED
    said = [one.text[a:b] for paragraph in paragraphs(one) for a, b in paragraph.sentences]
    assert "It is burned." in said and not any("1 Oil" in each or "...." in each for each in said)


@pytest.mark.parametrize(
    "text",
    [
        f"Wicks ..... 3\nGlass ..... 12\nBrass ..... 40\n\n{BODY}",
        f"1 Oil ..... 3\n\n{BODY}",
        LISTED,
    ],
)
def test_a_list_that_names_no_headings_is_text(text: str) -> None:
    assert contents(document(text)) == ()


def test_time_grows_with_the_text_and_no_faster() -> None:
    text = (LISTED + "\n") * 5_000 + BODY
    began = time.perf_counter()
    contents(document(text))
    assert time.perf_counter() - began < 20
