"""Putting a long document together: what goes in can be found again by the offsets that come out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.long.sheet import Sheet, by_line, parted, placed, reads_as_heading

TEXTS = st.text(st.sampled_from("ab. \nÄß?"), max_size=30)


@given(st.lists(st.tuples(st.integers(0, 3), TEXTS), max_size=9))
def test_paragraphs_stand_where_they_are_said_to_and_under_the_sections_that_cover_them(
    blocks: list[tuple[int, str]],
) -> None:
    sheet = Sheet()
    starts = []
    for depth, text in blocks:
        if depth:
            sheet.heading(text, depth)
        else:
            starts.append((sheet.paragraph(text), text))
    document = sheet.finish("d", "", "made")
    assert all(document.text[start : start + len(text)] == text for start, text in starts)
    last = 0
    for paragraph in sheet.paragraphs:
        assert last <= paragraph.start < paragraph.end <= len(document.text)
        last = paragraph.end
        assert paragraph.path == tuple(s.title for s in document.sections if s.start <= paragraph.start < s.end)
        assert (paragraph.start, paragraph.end) == (paragraph.sentences[0][0], paragraph.sentences[-1][1])
        assert all(a < b for a, b in paragraph.sentences)
        assert all(one[1] <= two[0] for one, two in zip(paragraph.sentences, paragraph.sentences[1:], strict=False))
    for section in document.sections:
        assert document.text[section.start :].startswith(section.title)


def test_a_path_is_the_headings_that_are_open() -> None:
    sheet = Sheet()
    for depth, title in ((1, "Gates"), (2, "Rust"), (3, "Rain"), (2, "Paint")):
        sheet.heading(title, depth)
        sheet.paragraph(f"Of {title}.")
    sheet.heading("", 1)
    sheet.paragraph("Of nothing.")
    assert [one.path for one in sheet.paragraphs] == [
        ("Gates",), ("Gates", "Rust"), ("Gates", "Rust", "Rain"), ("Gates", "Paint"), ()
    ]  # fmt: skip


def test_sentences_of_a_data_set_are_placed_all_or_none() -> None:
    assert placed("Ah. Oh. Ah.", ["Ah. ", "", "Ah."]) == ((0, 3), (3, 3), (8, 11))
    assert placed("Ah. Oh.", ["Oh.", "Ah."]) == ()


def test_no_sentence_goes_over_the_end_of_a_line() -> None:
    text = "if you are\nat home\n\nor away. Ask us."
    assert [text[a:b] for a, b in by_line(text)] == ["if you are", "at home", "or away.", "Ask us."]


def test_many_sentences_are_several_paragraphs() -> None:
    spans = [(n, n + 1) for n in range(85)]
    found = list(parted(("A",), spans))
    assert [len(one.sentences) for one in found] == [40, 40, 5]
    assert [span for one in found for span in one.sentences] == spans


def test_a_heading_is_a_few_words_without_a_full_stop() -> None:
    assert all(map(reads_as_heading, ["Results", "2 Methods (short)", "MATERIALS AND METHODS"]))
    assert not any(map(reads_as_heading, ["", "It rained.", "and so on", "DOI:10.1/2", "A " * 13 + "word"]))
