"""Presentations as PowerPoint writes them, and archives that are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from answerable.corpora.citations import place_in
from answerable.errors import FormatError
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

SPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def shape(*paragraphs: str, place: str = "") -> str:
    said = "".join(f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in paragraphs)
    holder = f'<p:ph type="{place}"/>' if place else ""
    return f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{said}</p:txBody></p:sp>"


def table(*rows: Sequence[str]) -> str:
    cells = ("".join(f"<a:tc><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:tc>" for cell in row) for row in rows)
    said = "".join(f"<a:tr>{row}</a:tr>" for row in cells)
    return f"<p:graphicFrame><a:graphic><a:tbl>{said}</a:tbl></a:graphic></p:graphicFrame>"


def slide(*shapes: str, more: str = "") -> str:
    return f"<p:sld {SPACES} {more}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def presentation(*slides: str, notes: str = "", title: str = "") -> bytes:
    """The slides in order, stored from the last to the first; `notes` are said to the first one."""
    listed = "".join(f'<p:sldId id="{n}" r:id="rId{n}"/>' for n in range(len(slides)))
    named = "".join(f'<Relationship Id="rId{n}" Type="x/slide" Target="slides/s{n}.xml"/>' for n in range(len(slides)))
    files = {f"ppt/slides/s{n}.xml": one for n, one in reversed([*enumerate(slides)])}
    files["ppt/presentation.xml"] = f"<p:presentation {SPACES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    files["ppt/_rels/presentation.xml.rels"] = f"<Relationships>{named}</Relationships>"
    if notes:
        files["ppt/slides/_rels/s0.xml.rels"] = (
            '<Relationships><Relationship Id="a" Type="x/notesSlide" Target="../notes/n.xml"/></Relationships>'
        )
        files["ppt/notes/n.xml"] = slide(shape("1", place="sldNum"), shape(notes, place="body"))
    if title:
        files["docProps/core.xml"] = f"<c><title>{title}</title></c>"
    return packed(files)


def test_slides_are_sections_in_the_order_they_are_shown(tmp_path: Path) -> None:
    first = slide(shape("Kick-off"), shape("Harbour", place="ctrTitle"))
    second = slide(
        shape("7", place="sldNum"),
        shape("The crane comes in June", "Nobody dives alone"),
        table(("Who", "Depth"), ("Ada", "12")),
    )
    (document,), reports = read(write(tmp_path / "deck.pptx", presentation(first, second, notes="Thank the port.")))
    assert not reports
    assert (document.title, document.kind) == ("Harbour", "slides")
    assert document.text == (
        "Harbour\n\nKick-off\n\nThank the port.\n\nThe crane comes in June\n\nNobody dives alone\n\nWho: Ada; Depth: 12"
    )
    assert [section.title for section in document.sections] == ["Harbour", "The crane comes in June"]
    assert place_in(document, document.text.index("Nobody")) == "§ The crane comes in June, slide 2"


def test_hidden_slides_are_left_out_and_damaged_ones_told(tmp_path: Path) -> None:
    deck = presentation(slide(shape("Hidden"), more='show="0"'), "<broken", slide(shape("Shown")), title="The plan")
    (document,), reports = read(write(tmp_path / "deck.pptx", deck))
    assert (document.title, document.text) == ("The plan", "Shown")
    assert reports == ["skipped 1 slide of deck.pptx: damaged or not there"]
    assert place_in(document, 0) == "§ Shown, slide 3"


def test_the_drawing_for_old_programs_is_left_out(tmp_path: Path) -> None:
    both = (
        f"<AlternateContent><Choice>{shape('Boxed.')}</Choice><Fallback>{shape('Boxed.')}</Fallback></AlternateContent>"
    )
    (document,), _ = read(write(tmp_path / "deck.pptx", presentation(slide(both))))
    assert document.text == "Boxed."


BOMB = f'<!DOCTYPE x [<!ENTITY a "aaaa">]><p:presentation {SPACES}/>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (presentation(), "no text"),
        (packed({"readme.txt": "x"}), "no presentation"),
        (packed({"ppt/presentation.xml": BOMB}), "no presentation"),
        (packed({"ppt/presentation.xml": "x" * 40_000_000}), "bomb"),
        (b"PK\x03\x04 and then nothing", "no presentation"),
    ],
)
def test_what_is_broken_or_hostile_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "deck.pptx", data))
