"""Texts and presentations of LibreOffice (.odt, .odp): headings, paragraphs, lists, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from answerable.corpora.archives import opened
from answerable.corpora.outline import Draft
from answerable.corpora.sources import File, Limits, Report, clean
from answerable.text import one_line
from answerable.types import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WHAT = "OpenDocument file"
_UNSAID = ("annotation", "tracked-changes", "table-of-content", "note", "notes", "forms")
"""What does not stand in the text where it stands in the file; notes come below."""
_BLANKS = {"s": " ", "tab": "\t", "line-break": "\n"}
_WIDEST_CELL = 64
_AROUND = ("date-time", "footer", "header", "page-number")


def read_opendocument(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A text or a presentation as one document; each slide of one is a section with its notes, and `meta["slides"]` has
    the character at which it begins. Titled by its Title paragraph, else its first heading, else its file name."""
    with opened(path, source, limits, _WHAT) as archive:
        content = archive.tree("content.xml")
    writer = _Writer(
        {one: _of(style, "parent-style-name") for style in content.iter("style") if (one := _of(style, "name"))}
    )
    body = content.find("body")
    for part in body if body is not None else ():
        writer.write(part)
    kind, meta = ("slides", {"slides": writer.slides}) if writer.slides else ("odt", {})
    yield writer.draft.document(source, enclave, kind, writer.title, meta)


class _Writer:
    """Writes what stands in a file to a draft. `parents`: the style that a style of the file is based on."""

    def __init__(self, parents: dict[str, str]) -> None:
        self.draft, self.title, self.slides = Draft(), "", list[int]()
        self._parents = parents

    def write(self, part: Element, item: bool = False) -> None:
        """A part of the text and all that is in it; `item`: of a list."""
        if part.tag == "h":
            level = _of(part, "outline-level")
            self.draft.heading(_said(part), int(level) if level.isdecimal() else 1)
        elif part.tag == "p":
            self._paragraph(part, item)
        elif part.tag == "table":
            self.draft.table([[*_cells(row)] for row in part.iter("table-row")])
            self._notes(part)
        elif part.tag == "page":
            self._slide(part)
        elif part.tag not in _UNSAID:
            for one in part:
                self.write(one, item or part.tag == "list-item")

    def _paragraph(self, part: Element, item: bool) -> None:
        style, text = _of(part, "style-name"), _said(part)
        if "Title" in (style, self._parents.get(style)) and not self.title and text.strip():
            self.title = one_line(text)
            self.draft.heading(text, 1)
        else:
            (self.draft.line if item else self.draft.block)(text)
        for frame in part.iter("text-box"):
            for one in frame:
                self.write(one)
        self._notes(part)

    def _notes(self, part: Element) -> None:
        """What notes say to a part, right below it."""
        for note in part.iter("note-body"):
            self.draft.line(one_line("".join(f"{_said(one)} " for one in note)))

    def _slide(self, page: Element) -> None:
        self.slides.append(self.draft.end)
        shapes = sorted((one for one in page if one.tag != "notes"), key=lambda one: _of(one, "class") != "title")
        for shape in shapes:
            if _of(shape, "class") == "title":
                self.draft.heading(" ".join(_said(one) for one in shape.iter("p")), 1)
            elif _of(shape, "class") not in _AROUND:
                self.write(shape)
        for notes in page.iter("notes"):
            for one in notes.iter("p"):
                self.draft.line(_said(one))


def _of(part: Element, name: str) -> str:
    """An attribute, of whatever namespace."""
    return next((value for key, value in part.items() if key.rpartition("}")[2] == name), "")


def _cells(row: Element) -> Iterator[str]:
    """The cells of a row, one that stands for several as often."""
    for cell in row:
        if cell.tag in ("table-cell", "covered-table-cell"):
            many = _of(cell, "number-columns-repeated")
            said = one_line(" ".join(_said(one) for one in cell.iter("p")))
            yield from [said] * min(int(many) if many.isdecimal() else 1, _WIDEST_CELL)


def _said(part: Element) -> str:
    """The words of a paragraph."""
    return clean("".join(_pieces(part)))


def _pieces(part: Element) -> Iterator[str]:
    yield part.text or ""
    for one in part:
        if one.tag in _BLANKS:
            yield _BLANKS[one.tag]
        elif one.tag not in (*_UNSAID, "frame"):
            yield from _pieces(one)
        yield one.tail or ""
