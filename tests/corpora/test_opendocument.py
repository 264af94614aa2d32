"""Texts and presentations as LibreOffice writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.citations import place_in
from answerable.errors import FormatError
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{one}="{OFFICE}:{one}:1.0"' for one in ("office", "text", "table", "style", "draw", "presentation")
)


def content(body: str, styles: str = "") -> bytes:
    said = f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body>"
    return packed(
        {"mimetype": "x", "content.xml": f"<office:document-content {SPACES}>{said}</office:document-content>"}
    )


def test_a_text_keeps_headings_lists_tables_and_notes(tmp_path: Path) -> None:
    note = (
        "<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>Some say 1810.</text:p></text:note-body></text:note>"
    )
    body = (
        "<office:text><text:table-of-content><text:p>Lamps 3</text:p></text:table-of-content>"
        '<text:p text:style-name="P1">The lamp book</text:p><text:h text:outline-level="1">Lamps</text:h>'
        f"<text:p>Lit<text:s/>in 1811{note}.</text:p><text:list><text:list-item><text:p>oil</text:p></text:list-item>"
        "<text:list-item><text:p>gas</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Lamp</text:p></table:table-cell>"
        "<table:table-cell><text:p>Burns</text:p></table:table-cell></table:table-row><table:table-row>"
        "<table:table-cell><text:p>Argand</text:p></table:table-cell><table:table-cell><text:p>oil</text:p></table:table-cell>"
        "</table:table-row></table:table></office:text>"
    )
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    (document,), reports = read(write(tmp_path / "lamps.odt", content(body, styles)))
    assert not reports
    assert (document.title, document.kind) == ("The lamp book", "odt")
    assert document.text == (
        "The lamp book\n\nLamps\n\nLit in 1811.\nSome say 1810.\noil\ngas\n\nLamp: Argand; Burns: oil"
    )
    assert [(one.title, one.depth) for one in document.sections] == [("The lamp book", 1), ("Lamps", 1)]


def test_each_slide_is_a_section_with_its_notes(tmp_path: Path) -> None:
    def frame(text: str, place: str = "outline") -> str:
        said = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
        return f'<draw:frame presentation:class="{place}">{said}</draw:frame>'

    pages = (
        f"<draw:page>{frame('By Ada')}{frame('Harbour', 'title')}{frame('7', 'page-number')}</draw:page>"
        f"<draw:page>{frame('Crane', 'title')}{frame('It comes in June.')}"
        "<presentation:notes><text:p>Thank the port.</text:p></presentation:notes></draw:page>"
    )
    (document,), _ = read(write(tmp_path / "deck.odp", content(f"<office:presentation>{pages}</office:presentation>")))
    assert (document.title, document.kind) == ("Harbour", "slides")
    assert document.text == "Harbour\n\nBy Ada\n\nCrane\n\nIt comes in June.\nThank the port."
    assert place_in(document, document.text.index("June")) == "§ Crane, slide 2"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (content("<office:text/>"), "no text"),
        (packed({"content.xml": "<broken"}), "content.xml is damaged"),
        (packed({"mimetype": "x"}), "no OpenDocument file"),
        (b"PK\x03\x04 and then nothing", "no OpenDocument file"),
    ],
)
def test_what_is_broken_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "n.odt", data))
