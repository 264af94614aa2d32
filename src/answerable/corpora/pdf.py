"""PDF: the text of the pages in order, with the bookmarks as sections. Needs the `pdf` extra."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answerable.corpora.outline import Heading, nest
from answerable.corpora.sources import Limits, Report, clean, one_line, read_whole, title_from
from answerable.errors import FormatError, MissingExtraError
from answerable.types import Document

_BROKEN_WORD = re.compile("[\ufffe\x02]\\s*")
"""What pdfium writes for a hyphen that only breaks a line."""

_MAX_BOOKMARKS = 5000


def read_pdf(
    path: Path, source: str, enclave: str, limits: Limits, report: Report, start: int = 0
) -> Iterator[Document]:
    """A PDF as one document. `meta["pages"]` has the character at which each page begins.

    Raises `FormatError` when it is damaged, locked or holds no text, `MissingExtraError` without pypdfium2.
    """
    if start:
        return
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtraError(f"reading the PDF {source}", "pdf") from error
    data = read_whole(path, source, limits)
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = any(word in str(error).lower() for word in ("password", "security"))
        reason = "is locked by a password" if locked else "is damaged or no PDF"
        raise FormatError(f"{source} {reason}") from error
    try:
        text, pages = _pages(pdf, source, limits, report)
        headings = _bookmarks(pdf, text, pages)
        title = one_line(clean(pdf.get_metadata_value("Title") or ""))
    except pypdfium2.PdfiumError as error:
        raise FormatError(f"{source} is damaged") from error
    finally:
        pdf.close()
    if not text.strip():
        raise FormatError(f"{source} holds no text: a scan must go through text recognition first")
    if not _tells(title):
        title = title_from(source)
    meta = {"record": 0, "pages": pages}
    yield Document(source, enclave, title, text, source, "pdf", nest(headings, len(text)), meta)


def _pages(pdf: Any, source: str, limits: Limits, report: Report) -> tuple[str, list[int]]:
    """The text of all pages and where each begins in it."""
    import pypdfium2

    parts: list[str] = []
    starts: list[int] = []
    length = 0
    if len(pdf) > limits.max_pages:
        report(f"only the first {limits.max_pages} pages of {source} are read")
    for number in range(min(len(pdf), limits.max_pages)):
        try:
            page = pdf[number]
            raw = page.get_textpage().get_text_bounded()
            page.close()
        except pypdfium2.PdfiumError:
            report(f"skipped page {number + 1} of {source}: it is damaged")
            raw = ""
        text = clean(_BROKEN_WORD.sub("", raw.replace("\r\n", "\n").replace("\r", "\n"))).strip()
        starts.append(length)
        if not text:
            continue
        # A sentence may run on over the page's end, so only a page that closes one closes a paragraph too.
        text += "\n\n" if text[-1] in ".!?:" else "\n"
        parts.append(text)
        length += len(text)
        if length > limits.max_bytes:
            raise FormatError(f"{source} holds more text than {limits.max_bytes // 2**20} MiB")
    return "".join(parts).rstrip(), starts


def _bookmarks(pdf: Any, text: str, pages: list[int]) -> list[Heading]:
    """The bookmarks whose words stand on the page they lead to, in order, at the line where they stand."""
    headings: list[Heading] = []
    cursor = 0
    for count, mark in enumerate(pdf.get_toc(max_depth=6)):
        if count >= _MAX_BOOKMARKS:
            break
        destination = mark.get_dest()
        index = destination.get_index() if destination is not None else None
        title = one_line(clean(mark.get_title() or ""))
        if index is None or not title or not 0 <= index < len(pages):
            continue
        end = pages[index + 1] if index + 1 < len(pages) else len(text)
        words = r"\s+".join(re.escape(word) for word in title.split())
        match = re.compile(words, re.IGNORECASE).search(text, max(cursor, pages[index]), end)
        if match:
            start = text.rfind("\n", 0, match.start()) + 1
            # "2.1" before a title is part of its line, a whole sentence before it is not.
            start = start if match.start() - start <= 10 and start >= cursor else match.start()
            headings.append((start, mark.level + 1, title))
            cursor = match.end()
    return headings


def _tells(title: str) -> bool:
    """Whether a PDF's title was given by a person, not left there by a program."""
    return bool(title) and not re.search(r"untitled|microsoft word|\.(?:docx?|tex|indd|pdf|dvi|qxd)\b", title, re.I)
