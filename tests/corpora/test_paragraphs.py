"""Paragraphs: whole sentences in order, headings left to the path, lists and rows kept together."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown
from answerable.corpora.outline import Draft, nest
from answerable.corpora.paragraphs import Paragraph, paragraphs
from answerable.corpora.quotes import quote_sections
from answerable.corpora.tables import table_document
from answerable.text import count_words
from answerable.types import Document, Section

KINDS = ("text", "markdown", "html", "docx", "pdf", "mail", "record", "table", "linked")


def document(text: str, kind: str = "text", sections: tuple[Section, ...] = ()) -> Document:
    if kind == "markdown" and not sections:
        text, sections, _ = read_markdown(text)
    if kind == "mail":
        sections = quote_sections(text, 0)
    return Document("n", "e", "", text, "n", kind, sections)


def said(one: Document) -> list[list[str]]:
    return [[one.text[start:end] for start, end in paragraph.sentences] for paragraph in paragraphs(one)]


def prose(count: int, words: int = 10) -> str:
    return " ".join(f"Sentence {number} " + "goes " * (words - 3) + "on." for number in range(count))


def left_out(text: str, found: tuple[Paragraph, ...]) -> str:
    """What stands in no sentence, blanks left out."""
    marks = bytearray(len(text))
    for paragraph in found:
        for start, end in paragraph.sentences:
            assert not any(marks[start:end]), "a character is in one sentence only"
            marks[start:end] = b"\1" * (end - start)
    return "".join("".join(c for c, mark in zip(text, marks, strict=True) if not mark).split())


texts = st.lists(
    st.one_of(
        st.sampled_from(
            ["word ", "A sentence ends. ", "Is it? ", "\n", "\n\n", "; ", "- ", "1. ", "Name: ", "\n---\n"]
        ),
        st.sampled_from(
            ["# Head\n", "\n## Low\n\n", "Under\n=====\n", "> To: a\n", "a: b; c: d\n", "\f", "\r\n", "\x1c"]
        ),
        st.integers(1, 300).map(lambda n: "many " * n),
        st.integers(1, 3000).map(lambda n: "x" * n),
        st.integers(1, 300).map(lambda n: "漢字。" * n),
        st.integers(1, 60).map(prose),
        st.text(max_size=20),
    ),
    max_size=12,
).map("".join)


@given(texts, st.sampled_from(KINDS))
def test_laws_of_paragraphs(text: str, kind: str) -> None:
    one = document(text, kind)
    found = paragraphs(one)
    for before, after in pairwise(found):
        assert before.end <= after.start
    for paragraph in found:
        spans = paragraph.sentences
        assert (paragraph.start, paragraph.end) == (spans[0][0], spans[-1][1])
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
        for start, end in spans:
            piece = one.text[start:end]
            assert piece == piece.strip() != "" and count_words(piece) <= 120
    left = left_out(one.text, found)
    if kind in ("text", "pdf", "mail"):
        # Blocks without a letter or digit are no text.
        assert not any(map(str.isalnum, left))
    if kind == "linked":
        assert left == ""
    if kind == "table":
        assert set(left) <= {";"}
    if kind == "markdown":
        titles = "".join(one.text[section.start : section.start + 400] for section in one.sections)
        assert all(c in titles for c in left if c.isalnum())


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), max_size=12))
def test_headings_are_paths_and_never_sentences(shape: list[tuple[int, int]]) -> None:
    draft = Draft()
    expected = []
    path: dict[int, str] = {}
    for number, (depth, blocks) in enumerate(shape):
        draft.heading(f"Heading {number}", depth)
        path = {level: title for level, title in path.items() if level < depth} | {depth: f"Heading {number}"}
        for block in range(blocks):
            draft.block(f"{prose(3)} Block {block} of heading {number} ends.")
            expected.append(tuple(path[level] for level in sorted(path)))
    text, sections, _ = draft.finish()
    one = document(text, "html", sections)
    assert [paragraph.path for paragraph in paragraphs(one)] == expected
    assert not any("Heading" in sentence for block in said(one) for sentence in block)


def test_an_empty_document_has_none() -> None:
    assert paragraphs(document("")) == paragraphs(document(" \n\n\t\n")) == ()
    assert paragraphs(document("# Alone\n", "markdown")) == ()
    assert paragraphs(document("----\n\n* * *\n")) == ()


def test_blank_lines_part_paragraphs_and_wrapped_lines_do_not() -> None:
    first, second = prose(4).replace("goes on", "goes\non"), prose(3)
    assert [len(block) for block in said(document(f"{first}\n \n{second}\n"))] == [4, 3]


def test_a_list_stays_with_the_sentence_that_leads_into_it() -> None:
    lead = prose(3) + " You need all of these:"
    text = f"{lead}\n\n- one. It is\n  wrapped\n- two\n\n- three\n\n{prose(3)}"
    first, second = said(document(text, "markdown"))
    assert first[-4:] == ["You need all of these:", "- one. It is\nwrapped", "- two", "- three"] and len(second) == 3
    numbered = said(document("Do this:\n1. Open it.\n2. Close it.\n(a) gently"))
    assert numbered == [["Do this:", "1. Open it.", "2. Close it.", "(a) gently"]]
    assert said(document("You need:\none\ntwo", "html")) == [["You need:", "one", "two"]]
    assert len(said(document("A house was built by\nJ. Smith in\n1999.", "text"))[0]) == 1


def test_short_neighbours_under_one_heading_are_joined() -> None:
    line = "A line of a few words."
    text = "# A\n\n" + "\n\n".join([line] * 4) + "\n\n## B\n\n" + line + "\n\n" + prose(4)
    assert [(len(p.sentences), p.path) for p in paragraphs(document(text, "markdown"))] == [
        (4, ("A",)),
        (1, ("A", "B")),
        (4, ("A", "B")),
    ]
    many = paragraphs(document("\n\n".join([line] * 40)))
    assert all(count_words(line) * len(p.sentences) <= 100 for p in many) and len(many) == 3


def test_a_term_stays_with_what_is_said_of_it() -> None:
    text = (
        f"The levels are these.\n\nrequired\n\n{prose(2)}\n\noptional\n\n{prose(12)}\n\nA.\n\nB:\n\n{prose(1)}\n\nlast"
    )
    (lead,), (first, *_), (second, *_), *rest = said(document(text, "html"))
    assert (lead, first, second) == ("The levels are these.", "required", "optional")
    assert [one[0] for one in rest] == ["A.", "B:"] and rest[-1][-1] == "last"


def test_a_question_stays_with_what_answers_it() -> None:
    text = f"{prose(3)}\n\nQ: Is it free?\n\nA: No.\n\nQ: When is it open?\n\nA: At noon. {prose(5)}"
    assert [one[0] for one in said(document(text))][1:] == ["Q: Is it free?", "Q: When is it open?"]


def test_rows_are_paragraphs_of_cells() -> None:
    record = {"header": ["Name", "Note"], "section_text": "All of them. Really.", "title": "T"}
    rows = [["Ada", {"text": "old; Name of it; x: y"}], ["Bo", ""]]
    one = table_document({**record, "rows": rows}, "t", "s", "e", 0)
    assert one is not None
    assert said(one) == [["All of them.", "Really."], ["Name: Ada", "Note: old; Name of it; x: y"], ["Name: Bo"]]
    headless = document("red; round\nblue; square", "table")
    assert said(headless) == [["red", "round"], ["blue", "square"]]


@pytest.mark.parametrize("kind", ["html", "docx", "markdown", "record"])
def test_rows_inside_other_documents_are_paragraphs_too(kind: str) -> None:
    text = "What they are.\n\nName: Ada; Age: 4\nName: Bo\nName: Cy; Age: 5\n\nThe end; it is: over."
    cells = [["Name: Ada", "Age: 4"], ["Name: Bo"], ["Name: Cy", "Age: 5"]]
    assert said(document(text, kind)) == [["What they are."], *cells, ["The end; it is: over."]]


def test_sentences_with_colons_are_no_row() -> None:
    text = "It was so (see: a; also: b). Then: it was not; it went: on and on. That is: all of it; and more: more."
    assert len(said(document(text, "record"))[0]) == 3


def test_lines_of_a_text_that_is_not_wrapped_are_sentences() -> None:
    text = "What to do\n" + prose(5)
    assert said(document(text, "record"))[0][0] == "What to do"
    assert said(document("What to\ndo now.", "record")) == [["What to\ndo now."]]


def test_text_of_a_pdf_is_parted_where_sentences_end_lines() -> None:
    lines = [
        f"Line {number} of the text has about ten words or" + ("." if number % 4 == 3 else "") for number in range(90)
    ]
    found = paragraphs(document("\n".join(lines), "pdf"))
    sizes = [sum(count_words("\n".join(lines)[a:b]) for a, b in p.sentences) for p in found]
    assert len(found) >= 5 and all(150 <= size <= 200 for size in sizes[:-1])
    short = ["A line that is as long as any other line is here."] * 8 + ["It ends."]
    assert [len(p.sentences) for p in paragraphs(document("\n".join(short * 3), "pdf"))] == [9, 9, 9]


def test_a_run_in_heading_leaves_the_rest_of_its_line() -> None:
    text = "§ 4. Scope. It covers all.\n\nMore of it."
    one = document(text, "text", nest([(0, 1, "§ 4. Scope")], len(text)))
    assert said(one) == [["It covers all.", "More of it."]]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 50_000,
        "x" * 250_000,
        "A short sentence. " * 13_500,
        "clause; " * 12_500,
        "a: b; c: d; " * 4_000,
        "line\n" * 10_000,
        "a\n\n" * 3_750,
        " " * 250_000,
        "\n" * 50_000,
        "- item\n" * 6_000,
    ],
    ids=["words", "letters", "sentences", "semicolons", "cells", "lines", "blocks", "blanks", "empty lines", "items"],
)
def test_time_grows_with_the_text_and_no_faster(text: str) -> None:
    for kind in ("html", "pdf"):
        began = time.process_time()
        paragraphs(document(text, kind))
        assert time.process_time() - began < 0.75


def test_two_thousand_headings_take_a_second() -> None:
    text = "".join(f"{'#' * (1 + number % 6)} Heading {number}\n\nText {number}.\n\n" for number in range(2_000))
    one = document(text, "markdown")
    began = time.process_time()
    found = paragraphs(one)
    assert time.process_time() - began < 1
    assert len(found) == 2_000 and found[5].path == tuple(f"Heading {number}" for number in range(6))


def test_a_list_within_a_list_stays_with_what_leads_into_it() -> None:
    whole = (
        ", and so on as it was said here before, in the words that were used by all of us at the time when it was said"
    )
    items = [
        "1. You may lend it{}.",
        "2. You may sell it{}, if:",
        "a) you pay{}",
        "b) you ask{}",
        "3. You may burn it{}.",
    ]
    first, second, *among, third = (item.format(whole) for item in items)
    assert said(document("\n\n".join((first, second, *among, third, third)))) == [
        [first],
        [second, *among],
        [third, third],
    ]
