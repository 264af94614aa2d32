"""Passages: exact offsets, whole sentences, nothing lost, nothing too long."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown
from answerable.corpora.passages import ARTICLE, MAIL, RECORD, Shape, split
from answerable.corpora.quotes import quote_sections
from answerable.text import count_words, sentences
from answerable.types import Document

SHAPES = {"text": ARTICLE, "markdown": ARTICLE, "table": ARTICLE, "record": RECORD, "mail": MAIL}


def document(text: str, kind: str = "text", title: str = "") -> Document:
    found = ()
    if kind == "markdown":
        text, found, _ = read_markdown(text)
    elif kind == "mail":
        head = re.match(r"From: .*\nTo: .*\nDate: .*\nSubject: .*\n", text)
        found = quote_sections(text, head.end() if head else 0)
    if kind == "markdown" and found and not title:
        title = found[0].title
    return Document("n", "e", title, text, "n", kind, found)


def prose(count: int, words: int = 10, start: int = 0) -> str:
    return " ".join(
        f"Sentence{number} " + " ".join(f"word{number}x{place}" for place in range(words - 2)) + " end."
        for number in range(start, start + count)
    )


def uncovered(passages: list, text: str) -> str:
    """What of `text` stands in no passage."""
    marks = bytearray(len(text))
    for passage in passages:
        marks[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    return "".join(character for character, mark in zip(text, marks, strict=True) if not mark)


pieces = st.lists(
    st.one_of(
        st.sampled_from(
            ["word", "A sentence ends.", "Is it? ", "\n", "\n\n", "; ", "# Head\n", "## Low\n\n", "> ", "\t"]
        ),
        st.sampled_from(["To: a\nSubject: b\n", "-----Original Message-----\nFrom: a\nSent: b\nTo: c\n", "=====\n"]),
        st.integers(1, 300).map(lambda n: " ".join(["many"] * n)),
        st.integers(1, 4).map(lambda n: prose(n * 9) + " "),
        st.integers(1, 3000).map(lambda n: "x" * n),
        st.integers(1, 400).map(lambda n: "漢字" * n),
        st.text(max_size=30),
    ),
    max_size=12,
).map("".join)


@given(pieces, st.sampled_from(sorted(SHAPES)))
def test_laws_of_passages(text: str, kind: str) -> None:
    one = document(text, kind)
    passages = split(one)
    for passage in passages:
        assert one.text[passage.start : passage.end] == passage.text == passage.text.strip() != ""
        assert passage.id == f"n@{passage.start}-{passage.end}"
        assert count_words(passage.text) <= SHAPES[kind].most
        assert (passage.document_id, passage.enclave, passage.title) == (one.id, one.enclave, one.title)
    starts = [passage.start for passage in passages]
    ends = [passage.end for passage in passages]
    assert starts == sorted(set(starts)) and ends == sorted(set(ends))
    if kind != "mail":
        assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    left = uncovered(passages, one.text).replace("=====", "").strip()
    title = one.text[: one.sections[0].end].strip() if kind == "markdown" and one.sections else ""
    assert not left or title.startswith(left), "only the title's heading and rules may stand in no passage"


@given(st.lists(st.integers(2, 60), min_size=1, max_size=40), st.sampled_from(["text", "record", "mail"]))
def test_passages_end_where_sentences_end(lengths: list[int], kind: str) -> None:
    text = " ".join(prose(1, max(length, 3), number) for number, length in enumerate(lengths))
    ends = {end for _, end in sentences(text)}
    starts = {start for start, _ in sentences(text)}
    for passage in split(document(text, kind)):
        assert passage.end in ends and passage.start in starts


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_short_documents_stay_whole(kind: str) -> None:
    text = prose(SHAPES[kind].most // 10).replace(". ", ".\n\n")
    (passage,) = split(document(text, kind))
    assert passage.text == text


def test_nothing_comes_of_nothing() -> None:
    assert split(document("")) == split(document(" \n ")) == []


def test_articles_are_cut_evenly_near_a_hundred_words() -> None:
    sizes = [count_words(passage.text) for passage in split(document(prose(43)))]
    assert sizes == [90, 90, 80, 90, 80]


def test_a_paragraph_is_rather_begun_anew_than_torn() -> None:
    text = prose(7) + "\n\n" + prose(7, start=7) + "\n\n" + prose(7, start=14)
    assert [passage.text for passage in split(document(text))] == text.split("\n\n")


def test_what_leads_into_a_text_is_not_parted_from_it() -> None:
    """A term, or a line that ends with a colon, would else end the passage before."""
    for leading in ("wick_size", "It is set so:"):
        text = "\n\n".join((prose(9), f"{leading}\n\n{prose(9, start=9)}"))
        assert [passage.text.split("\n")[0] == leading for passage in split(document(text))] == [False, True]


def test_a_question_stays_with_what_follows_it() -> None:
    asked = "Q: Is smoking allowed in the large hall, or in the small one beside it?"
    for before in range(3, 14):
        found = split(document(f"{prose(before)}\n\n{asked}\n\nA: No. {prose(10, start=20)}"))
        assert [f"{asked}\n\nA: No." in one.text for one in found].count(True) == 1, before


def test_records_of_passage_size_are_not_cut() -> None:
    assert len(split(document(prose(18), "record"))) == 1
    assert [count_words(passage.text) for passage in split(document(prose(20), "record"))] == [100, 100]


def test_mail_is_cut_by_a_sliding_window() -> None:
    passages = split(document(prose(50), "mail"))
    assert count_words(passages[0].text) == 150
    for before, after in pairwise(passages):
        assert 40 <= count_words(document(prose(50)).text[after.start : before.end]) <= 50


def test_headings_are_the_path_and_open_what_follows() -> None:
    text = (
        "# Title\n\n"
        + prose(3)
        + "\n\n## One\n\n### Deep\n\n"
        + prose(5, start=3)
        + "\n\n## Two\n\n"
        + prose(5, start=8)
    )
    passages = split(document(text, "markdown"))
    assert [passage.section for passage in passages] == ["", "One > Deep", "Two"]
    assert [passage.text.split("\n")[0][:9] for passage in passages] == ["Sentence0", "## One", "## Two"]
    assert passages[1].text.startswith("## One\n\n### Deep\n\nSentence3")
    assert {passage.title for passage in passages} == {"Title"}


def test_a_heading_with_nothing_below_it_is_not_given_to_another_section() -> None:
    text = "# Title\n\n" + prose(12) + "\n\n## Empty\n\n## Two\n\n" + prose(3, start=12)
    assert [(passage.section, passage.text[:8]) for passage in split(document(text, "markdown"))[-2:]] == [
        ("Empty", "## Empty"),
        ("Two", "## Two\n\n"),
    ]


def test_a_title_alone_is_a_passage() -> None:
    (passage,) = split(document("# Title\n", "markdown"))
    assert passage.text == "# Title"


def test_quoted_messages_are_passages_of_their_own() -> None:
    text = "From: b\nTo: a\nDate: \nSubject: s\n\nYes.\n\nOn Monday, Ada Sele wrote:\n> Is it?\n> Ada"
    assert [(passage.section, passage.text[-4:]) for passage in split(document(text, "mail"))] == [
        ("", "Yes."),
        ("Quoted message from Ada Sele", " Ada"),
    ]


def test_rows_of_tables_are_kept_whole() -> None:
    row = "; ".join(f"Column{number}: value of it" for number in range(10))
    text = "\n".join([row] * 7)
    passages = split(document(text, "table"))
    assert len(passages) == 3
    assert "\n".join(passage.text for passage in passages) == text


def test_a_sentence_that_is_too_long_is_cut_at_lines_then_semicolons_then_words() -> None:
    lines = "\n".join(f"- item {number} of a list without any stops" for number in range(60))
    assert all(passage.text.startswith("- item") for passage in split(document(lines)))
    clauses = "; ".join("a clause of nine words that goes on here" for _ in range(30))
    assert all(passage.text.startswith("a clause") for passage in split(document(clauses)))
    words = split(document(" ".join(["word"] * 500)))
    assert [count_words(passage.text) for passage in words] == [100] * 5


def test_writing_without_blanks_is_measured_too() -> None:
    assert count_words("漢字かな") == 4 and count_words("x" * 49) == 3
    assert all(len(passage.text) <= 120 for passage in split(document("漢字。" * 300)))


def test_shapes_say_what_they_are() -> None:
    assert Shape(1, 2).overlap == 0 and MAIL.overlap * 3 == MAIL.most


@pytest.mark.parametrize(("rule", "parted"), [("---", True), ("* * *", True), ("_____", True), ("- -", False)])
def test_no_passage_goes_over_a_rule(rule: str, parted: bool) -> None:
    first, last = prose(7), prose(7, start=7)
    found = [passage.text for passage in split(document(f"{first}\n\n{rule}\n\n{last}\n\n{rule}\n\n{first}"))]
    assert (found == [first, last, first]) is parted
    underlined = f"{first}\n\nOn boats\n{rule}\n{last}"
    assert any(rule in passage.text for passage in split(document(underlined)))
