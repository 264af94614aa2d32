"""PDF as it is set: headings by size and weight, columns side by side, running heads and feet."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from answerable.corpora.paragraphs import paragraphs
from answerable.corpora.pdf_lines import _as_shown
from answerable.types import Document
from long_pdf import assembled, pages_of, write_pdf
from tests.corpora.reading import read, write

Placed = tuple[float, float, float, str, str]
"""x, y, size, F1 (Times) or F2 (Helvetica-Bold), text."""


def objects_of(pages: list[list[Placed]], scaled: bool = False) -> list[bytes]:
    """The objects of a PDF with each text where it is told to stand, sized by the font or by the matrix."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for number, page in enumerate(pages):
        stream = "\n".join(
            f"BT /{font} 1 Tf {size} 0 0 {size} {x} {y} Tm ({text}) Tj ET"
            if scaled
            else f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET"
            for x, y, size, font, text in page
        )
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode(),
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream".encode("latin-1"),
        ]
    return objects


def with_bookmarks(data: list[bytes], marks: list[tuple[str, int]]) -> bytes:
    """The same objects with bookmarks, each a title and a page."""
    first = len(data) + 2
    outlines = f"<< /Type /Outlines /First {first} 0 R /Last {first + len(marks) - 1} 0 R >>".encode()
    items = [
        f"<< /Title ({title}) /Parent {first - 1} 0 R /Dest [{5 + 2 * page} 0 R /Fit]"
        f"{f' /Next {first + number + 1} 0 R' if number + 1 < len(marks) else ''} >>".encode()
        for number, (title, page) in enumerate(marks)
    ]
    return assembled(
        [f"<< /Type /Catalog /Pages 2 0 R /Outlines {first - 1} 0 R >>".encode(), *data[1:], outlines, *items]
    )


def document(tmp_path: Path, pages: list[list[Placed]], scaled: bool = False) -> Document:
    (found,), _ = read(write(tmp_path / "n.pdf", assembled(objects_of(pages, scaled))))
    return found


def tree(one: Document) -> list[tuple[str, int]]:
    return [(section.title, section.depth) for section in one.sections]


def body(
    top: float, count: int, words: str = "The text goes on in lines that are long enough to be text."
) -> list[Placed]:
    return [(72, top - 12 * n, 10, "F1", words) for n in range(count)]


@pytest.mark.parametrize("scaled", [False, True])
def test_larger_lines_are_headings_ranked_by_size(tmp_path: Path, scaled: bool) -> None:
    page = [
        (72, 740, 20, "F2", "A long title that runs on"),
        (72, 718, 20, "F2", "to a second line"),
        *body(690, 5),
        (72, 600, 14, "F2", "First part"),
        *body(580, 5),
        (72, 500, 14, "F2", "Second part,"),
        *body(480, 5),
        (72, 400, 14, "F2", "Third part"),
        *body(380, 5),
    ]
    one = document(tmp_path, [page], scaled)
    assert tree(one) == [("A long title that runs on to a second line", 1), ("First part", 2), ("Third part", 2)]
    assert "\n\nFirst part\n\nThe text" in one.text
    found = paragraphs(one)
    assert found[0].path == ("A long title that runs on to a second line",)
    assert one.text[found[0].start :].startswith("The text")


def test_bold_numbers_are_headings_by_their_parts(tmp_path: Path) -> None:
    page = [
        (72, 740, 10, "F2", "1 Lenses"),
        *body(720, 4),
        (72, 660, 10, "F2", "1.1 Made of glass"),
        *body(640, 4),
        (72, 580, 10, "F1", "2 of them are not bold and no heading"),
        *body(560, 4),
        (72, 500, 10, "F2", "Bold words alone"),
        *body(480, 4),
        (72, 420, 10, "F2", "2. Lights"),
        *body(400, 4),
    ]
    assert tree(document(tmp_path, [page])) == [("1 Lenses", 1), ("1.1 Made of glass", 2), ("2. Lights", 1)]


def test_text_all_of_one_size_has_no_headings(tmp_path: Path) -> None:
    assert tree(document(tmp_path, [body(700, 20)])) == []


def test_bookmarks_are_preferred_where_they_cover_the_document(tmp_path: Path) -> None:
    pages = [[(72, 740, 14.0, "F2", f"Part {'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]} of it"), *body(700, 9)] for n in range(26)]
    few, many = (
        [(f"Part {letter}", n) for n, letter in enumerate("AB")],
        [("Part A", 0), ("Part M", 12), ("Part Z", 25)],
    )
    (one,), _ = read(write(tmp_path / "few.pdf", with_bookmarks(objects_of(pages), few)))
    assert len(one.sections) == 26 and one.sections[25].title == "Part Z of it"
    (other,), _ = read(write(tmp_path / "many.pdf", with_bookmarks(objects_of(pages), many)))
    assert tree(other) == [("Part A", 1), ("Part M", 1), ("Part Z", 1)]


def test_running_heads_and_feet_are_left_out(tmp_path: Path) -> None:
    pages = [
        [
            (72, 760, 8, "F1", "The lens book"),
            *body(700 - n, 9 + n, f"Page text {n * 7} is here."),
            (300, 30, 8, "F1", f"- {n + 1} -"),
        ]
        for n in range(5)
    ]
    one = document(tmp_path, pages)
    assert "lens book" not in one.text and "- 2 -" not in one.text
    assert [one.text[start:].split()[2] for start in one.meta["pages"]] == ["0", "7", "14", "21", "28"]


def columns(count: int, left: str, right: str) -> list[Placed]:
    """Two columns written line by line across both."""
    lines: list[Placed] = []
    for n in range(count):
        lines += [
            (50, 700 - 13 * n, 10, "F1", f"{left} column in line {n} has words to fill it"),
            (320, 700 - 13 * n, 10, "F1", f"{right} column in line {n} has words to fill it"),
        ]
    return lines


def test_columns_side_by_side_are_read_one_after_the_other(tmp_path: Path) -> None:
    title = (
        50,
        740,
        10,
        "F1",
        "A line across both of the columns, from the left of the one to the right of the other.",
    )
    one = document(tmp_path, [[title, *columns(20, "Left", "Right")]])
    firsts = [line.split()[0] for line in one.text.splitlines() if line]
    assert firsts == ["A", *["Left"] * 20, *["Right"] * 20]
    assert one.text.splitlines()[1 + (one.text.splitlines()[1] == "")] == "Left column in line 0 has words to fill it"


def test_columns_written_one_after_the_other_stay(tmp_path: Path) -> None:
    mixed = columns(20, "Left", "Right")
    one = document(tmp_path, [[*mixed[::2], *mixed[1::2]]])
    assert [line.split()[0] for line in one.text.splitlines() if line] == [*["Left"] * 20, *["Right"] * 20]


def test_a_table_is_not_read_as_columns(tmp_path: Path) -> None:
    cells = [
        cell
        for n in range(20)
        for cell in (
            (50, 700 - 13 * n, 10, "F1", f"Item {n}" + " long" * (n % 7)),
            (320, 700 - 13 * n, 10, "F1", f"{n} kg" + " of it all" * (n % 5)),
        )
    ]
    one = document(tmp_path, [cells])
    assert "Item 0 0 kg" in one.text


def test_paragraphs_are_seen_by_their_gaps_and_indents(tmp_path: Path) -> None:
    lines = [*body(700, 4), *body(630, 4)]
    assert document(tmp_path, [lines]).text.count("\n\n") == 1
    indented = [*body(700, 4), (87, 652, 10, "F1", "It begins further in."), *body(640, 4)]
    assert "\n\nIt begins" in document(tmp_path, [indented]).text


def test_a_long_pdf_keeps_its_tree_and_its_text(tmp_path: Path) -> None:
    headings = write_pdf(tmp_path / "long.pdf", 30, seed=3)
    began = time.process_time()
    (one,), _ = read(tmp_path / "long.pdf")
    assert time.process_time() - began < 3
    assert tree(one) == [(part.text, part.depth) for part in headings]
    said = [part.text for page in pages_of(30, seed=3) for part in page if part.text and not part.depth]
    found = paragraphs(one)
    spoken = " ".join(one.text[a:b] for p in found for a, b in p.sentences)
    assert spoken.split() == " ".join(said).split()
    assert all(p.path for p in found)


def test_a_small_mark_amid_a_line_leaves_the_page_its_places() -> None:
    shown = [("The lamp burns oil. 6 It is lit", 0), ("at dusk.", 32)]
    raw = "The lamp burns oil. 6\r\n It is lit\r\nat dusk."
    assert _as_shown(shown, raw) == [(raw[:33], 0), ("at dusk.", 35)]
    assert _as_shown(shown, "The lamp burns gas. 6\r\n It is lit\r\nat dusk.") is None
    assert _as_shown(shown, raw + "\r\nMore.") is None
