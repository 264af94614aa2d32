"""Slides of PowerPoint (.pptx): what stands on each, under its title, with what is said to it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from answerable.corpora.archives import Archive, opened
from answerable.corpora.outline import Draft
from answerable.corpora.sources import File, Limits, Report, clean
from answerable.errors import FormatError
from answerable.printing import counted
from answerable.text import one_line
from answerable.types import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WHAT = "presentation"
_MAIN, _PROPERTIES = "ppt/presentation.xml", "docProps/core.xml"
_NO_TITLES = ("powerpoint presentation", "presentation", "slide 1")
_TITLE_WORDS = 12
_TITLES = ("title", "ctrTitle")
_AROUND = ("dt", "ftr", "hdr", "sldNum", "sldImg")
"""What stands on every slide: day, foot, head, number; on notes a picture of the slide."""


def read_slides(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A presentation as one document, each slide that is shown a section: its title, its paragraphs and tables in
    order, and its notes. `meta["slides"]` has the character at which each begins, one that is hidden where the next
    one does. Called as its properties say, else by its first title, else by its file.
    """
    draft, starts, lost = Draft(), list[int](), 0
    with opened(path, source, limits, _WHAT) as archive:
        for name in _slides(archive):
            starts.append(draft.end)
            try:
                slide = archive.tree(name)
                notes = [archive.tree(file) for file in _related(archive, name, "notesSlide")]
            except FormatError:
                lost += 1
                continue
            if slide.get("show") != "0":
                _write([*_shapes(slide)], [shape for one in notes for shape in _shapes(one)], draft)
        called = _called(archive)
    if lost:
        report(f"skipped {counted(lost, 'slide')} of {source}: damaged or not there")
    yield draft.document(source, enclave, "slides", called, {"slides": starts})


def _slides(archive: Archive) -> list[str]:
    """The files of the slides, in the order they are shown."""
    where = _relations(archive, _MAIN)
    ids = [value for one in archive.tree(_MAIN).iter("sldId") for key, value in one.items() if key.endswith("}id")]
    return [where[id][1] for id in ids if id in where]


def _relations(archive: Archive, name: str) -> dict[str, tuple[str, str]]:
    """By their ids, the kind and the file of each part that a part names."""
    folder, file = posixpath.split(name)
    listed = f"{folder}/_rels/{file}.rels"
    if listed not in archive.names:
        return {}
    return {
        one.get("Id", ""): (
            one.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
        )
        for one in archive.tree(listed).iter("Relationship")
    }


def _related(archive: Archive, name: str, kind: str) -> list[str]:
    return [file for of, file in _relations(archive, name).values() if of == kind]


def _called(archive: Archive) -> str:
    """The title among its properties, where that is not the one that the program puts there."""
    if _PROPERTIES not in archive.names:
        return ""
    said = one_line(clean(archive.tree(_PROPERTIES).findtext("title") or ""))
    return "" if said.lower() in _NO_TITLES else said


def _shapes(within: Element) -> Iterator[Element]:
    """What stands on a slide, in order. A drawing may come twice, for new and for old programs: that is `Fallback`."""
    for one in within:
        if one.tag in ("sp", "graphicFrame"):
            yield one
        elif one.tag != "Fallback":
            yield from _shapes(one)


def _write(shapes: list[Element], notes: list[Element], draft: Draft) -> None:
    """A slide and what is said to it. Without a title its first short paragraph is one."""
    shapes.sort(key=lambda one: _place(one) not in _TITLES)
    headed = False
    for shape in [*shapes, *notes]:
        if _place(shape) in _AROUND:
            continue
        for part in _parts(shape):
            if isinstance(part, list):
                draft.table(part)
            elif not headed and (_place(shape) in _TITLES or len(part.split()) <= _TITLE_WORDS):
                draft.heading(part, 1)
                headed = True
            else:
                draft.block(part)


def _place(shape: Element) -> str:
    """What a shape is on its slide; empty where it is none of the slide's own places."""
    for one in shape.iter("ph"):
        return one.get("type", "body")
    return ""


def _parts(shape: Element) -> Iterator[str | list[list[str]]]:
    """The paragraphs of a shape, or its table as rows of cells."""
    if shape.tag == "graphicFrame":
        for table in shape.iter("tbl"):
            yield [[one_line(_said(cell)) for cell in row.iter("tc")] for row in table.iter("tr")]
        return
    for paragraph in shape.iter("p"):
        if text := _said(paragraph).strip():
            yield text


def _said(part: Element) -> str:
    """The words of a part, its paragraphs and lines parted by blanks."""
    pieces = {"br": " ", "p": " ", "tab": "\t"}
    return clean("".join(one.text or "" if one.tag == "t" else pieces.get(one.tag, "") for one in part.iter()))
