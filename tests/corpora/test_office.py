"""Word documents, and archives that are none."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from answerable.corpora.formats import Limits
from answerable.corpora.passages import split
from answerable.errors import FormatError
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = (
    f'<w:styles {W}><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>'
)


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in cells) + "</w:tr>"


def docx(body: str, styles: str = STYLES, head: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"{head}<w:document {W}><w:body>{body}</w:body></w:document>")
        if styles:
            archive.writestr("word/styles.xml", styles)
    return packed.getvalue()


def test_a_document_keeps_headings_and_tables(tmp_path: Path) -> None:
    body = (
        paragraph("The lens book", "Titel")
        + paragraph("Lenses", "berschrift1")
        + "<w:p><w:r><w:t>They are </w:t></w:r><w:r><w:t>glass.</w:t><w:br/><w:t>Mostly.</w:t></w:r>"
        + "<w:r><w:delText>gone</w:delText></w:r></w:p>"
        + f"<w:tbl>{row('Order', 'Height')}{row('First', '2.59 m')}</w:tbl>"
        + paragraph("Smaller ones", "Kapitel")
        + paragraph("Last words.")
    )
    (document,), _ = read(write(tmp_path / "n.docx", docx(body)))
    assert document.title == "The lens book"
    assert document.text == (
        "The lens book\n\nLenses\n\nThey are glass.\nMostly.\n\nOrder: First; Height: 2.59 m\n\n"
        "Smaller ones\n\nLast words."
    )
    assert [(section.title, section.depth) for section in document.sections] == [
        ("The lens book", 1),
        ("Lenses", 1),
        ("Smaller ones", 2),
    ]


def test_documents_of_one_form_are_told_apart_by_their_names(tmp_path: Path) -> None:
    body = paragraph("Contract of Work", "Titel") + paragraph("between Ann DAHL and us") + paragraph("Pay: 9")
    (document,), _ = read(write(tmp_path / "2026 contract-dahl final.docx", docx(body)))
    assert document.title == document.sections[0].title == "Contract of Work, DAHL"
    assert document.meta["form"] == "Contract of Work"
    assert all(passage.section == "" for passage in split(document))
    (document,), _ = read(write(tmp_path / "works-9.docx", docx(body)))
    assert document.title == "Contract of Work"


def test_a_note_stands_below_what_refers_to_it(tmp_path: Path) -> None:
    body = '<w:p><w:r><w:t>Lit in 1811</w:t><w:footnoteReference w:id="2"/><w:t>.</w:t></w:r></w:p>' + paragraph(
        "Next."
    )
    said = f'<w:footnote w:id="0"/><w:footnote w:id="2">{paragraph("Some say 1810.")}</w:footnote>'
    note = f"<w:footnotes {W}>{said}</w:footnotes>"
    files = {"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>", "word/footnotes.xml": note}
    (document,), _ = read(write(tmp_path / "n.docx", packed(files)))
    assert document.text == "Lit in 1811.\nSome say 1810.\n\nNext."


def test_a_text_box_is_read_once(tmp_path: Path) -> None:
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = (
        f"<w:p><mc:AlternateContent {mc}><mc:Choice><w:r><w:t>Boxed.</w:t></w:r></mc:Choice>"
        "<mc:Fallback><w:r><w:t>Boxed.</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )
    (document,), _ = read(write(tmp_path / "n.docx", docx(box, styles="")))
    assert document.text == "Boxed."


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (docx("<w:p><w:t>&b;</w:t></w:p>", head=BOMB), "document type"),
        (docx(paragraph("x" * 4_000_000)), "bomb"),
        (docx("<w:p>"), "damaged XML"),
        (docx(""), "no text"),
        (docx(paragraph("x"))[:-30], "damaged"),
        (b"PK\x03\x04 and then nothing", "damaged"),
        (b"\xd0\xcf\x11\xe0 an encrypted one is no archive", "damaged, encrypted"),
    ],
)
def test_what_is_broken_or_hostile_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "n.docx", data))


def test_another_archive_is_no_document(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(FormatError, match="no Word document"):
        read(write(tmp_path / "n.docx", packed.getvalue()), Limits())


def test_deep_nesting_does_no_harm(tmp_path: Path) -> None:
    deep = "<w:sdt>" * 100_000 + paragraph("Deep.") + "</w:sdt>" * 100_000
    packed = docx(deep)
    with pytest.raises(FormatError, match="bomb"):
        read(write(tmp_path / "n.docx", packed))
    (document,), _ = read(write(tmp_path / "n.docx", packed), Limits(max_ratio=100_000))
    assert document.text == "Deep."


def test_styles_are_what_those_they_are_based_on_are(tmp_path: Path) -> None:
    styles = STYLES.replace(
        "</w:styles>",
        '<w:style w:styleId="House"><w:name w:val="House head"/><w:basedOn w:val="Deep"/></w:style>'
        '<w:style w:styleId="Deep"><w:name w:val="Deep"/><w:basedOn w:val="Kapitel"/></w:style>'
        '<w:style w:styleId="Round"><w:basedOn w:val="Round"/></w:style></w:styles>',
    )
    body = paragraph("Lenses", "House") + paragraph("Text.", "Round")
    (document,), _ = read(write(tmp_path / "n.docx", docx(body, styles)))
    assert [(section.title, section.depth) for section in document.sections] == [("Lenses", 2)]


def test_items_stay_below_what_leads_into_them(tmp_path: Path) -> None:
    styles = STYLES.replace("</w:styles>", '<w:style w:styleId="Dot"><w:pPr><w:numPr/></w:pPr></w:style></w:styles>')
    item = "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Glass.</w:t></w:r></w:p>"
    body = paragraph("They are of:") + item + paragraph("Brass.", "Dot") + paragraph("And so on.")
    (document,), _ = read(write(tmp_path / "n.docx", docx(body, styles)))
    assert document.text == "They are of:\nGlass.\nBrass.\n\nAnd so on."


def test_cells_stay_below_their_headers(tmp_path: Path) -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("both")}</w:tc>'
    last = f"<w:tc>{paragraph('third')}</w:tc>"
    body = f"<w:tbl>{row('A', 'B', 'C')}{row('1', '2', '3')}<w:tr>{wide}{last}</w:tr></w:tbl>"
    (document,), _ = read(write(tmp_path / "n.docx", docx(body)))
    assert document.text == "A: 1; B: 2; C: 3\nA: both; C: third"
