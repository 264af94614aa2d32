"""Files to documents: which files there are under the given paths, and what each of them holds.

Nothing here trusts a file. What cannot be read is told in one sentence and the rest goes on.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from answerable.corpora.archives import Folder, opened
from answerable.corpora.captions import read_captions
from answerable.corpora.cards import read_cards
from answerable.corpora.epub import read_epub
from answerable.corpora.headings import text_sections
from answerable.corpora.layout import is_rule
from answerable.corpora.lines import MANIFEST, read_jsonl
from answerable.corpora.mail import read_eml, read_maildir, read_mbox
from answerable.corpora.markdown import read_markdown
from answerable.corpora.names import Names, place_of, printable, real
from answerable.corpora.notion import is_notion, read_notion
from answerable.corpora.objects import read_json
from answerable.corpora.obsidian import in_vault, note_of, with_properties
from answerable.corpora.office import read_docx
from answerable.corpora.opendocument import read_opendocument
from answerable.corpora.pages import without_line_breaks, without_mode_line, without_page_breaks
from answerable.corpora.pdf import read_pdf
from answerable.corpora.restructured import read_restructured
from answerable.corpora.slack import LISTS as SLACK_LISTS
from answerable.corpora.slack import read_slack, slack_root
from answerable.corpora.slides import read_slides
from answerable.corpora.sources import File, Held, Limits, Report, decode, open_file, read_whole, title_from
from answerable.corpora.tables import read_delimited
from answerable.corpora.web import read_html
from answerable.corpora.whatsapp import is_whatsapp, read_whatsapp
from answerable.corpora.workbook import read_workbook
from answerable.errors import FormatError, UsageError
from answerable.printing import counted
from answerable.text import EMPTY, content
from answerable.types import Document, Section

__all__ = ["Found", "Limits", "Report", "find_files", "read_documents"]

_SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".rst": "rst",
    ".adoc": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "slides",
    ".odt": "odt",
    ".odp": "odt",
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook"),
    ".epub": "epub",
    **dict.fromkeys((".vtt", ".srt"), "captions"),
    ".zip": "export",
    ".csv": "table",
    ".tsv": "table",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".mbox": "mbox",
    ".ics": "cards",
    ".vcf": "cards",
    ".eml": "mail",
}
_BETTER = dict.fromkeys((".doc", ".rtf", ".ppt"), "PDF")
"""What files that are not read can be saved as."""
_LONGEST_TITLE = 500
_FORMS = frozenset({"docx", "odt", "pdf"})
_WORD = re.compile(r"[^\W\d_]{3,}")
_NEVER_PACKED = frozenset({"pdf", "docx", "odt", "slides", "workbook", "epub", "export"})
_BEGINS = ((b"%pdf-", "pdf"), (b"<!doctype html", "html"), (b"<html", "html"))
_NO_TEXT = (b"#!", b"-----begin ")
_MAIL_FIELDS = (b"message-id:", b"received:", b"return-path:", b"from:", b"date:", b"mime-version:", b"delivered-to:")


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read, or a folder that is read whole. `source` names it, as `Names` says, in posix form. `kind` is the
    format: text, rst, markdown, html, pdf, docx, odt, slides, workbook, epub, captions, table, json, cards, jsonl,
    mbox, mail, maildir, or an export of Slack or Notion.
    """

    path: Path
    source: str
    kind: str


def find_files(
    paths: Sequence[Path], report: Report, names: Names | None = None, own: Collection[str] = ()
) -> Iterator[Found]:
    """All that can be read under `paths`, each once, by name, in the order of the paths.

    Hidden files and links inside folders are passed over; so are pipes, sockets and devices, which are never opened,
    formats that are not read, and what lies at the places `own`. `names`: of the files that are known.
    Raises `UsageError` for a path that does not exist.
    """
    names, met = names or Names(), set[str]()
    for path in paths:
        try:
            root = real(path)
            mode = root.stat().st_mode
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror or 'no such file'}") from error
        walked = _walk(root, names, report, own) if stat.S_ISDIR(mode) else _given(path, root, names, report, own)
        for found in walked:
            if found.source not in met:
                met.add(found.source)
                yield found


def _given(path: Path, file: Path, names: Names, report: Report, own: Collection[str]) -> Iterator[Found]:
    """A file that was given by name, as `path`."""
    try:
        if not file.is_file():
            report(f"skipped {path}: it is a pipe, a socket or a device")
        elif place_of(file) in own:
            report(f"skipped {path}: it is the workspace's own")
        elif kind := _kind(file):
            yield Found(file, names.file(file), kind)
        else:
            better = _BETTER.get(file.suffix.lower())
            way_out = f"save it as {better}" if better else f"read are: {' '.join(_SUFFIXES)}"
            report(f"skipped {path}: it is of a format that is not read; {way_out}")
    except FormatError as error:
        report(f"skipped {path}: {error}")


def _walk(root: Path, names: Names, report: Report, own: Collection[str]) -> Iterator[Found]:
    """Files under a folder, depth first, by name."""
    unread: Counter[str] = Counter()
    called = names.folder(root)
    stack = [(root, called)]
    while stack:
        path, source = stack.pop()
        try:
            mode = path.lstat().st_mode
            if place_of(path) in own and path != root:
                report(f"skipped {source}: it is the workspace's own")
            elif stat.S_ISLNK(mode) and path != root:
                report(f"skipped {source}: it is a link, and links are not followed")
            elif stat.S_ISDIR(mode) or path == root:
                if path.name == "_sources" and (path.parent / "objects.inv").is_file():
                    report(f"skipped {source}: Sphinx made the pages beside it from them")
                    continue
                if whole := _whole(path):
                    yield Found(path, names.file(path, source), whole)
                    continue
                source = names.named(path) or source
                children = sorted((e.name for e in os.scandir(path) if not e.name.startswith(".")), reverse=True)
                stack += [(path / child, f"{source}/{printable(child)}") for child in children]
            elif not stat.S_ISREG(mode):
                report(f"skipped {source}: it is a pipe, a socket or a device")
            elif path.name == MANIFEST and (path.parent / "documents.jsonl").is_file():
                continue  # an export's, which its lines say too
            elif kind := _kind(path):
                yield Found(path, names.file(path, source), kind)
            else:
                unread[path.suffix.lower() or "no ending"] += 1
        except (OSError, FormatError) as error:
            report(f"skipped {source}: {getattr(error, 'strerror', None) or 'it cannot be read'}")
    if unread:
        kinds = ", ".join(f"{ending} ({count})" for ending, count in unread.most_common(8))
        ways_out = "".join(f"; save {ending} as {_BETTER[ending]}" for ending in sorted(unread.keys() & _BETTER))
        report(f"skipped {counted(unread.total(), 'file')} in {called} of formats that are not read: {kinds}{ways_out}")


def _whole(path: Path) -> str | None:
    """The format of a folder that is read as one; None where its files are read each for itself."""
    if all((path / part).is_dir() for part in ("cur", "new")):
        return "maildir"
    there = [name for name in SLACK_LISTS if (path / name).is_file()]
    return "export" if slack_root(there) is not None else None


def _kind(path: Path) -> str | None:
    """The format of a file by its name; of one without an ending, as "LICENSE" or "GPL-3.0", by what it begins with."""
    name = path.name.lower()
    packed = name.endswith(".gz")
    name = name.removesuffix(".gz")
    suffix = PurePosixPath(name).suffix
    kind = _SUFFIXES.get(suffix)
    if kind in _NEVER_PACKED and packed:
        return None
    return _kind_by_content(path) if not suffix.strip(".0123456789") and not packed else kind


def _kind_by_content(path: Path) -> str | None:
    """What a file begins as: a PDF, a page, a mail, or a text that is no program and no key; None for anything else."""
    with open_file(path, "it") as file:
        begun = file.read(4096)
    head = begun.lstrip().lower()
    if kind := next((kind for mark, kind in _BEGINS if head.startswith(mark)), None):
        return kind
    if head.startswith(_MAIL_FIELDS) and sum(b"\n" + field in b"\n" + head for field in _MAIL_FIELDS) >= 2:
        return "mail"
    if not head or head.startswith(_NO_TEXT):
        return None
    with suppress(FormatError):
        decode(begun, path.name)
        return "text"
    return None


def read_documents(
    found: Found, enclave: str, limits: Limits, report: Report, start: int = 0, attached: bool = True
) -> Iterator[Document]:
    """The documents of one file, in order, leaving out its first `start` records; of mails what is `attached` too.

    Every document has the number of its record as `meta["record"]`, so the way to go on after the last one stored is
    `start=meta["record"] + 1`. A record that cannot be used goes to `report`, a file that cannot raises `FormatError`
    (mailboxes and JSONL may have yielded documents before).
    """
    given = (found.path, found.source, enclave, limits, report)
    if of_mails := _OF_MAILS.get(found.kind):
        reads = partial(_read_attached, enclave, limits)
        documents = of_mails(*given, start, reads if attached and limits.max_attached else None)
    elif found.kind == "jsonl":
        documents = read_jsonl(*given, start)
    else:
        documents = _OF_FILES[found.kind](*given)
    for document in documents:
        if document.meta["record"] < start:
            continue
        if len(document.text) > limits.max_bytes:
            raise FormatError(f"{found.source} holds more text than {limits.max_bytes // 2**20} MiB")
        yield _with_short_titles(_told_apart(document) if document.kind in _FORMS else document)


def _read_attached(enclave: str, limits: Limits, held: Held, id_: str, report: Report) -> Iterator[Document]:
    """What a file that came with a mail holds; nothing of archives, mails, and formats that are not read."""
    kind = _SUFFIXES.get(PurePosixPath(held.name.lower()).suffix, "")
    if kind in _ATTACHED:
        if len(held.data) > limits.max_attached:
            raise FormatError(f"{id_} is larger than limits.max_attached, {limits.max_attached // 2**20} MiB")
        yield from _OF_FILES[kind](held, id_, enclave, limits, report)


def _told_apart(document: Document) -> Document:
    """The same, its title with the words of its file's name that its text says and the title does not: all that is made
    from one form is called "Contract of Employment" (`meta["form"]`), and its file after whom it is for."""
    title, known = document.title, content(document.title)
    for one in dict.fromkeys(_WORD.findall(title_from(document.source))):
        said = re.search(rf"\b{one}\b", document.text, re.IGNORECASE)
        if said and one.lower() not in EMPTY and not content(one) <= known:
            title = f"{title}{' ' if title != document.title else ', '}{said[0]}"
    if title == document.title:
        return document
    first, *rest = document.sections or (None,)
    own = (replace(first, title=title), *rest) if first and first.title == document.title else document.sections
    return replace(document, title=title, sections=own, meta={**document.meta, "form": document.title})


def _with_short_titles(document: Document) -> Document:
    """The same, without titles of thousands of characters: every passage has those it stands under."""
    titles = [document.title, *(section.title for section in document.sections)]
    if max(map(len, titles)) <= _LONGEST_TITLE:
        return document
    sections = tuple(replace(section, title=section.title[:_LONGEST_TITLE]) for section in document.sections)
    return replace(document, title=document.title[:_LONGEST_TITLE], sections=sections)


def _read_text(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A plain text as one document, or each day of a chat."""
    text = _said(path, source, limits)
    if is_whatsapp(text):
        yield from read_whatsapp(text, source, enclave)
        return
    text = without_mode_line(without_line_breaks(without_page_breaks(text)))
    sections = text_sections(text)
    title = _title(text, sections) or title_from(source)
    yield Document(source, enclave, title, text, source, "text", sections, {"record": 0})


def _read_markdown(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A text in Markdown as one document. A note of a vault is called by its file, as links to it are."""
    text, vault = _said(path, source, limits), isinstance(path, Path) and in_vault(path)
    text, known = note_of(text) if vault else with_properties(text)
    text, sections, found = read_markdown(text)
    if not text:
        raise FormatError(f"{source} holds no text")
    title = path.name.partition(".md")[0] if vault else _top_title(sections)
    meta = {**known, **found, "record": 0}
    yield Document(source, enclave, printable(title) or title_from(source), text, source, "markdown", sections, meta)


def _read_rst(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A text in reStructuredText as one document."""
    text, sections, meta = read_restructured(_said(path, source, limits))
    if not text:
        raise FormatError(f"{source} holds no text")
    title = _top_title(sections) or title_from(source)
    yield Document(source, enclave, title, text, source, "text", sections, {**meta, "record": 0})


def _said(path: File, source: str, limits: Limits) -> str:
    text = decode(read_whole(path, source, limits), source)
    if not text.strip():
        raise FormatError(f"{source} is empty")
    return text


def _read_export(path: Path, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """What another program packed up: an archive, or a folder, of which only its files say by which."""
    if path.is_dir():
        yield from read_slack(Folder(path, source, limits), source, enclave, report)
        return
    with opened(path, source, limits, "export that is read") as archive:
        if slack_root(archive.names) is not None:
            yield from read_slack(archive, source, enclave, report)
        elif is_notion(archive):
            yield from read_notion(archive, source, enclave, report)
        else:
            raise FormatError(
                f"{source} is an archive, and no export of Slack or Notion", hint="unpack it, and index the folder"
            )


def _top_title(sections: Sequence[Section]) -> str:
    """The first heading, where no other is as wide as it: of a list of versions the first names them not all."""
    alone = sections and all(section.depth > sections[0].depth for section in sections[1:])
    return sections[0].title if alone else ""


def _title(text: str, sections: Sequence[Section]) -> str:
    """What a plain text begins with, where that is a heading or a line of few words by itself; of parts between rules
    the first names them not all."""
    if sections and text.lstrip().startswith(sections[0].title):
        above = text[: sections[1].start].rstrip().rpartition("\n")[2] if sections[1:] else ""
        return "" if is_rule(above) else sections[0].title
    first = text.strip().split("\n", 1)[0].strip()
    if len(first.split()) <= 12 and "\n\n" in text.replace("\r", "") and first[-1].isalnum():
        second = text.strip().replace("\r", "").split("\n", 2)
        return first if len(second) > 1 and not second[1].strip() else ""
    return ""


_OF_FILES: dict[str, Callable[[Any, str, str, Limits, Report], Iterator[Document]]] = {
    "text": _read_text,
    "markdown": _read_markdown,
    "rst": _read_rst,
    "pdf": read_pdf,
    "docx": read_docx,
    "odt": read_opendocument,
    "slides": read_slides,
    "epub": read_epub,
    "captions": read_captions,
    "table": read_delimited,
    "json": read_json,
    "html": read_html,
    "cards": read_cards,
    "workbook": read_workbook,
    "export": _read_export,
}
"""Read a file that is held whole."""
_OF_MAILS: dict[str, Callable[..., Iterator[Document]]] = {"mail": read_eml, "mbox": read_mbox, "maildir": read_maildir}
"""Read mails from that number on, and what is attached to them."""
MAILS = frozenset(_OF_MAILS)
_ATTACHED = frozenset(_OF_FILES) - {"export"}
