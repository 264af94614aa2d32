"""Running heads and feet: of PDFs by page, of plain text by form feed or as RFCs have them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.headings import text_sections
from answerable.corpora.pages import running_lines, without_line_breaks, without_mode_line, without_page_breaks


def test_what_comes_again_on_most_pages_is_running() -> None:
    pages = [
        [
            "The book",
            f"text {n}" * 3,
            f"{'abcdefgh'[n]} second",
            f"third {n * 3}",
            f"fourth {n * 5}",
            f"Page {n + 3} of 90",
        ]
        for n in range(8)
    ]
    assert running_lines(pages) == [{0, 5}] * 8


def test_heads_change_with_the_chapter_and_sides_alternate() -> None:
    pages = []
    for n in range(12):
        head = ("Lenses" if n < 6 else "Lights") if n % 2 else "The book"
        pages.append([head, *(f"{word} of {n * 7}" for word in ("one", "two", "three", "four", "five")), str(n + 1)])
    assert running_lines(pages) == [{0, 6}] * 12


def test_a_chapter_may_begin_with_the_only_number_at_the_foot() -> None:
    words = ["one", "two", "three", "four", "five"]
    pages = [[f"Head {n + 1}", *(f"{word} {n * n}" for word in words)] for n in range(10)]
    pages[5] = ["Chapter two", *words, "6"]
    assert running_lines(pages)[5] == {6} and running_lines(pages)[4] == {0}


def test_what_is_numbered_otherwise_than_the_pages_stays() -> None:
    pages = [[f"Article {n * n}", "a", "b", "c", "d", "e"[: n % 2] + f"{n}x{n * 3}"] for n in range(3, 12)]
    assert not any(0 in found for found in running_lines(pages))
    assert running_lines([["Same"], ["Same"]]) == [set(), set()]


RFC = """

1.  Introduction

   This is the text that goes on for
   more than a
{foot1}
\f
RFC 9999                        A Title                        June 1999


   page, as it does.

1.1.  Terms

   None are needed.

{foot2}
\f
RFC 9999                        A Title                        June 1999


2.  More

   Text.

{foot3}
\f
RFC 9999                        A Title                        June 1999


   More text.

{foot4}
"""


def rfc(breaks: str = "\f") -> str:
    feet = {f"foot{n}": f"\nSmith & Doe            Standards Track            [Page {n}]" for n in (1, 2, 3, 4)}
    return RFC.format(**feet).replace("\f", breaks)


def test_an_rfc_is_read_without_its_pages() -> None:
    for text in (rfc(), rfc("")):
        read = without_page_breaks(text)
        assert "RFC 9999" not in read and "Smith" not in read and "\f" not in read
        assert "more than a\n   page, as it does." in read
        assert [section.title for section in text_sections(read)] == ["1.  Introduction", "1.1.  Terms", "2.  More"]


@given(st.text(alphabet="a.\n \r1", max_size=60))
def test_text_without_pages_stays_as_it_is(text: str) -> None:
    assert without_page_breaks(text) is text


@given(st.lists(st.text(alphabet="abc. \n", max_size=30), min_size=3, max_size=6))
def test_pages_keep_all_that_does_not_run(pages: list[str]) -> None:
    rows = [[row for row in page.splitlines() if row.strip()] for page in pages]
    expected = [
        word
        for page, running in zip(rows, running_lines(rows), strict=True)
        for place, row in enumerate(page)
        if place not in running
        for word in row.split()
    ]
    assert without_page_breaks("\f".join(pages)).split() == expected


def test_sections_that_are_numbered_as_their_pages_are_no_heads() -> None:
    texts = [f"It tells of {word}, and of more." for word in ("oil", "gas", "tar", "wax", "coal", "wood")]
    pages = [
        [f"Part {n + 1} of it", f"{n + 1}.1. Purpose", text, text[::-1], str(n + 1)] for n, text in enumerate(texts)
    ]
    pages[1][1] = pages[4][1] = "Light"
    assert all(1 not in found and 4 in found for found in running_lines(pages))


def test_words_that_print_parts_at_the_end_of_a_line_are_whole() -> None:
    text = "The lan\u2010\n     tern is lit at sun\u00ad\n     set.  It is well-\n     known.\n"
    assert without_line_breaks(text) == "The lantern\n     is lit at sunset.\n      It is well-\n     known.\n"
    assert without_line_breaks(kept := "Oil\u2010fired lan\u2010\nterns.\n") == kept


def test_what_the_first_line_tells_emacs_is_no_text() -> None:
    assert without_mode_line("        -*- text -*-\nGNU Wget\n========\n") == "GNU Wget\n========\n"
    assert without_mode_line("# -*-outline-*-\r\n\r\nNews") == "News"
    assert without_mode_line("Lamp news     -*- outline -*-\n\nLit.") == "Lamp news\n\nLit."
    for said in ("Lamps\n-*- text -*-\n", "hppa-*-hpux\n", "-*- -", ""):
        assert without_mode_line(said) == said
