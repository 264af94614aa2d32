"""EPUB books: their chapters in reading order, each under its heading or what the table of contents calls it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from answerable.corpora.archives import Archive, opened
from answerable.corpora.outline import Heading, TableRows, nest
from answerable.corpora.sources import File, Limits, Report, clean, title_from
from answerable.corpora.web import decode_html, html_text
from answerable.errors import FormatError
from answerable.printing import counted
from answerable.text import one_line
from answerable.types import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PAGES = ("application/xhtml+xml", "text/html")
_WHAT = "EPUB book"


def read_epub(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A book as one document. `meta` has its authors as `creator`, and its `date` where that is a day or a year.

    Of a book some of whose chapters are encrypted or damaged the others are read, and told how many are not.
    """
    with opened(path, source, limits, _WHAT) as archive:
        where = _where(archive, source)
        book = archive.tree(where)
        items = {one.get("id"): one for one in book.iter("item")}
        spine = [items[one.get("idref")] for one in book.iter("itemref") if one.get("idref") in items]
        names = _contents(archive, [*items.values()], where, source)
        parts, headings, tables, length, lost = list[str](), list[Heading](), list[TableRows](), 0, 0
        for name in (_beside(where, one) for one in spine if one.get("media-type") in _PAGES):
            try:
                _, (text, sections, held) = html_text(decode_html(archive.read(name), source), source)
            except FormatError:
                lost += 1
                continue
            if not text:
                continue
            if (called := names.get(name, "")) and not any(one.start == 0 for one in sections):
                headings.append((length, 1, called))
                text, shift = f"{called}\n\n{text}", len(called) + 2
            else:
                shift = 0
            headings += [(length + shift + one.start, one.depth, one.title) for one in sections]
            tables += [
                (length + shift + first, length + shift + last, header)
                for first, last, header in held.get("tables", ())
            ]
            parts.append(text)
            length += len(text) + 2
    if lost:
        report(f"skipped {counted(lost, 'chapter')} of {source}: encrypted, damaged or not there")
    if not parts:
        raise FormatError(f"{source} holds no text that can be read")
    told = {name: _said(book, name) for name in ("title", "creator", "date")}
    meta = {
        "record": 0,
        **({"tables": tables} if tables else {}),
        "creator": told["creator"],
        "date": told["date"][:10],
    }
    text = "\n\n".join(parts)
    yield Document(
        source, enclave, told["title"] or title_from(source), text, source, "epub", nest(headings, len(text)), meta
    )


def _where(archive: Archive, source: str) -> str:
    """The file that says what the book is made of."""
    found = [one.get("full-path", "") for one in archive.tree("META-INF/container.xml").iter("rootfile")]
    if not found:
        raise FormatError(f"{source} is no {_WHAT}: it does not say what it is made of")
    return found[0]


def _contents(archive: Archive, items: list[Element], where: str, source: str) -> dict[str, str]:
    """What the table of contents calls each file, the first time: the navigation of EPUB 3, else the NCX of EPUB 2."""
    named: dict[str, str] = {}
    for one in items:
        nav = "nav" in (one.get("properties") or "").split()
        if not nav and one.get("media-type") != "application/x-dtbncx+xml":
            continue
        place = _beside(where, one)
        try:
            tree = archive.tree(place)
        except FormatError:
            continue
        for point in tree.iter("a" if nav else "navPoint"):
            content, label = (point, point) if nav else (point.find("content"), point.find("navLabel"))
            if content is not None and label is not None:
                target = unquote((content.get("href") or content.get("src") or "").partition("#")[0])
                file = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
                named.setdefault(file, one_line(clean("".join(label.itertext()))))
    return named


def _beside(where: str, item: Element) -> str:
    """The file of an item, whose address is as seen from the file that lists it."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(where), unquote(item.get("href") or "")))


def _said(book: Element, name: str) -> str:
    """What the book says of itself; of several authors all."""
    return ", ".join(filter(None, (one_line(clean("".join(one.itertext()))) for one in book.iter(name))))
