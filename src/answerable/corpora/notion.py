"""A Notion export: its pages (Markdown or HTML) and databases (CSV), called as they are without their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath

from answerable.corpora.archives import Archive
from answerable.corpora.markdown import read_markdown
from answerable.corpora.sources import Faults, Report, decode, distinct, short_name
from answerable.corpora.tables import delimited
from answerable.corpora.web import decode_html, html_text
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

_ID = re.compile(r"[ _-]([0-9a-f]{32})(?=(?:_all)?(?:\.[a-z]+)?$)")
_PART = re.compile(r"(?:^|/)ExportBlock-[0-9a-f-]{36}-Part-\d+\.zip$")
_PAGES = (".md", ".html", ".csv")
_IMAGE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_LINK = re.compile(r"\[([^\]\n]*)\]\((?!https?:|mailto:)[^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")


def is_notion(archive: Archive) -> bool:
    """Whether an archive is such an export: of parts, or of pages whose names end with an id."""
    return any(_PART.search(name) or (_ID.search(name) and name.endswith(_PAGES)) for name in archive.names)


def read_notion(archive: Archive, source: str, enclave: str, report: Report) -> Iterator[Document]:
    """Its pages and databases, by name.

    Ids are `source#` and the page's id, which stays when a page is renamed or moved; `meta["folder"]` has the pages
    above it. Links to other pages are read as their words. Of a database the view of all rows is read.
    """
    seen: dict[str, int] = {}
    with Faults(source, report) as faults:
        for number, (pages, name) in enumerate(_pages(archive)):
            path = PurePosixPath(name)
            own = _ID.search(path.name)
            id = f"{source}#{distinct(own[1] if own else short_name(name), seen)}"
            try:
                found = _page(pages.read(name), path.suffix, id, source, enclave, report)
            except FormatError:
                faults.add(f"page {number + 1}", "it is empty, too large or damaged")
                continue
            called = one_line(_ID.sub("", path.name).removesuffix(path.suffix).removesuffix("_all"))
            title = called if found.kind == "table" else found.title or called
            above = " / ".join(_ID.sub("", one) for one in path.parts[:-1])
            yield replace(found, title=title, meta={**found.meta, "record": number, "folder": above})


def _pages(archive: Archive) -> Iterator[tuple[Archive, str]]:
    """The pages of an export and of the parts that lie in it, by name."""
    parts = (archive.inner(name) for name in archive.names if _PART.search(name))
    for pages in chain((archive,), parts):
        held = frozenset(pages.names)
        for name in sorted(held):
            shown_whole = not name.endswith("_all.csv") and f"{name.removesuffix('.csv')}_all.csv" in held
            if name.endswith(_PAGES) and not shown_whole and name != "index.html":
                yield pages, name


def _page(data: bytes, ending: str, id: str, source: str, enclave: str, report: Report) -> Document:
    """A page as a document. Raises `FormatError` where it says nothing."""
    if ending == ".html":
        title, (text, sections, known) = html_text(decode_html(data, id), id)
        found = Document(id, enclave, title, text, source, "html", sections, known)
    elif ending == ".csv":
        return delimited(decode(data, id), id, source, enclave, report, {})
    else:
        text, sections, known = read_markdown(_LINK.sub(r"\1", _IMAGE.sub("", decode(data, id))))
        title = sections[0].title if sections else ""
        found = Document(id, enclave, title, text, source, "markdown", sections, known)
    if not found.text.strip():
        raise FormatError(f"{id} is empty")
    return found
