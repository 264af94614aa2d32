"""HTML: what a reader sees, in order, and pages built to hang a parser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.web import html_text
from answerable.errors import FormatError
from tests.corpora.reading import read, write

PAGE = """<!doctype html><html><head><title>Site &middot; Lenses</title><style>p{}</style></head><body>
<nav><a href=x>Home</a></nav><script>var a = "<h1>no</h1>";</script>
<h1>Lenses &amp; <i>lights</i></h1><p>One<br>two <b>bo</b>ld.</p><p hidden>secret</p>
<div>Loose <span>text</span><p>Paragraph</div>
<h2>A table</h2><table><caption>Sizes</caption>
<tr><th>Order</th><th>Height</th></tr><tr><td>First</td><td>2.59 m</td></tr><tr><td>Second<td>2.06 m</table>
<h2>A list</h2><ul><li>Ice<li>Fire</ul><pre>a
  b</pre><!-- no -->
</body></html>"""


def test_a_page_keeps_its_structure(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "n.html", PAGE))
    assert document.title == "Lenses & lights"
    assert document.text == (
        "Lenses & lights\n\nOne\ntwo bold.\n\nLoose text\n\nParagraph\n\nA table\n\nSizes\n\n"
        "Order: First; Height: 2.59 m\nOrder: Second; Height: 2.06 m\n\nA list\nIce\nFire\n\na\n  b"
    )
    assert [(section.title, section.depth) for section in document.sections] == [
        ("Lenses & lights", 1),
        ("A table", 2),
        ("A list", 2),
    ]
    assert all(document.text[section.start :].startswith(section.title) for section in document.sections)


def test_a_layout_table_is_no_table_of_data() -> None:
    text = html_text("<table><tr><td><p>Left</p></td><td>Right</td></tr><tr><td>Below</td></tr></table>", "n")[1].text
    assert text.split() == ["Left", "Right", "Below"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<meta charset="iso-8859-2"><p>Gałąź'.encode("iso-8859-2"), "Gałąź"),
        ("<p>Grüße".encode("utf-16"), "Grüße"),
        ("<p>Grüße".encode("cp1252"), "Grüße"),
        ('<meta charset="no-such"><p>Grüße'.encode(), "Grüße"),
    ],
)
def test_pages_are_decoded_as_they_say(tmp_path: Path, data: bytes, text: str) -> None:
    (document,), _ = read(write(tmp_path / "a-page.htm", data))
    assert document.text == text and document.title == "a page"


def test_a_page_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no text"):
        read(write(tmp_path / "n.html", "<script>x</script>"))


@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<div></x>",
        "<span><div></span>",
        "<b><div></b>",
        "<div><object></div></object>",
        "<font color=1>",
        "<table><tr><td>",
    ],
)
def test_deep_nesting_is_refused_at_once(piece: str) -> None:
    with pytest.raises(FormatError, match="deeper"):
        html_text(piece * 100_000, "n")


@pytest.mark.parametrize(
    "piece", ["<p>x", "<li>x", "<br>", "<td>x", "<div>x</div>", "<!--", "<script>", "<", "<b>x</i></b>", "&amp"]
)
def test_long_flat_pages_are_not(piece: str) -> None:
    text = html_text(piece * 20_000, "n")[1].text
    assert len(text) <= len(piece) * 20_000


def test_strings_in_scripts_do_not_nest() -> None:
    assert html_text("<p>x<script>" + "'<div>'" * 5000 + "</SCRIPT><p>y", "n")[1].text == "x\n\ny"


@given(
    st.lists(st.sampled_from("<p> <b> </b> <table> <tr> <td> </table> <h1> </h1> <ul> <li> <br> <pre> word".split()))
)
def test_any_mixture_of_tags_keeps_every_word_in_place(pieces: list[str]) -> None:
    numbered = [piece if piece != "word" else f"w{index}." for index, piece in enumerate(pieces)]
    _title, (text, sections, _) = html_text(" ".join(numbered), "n")
    words = [piece for piece in numbered if piece.endswith(".")]
    found = [word for word in text.replace(":", " ").replace(";", " ").split() if word.endswith(".")]
    # A table repeats its header in every row, and what stands loose in a table is moved before it.
    assert set(found) == set(words) or "<table>" in pieces
    assert all(text[section.start :].startswith(section.title) for section in sections)


def test_cells_that_span_rows_and_columns_leave_the_others_in_place() -> None:
    markup = (
        "<table><tr><th>Year<th>Place<th>Height<th>Note</tr>"
        "<tr><td rowspan=2>1999<td>Arle<td>3 m<td>x</tr>"
        "<tr><td colspan=2>Bevin<td><p>y</p></tr><tr><td>2000<td>Corrow<td>4 m<td></tr></table>"
    )
    assert html_text(markup, "n")[1].text.split("\n") == [
        "Year: 1999; Place: Arle; Height: 3 m; Note: x",
        "Year: 1999; Place: Bevin; Note: y",
        "Year: 2000; Place: Corrow; Height: 4 m",
    ]


def test_spans_cannot_make_a_page_grow_without_bounds() -> None:
    row = "<tr>" + f"<td rowspan=65000 colspan=65000>{'x' * 100}" * 50 + "</tr>"
    markup = "<table>" + row + "<tr><td>a<td>b</tr>" * 2000 + "</table>"
    assert len(html_text(markup, "n")[1].text) < 20 * len(markup)


def test_a_page_of_several_top_headings_is_called_by_its_title() -> None:
    page = "<title>Lamps</title>{}<p>They burn oil.</p><h1>2. Wicks</h1><p>They are cut.</p>"
    assert html_text(page.format("<h1>1. Overview</h1>"), "n")[0] == "Lamps"
    assert html_text(page.format(""), "n")[0] == "2. Wicks"
    assert html_text(page.format("<h1>1. Overview</h1>").replace("Lamps", ""), "n")[0] == "1. Overview"
