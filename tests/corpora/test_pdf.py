"""PDF: pages, bookmarks, and files that are damaged or locked."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.formats import Limits
from answerable.errors import FormatError
from tests.corpora.reading import read, write


def pdf(pages: list[list[str]], title: str = "", bookmarks: list[tuple[str, int]] | None = None) -> bytes:
    """A small PDF with one line of text per string."""
    marks = bookmarks or []
    first_page = 4
    first_mark = first_page + 2 * len(pages)
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(len(pages)))
    outlines = f"/Outlines {first_mark} 0 R" if marks else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {outlines} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T* " for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {shown}ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first_page + 2 * number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    if marks:
        objects.append(f"<< /Type /Outlines /First {first_mark + 1} 0 R /Last {first_mark + len(marks)} 0 R >>")
        for number, (name, page) in enumerate(marks):
            following = f"/Next {first_mark + number + 2} 0 R" if number + 1 < len(marks) else ""
            objects.append(
                f"<< /Title ({name}) /Parent {first_mark} 0 R {following} /Dest [{first_page + 2 * page} 0 R /Fit] >>"
            )
    objects.append(f"<< /Title ({title}) >>")
    out, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer << /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return (out + f"xref\n0 {size}\n0000000000 65535 f \n{table}" + trailer).encode("latin-1")


def test_pages_follow_each_other_and_bookmarks_become_sections(tmp_path: Path) -> None:
    data = pdf(
        [["1 Lenses", "They are made of", "glass. They go on"], ["over the page.", "2 Lights", "They shine."]],
        title="The lens book",
        bookmarks=[("Lenses", 0), ("Lights", 1), ("Not there", 1)],
    )
    (document,), reports = read(write(tmp_path / "n.pdf", data))
    assert not reports and document.title == "The lens book"
    assert (
        document.text.split()
        == "1 Lenses They are made of glass. They go on over the page. 2 Lights They shine.".split()
    )
    assert "go on\nover" in document.text
    assert [section.title for section in document.sections] == ["Lenses", "Lights"]
    assert document.text[document.sections[1].start :].startswith("2 Lights")
    assert [document.text[start:].split()[0] for start in document.meta["pages"]] == ["1", "over"]


@pytest.mark.parametrize("title", ["Microsoft Word - x.doc", r"\(anonymous\)"])
def test_a_title_left_by_a_program_is_not_used(tmp_path: Path, title: str) -> None:
    (document,), _ = read(write(tmp_path / "lens-book.pdf", pdf([["Text."]], title=title)))
    assert document.title == "lens book"


def test_pages_over_the_limit_are_told(tmp_path: Path) -> None:
    (document,), reports = read(write(tmp_path / "n.pdf", pdf([["One."], ["Two."]])), Limits(max_pages=1))
    assert document.text == "One." and reports == ["only the first 1 pages of n.pdf are read"]


LOCK = (
    b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O (" + b"o" * 32 + b") /U (" + b"u" * 32 + b") >> /ID [(a) (a)] "
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf([["Text."]])[:40], "damaged"),
        (b"%PDF-1.4 and then nothing", "damaged"),
        (pdf([[]]), "no text"),
        (pdf([["Text."]]).replace(b"/Info", LOCK + b"/Info"), "locked by a password"),
    ],
)
def test_broken_and_empty_files_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "n.pdf", data))
