"""PDF: the text of the pages in order, with bookmarks or what is set as headings as sections. Needs the `pdf` extra."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from answerable.corpora.outline import Heading, TableRows, nest
from answerable.corpora.pages import running_lines
from answerable.corpora.pdf_lines import depths_by_size, page_lines
from answerable.corpora.pdf_tables import Line
from answerable.corpora.sources import File, Limits, Report, clean, read_whole, title_from
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

_HYPHENS = ("\ufffe", "\x02")
_HYPHEN = re.compile("[\ufffe\x02]\\s*")
"""What pdfium writes for a hyphen that only breaks a line."""
_ENDS = frozenset(".!?:;\"'”’)]")
_UNMARKED_PAGES = 15

_MAX_BOOKMARKS = 5000
_LONGEST_PAGE = 50_000  # characters of a page in which the words of a bookmark are looked for


def read_pdf(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A PDF as one document. `meta["pages"]` has the character at which each page begins, `meta["tables"]` where rows
    of tables stand, if any do.

    Raises `FormatError` when it is damaged, locked or holds no text.
    """
    import pypdfium2

    data = read_whole(path, source, limits)
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = any(word in str(error).lower() for word in ("password", "security"))
        reason = "is locked by a password" if locked else "is damaged or no PDF"
        raise FormatError(f"{source} {reason}") from error
    try:
        lines = _lines(pdf, source, limits, report)
        text, pages, sized, tables = _written(lines, depths_by_size(lines))
        marked = _bookmarks(pdf, text, pages)
        headings = marked if _cover(marked, pages) or not sized else sized
        title = one_line(clean(pdf.get_metadata_value("Title") or ""))
    except pypdfium2.PdfiumError as error:
        raise FormatError(f"{source} is damaged") from error
    finally:
        pdf.close()
    if not text:
        raise FormatError(f"{source} holds no text: a scan must go through text recognition first")
    if not _tells(title):
        title = title_from(source)
    meta = {"record": 0, "pages": pages, **({"tables": tables} if tables else {})}
    yield Document(source, enclave, title, text, source, "pdf", nest(headings, len(text)), meta)


def _lines(pdf: Any, source: str, limits: Limits, report: Report) -> list[list[Line]]:
    """The lines of each page, without running heads and feet."""
    import pypdfium2

    pages: list[list[Line]] = []
    length = 0
    if len(pdf) > limits.max_pages:
        report(f"only the first {limits.max_pages} pages of {source} are read")
    for number in range(min(len(pdf), limits.max_pages)):
        lines: list[Line] = []
        try:
            page = pdf[number]
            lines = page_lines(page)
            page.close()
        except pypdfium2.PdfiumError:
            report(f"skipped page {number + 1} of {source}: it is damaged")
        pages.append(lines)
        length += sum(len(line.text) + 1 for line in lines)
        if length > limits.max_bytes:
            raise FormatError(f"{source} holds more text than {limits.max_bytes // 2**20} MiB")
    from_top = [sorted(range(len(lines)), key=lambda n: (-lines[n].base, n)) for lines in pages]
    running = running_lines([[pages[p][n].text for n in order] for p, order in enumerate(from_top)])
    left_out = [{order[n] for n in found} for order, found in zip(from_top, running, strict=True)]
    return [[line for n, line in enumerate(pages[p]) if n not in left_out[p]] for p in range(len(pages))]


def _written(
    pages: Sequence[Sequence[Line]], depths: Mapping[tuple[int, int], int]
) -> tuple[str, list[int], list[Heading], list[TableRows]]:
    """The text of all pages, where each begins in it, its headings (those of `depths`, by page and line), its tables.

    A line that goes on with the heading above it has the depth 0.
    """
    parts: list[str] = []
    starts: list[int] = []
    headings: list[Heading] = []
    tables: list[TableRows] = []
    length = 0
    last: Line | None = None
    last_heads = False
    for page, lines in enumerate(pages):
        pitch = _pitch(lines)
        starts.append(length)
        for place, line in enumerate(lines):
            depth = depths.get((page, place))
            text = clean(_HYPHEN.sub("", line.text)).strip()
            if not text:
                continue
            if last is None:
                gap = ""
            elif depth == 0 or (line.columns and line.columns is last.columns):
                gap = "\n"
            elif depth or last_heads or line.columns or last.columns:
                gap = "\n\n"
            elif last.text[-1:] in _HYPHENS:
                gap = ""
            elif place == 0:
                # A sentence may run on over the page's end, so only a page that closes one closes a paragraph too.
                gap = "\n\n" if last.text[-1] in ".!?:" else "\n"
            else:
                gap = "\n\n" if _opens(last, line, pitch) else "\n"
            if place == 0 or length == starts[-1]:
                starts[-1] = length + len(gap)
            length += len(gap)
            if depth:
                headings.append((length, depth, one_line(text)))
            elif depth == 0 and headings:
                start, above, title = headings[-1]
                headings[-1] = (start, above, f"{title} {one_line(text)}")
            if line.columns:
                above = tables.pop()[0] if last and line.columns is last.columns else length
                tables.append((above, length + len(text), [*line.columns]))
            parts += (gap, text)
            length += len(text)
            last, last_heads = line, depth is not None
    return "".join(parts), starts, headings, tables


def _pitch(lines: Sequence[Line]) -> float:
    """How far apart the lines of a page are, most of the time."""
    gaps = Counter(
        round((above.base - below.base) * 2) / 2 for above, below in pairwise(lines) if above.base > below.base
    )
    return gaps.most_common(1)[0][0] if gaps else 0.0


def _opens(above: Line, below: Line, pitch: float) -> bool:
    """Whether a line opens a paragraph: after the end of a sentence, further below or further in than others."""
    if not pitch or above.text[-1] not in _ENDS or below.text[0].islower():
        return False
    gap = above.base - below.base
    further_in = 0.8 * below.size < below.left - above.left < 4 * below.size and 0 < gap < 2 * pitch
    return gap > 1.3 * pitch or further_in


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
        match = re.compile(words, re.IGNORECASE).search(
            text, max(cursor, pages[index]), min(end, pages[index] + _LONGEST_PAGE)
        )
        if match:
            start = text.rfind("\n", 0, match.start()) + 1
            # "2.1" before a title is part of its line, a whole sentence before it is not.
            start = start if match.start() - start <= 10 and start >= cursor else match.start()
            headings.append((start, mark.level + 1, title))
            cursor = match.end()
    return headings


def _cover(headings: Sequence[Heading], pages: Sequence[int]) -> bool:
    """Whether bookmarks lead through the whole document: no long run of pages is without any."""
    if len(headings) < 2:
        return False
    on = [0, *(bisect_right(pages, start) for start, _, _ in headings), len(pages)]
    return max(after - before for before, after in pairwise(on)) <= max(_UNMARKED_PAGES, len(pages) // 5)


def _tells(title: str) -> bool:
    """Whether a PDF's title was given by a person, not left there by a program."""
    return bool(title) and not re.search(
        r"untitled|\(anonymous\)|microsoft word|\.(?:docx?|tex|indd|pdf|dvi|qxd)\b", title, re.I
    )
