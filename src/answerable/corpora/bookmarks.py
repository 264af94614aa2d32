"""Bookmarks as every browser exports them (Netscape's HTML), each a document with its address, folder and day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from typing import Any

from answerable.corpora.sources import clean, distinct, short_name
from answerable.text import one_line
from answerable.types import Document

_OPENS = re.compile(r"\s*<!DOCTYPE\s+NETSCAPE-Bookmark-file-1", re.IGNORECASE)
_PART = re.compile(
    r"<h3\b[^>]*+>(?P<folder>[^<]*+)|<(?P<down>dl)\b|<(?P<up>/dl)\b|<a\b(?P<about>[^>]*+)>(?P<title>[^<]*+)"
    r"|<dd>(?P<note>[^<]*+)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([a-z_]+)=\"([^\"]*+)\"", re.IGNORECASE)
_PAGES = re.compile(r"(?:https?|ftp|file|gopher|gemini):", re.IGNORECASE)


def are_bookmarks(markup: str) -> bool:
    """Whether a page is a browser's export."""
    return _OPENS.match(markup) is not None


def read_bookmarks(markup: str, source: str, enclave: str) -> Iterator[Document]:
    """The bookmarks in order. Scripts and a browser's own places are left out.

    The text has the title, the address, the folder, the tags, the day it was added and what was noted, a line each;
    `meta` the same as `url`, `folder`, `tags` and `date`. Ids are `source#address`.
    """
    seen: dict[str, int] = {}
    for number, (title, about, folder, note) in enumerate(_bookmarks(markup)):
        url = about["href"]
        id = f"{source}#{distinct(short_name(url), seen)}"
        tags = [tag for one in about.get("tags", "").split(",") if (tag := one.strip())]
        date = _day(about.get("add_date", ""))
        said = {"Address": url, "Folder": folder, "Tags": ", ".join(tags), "Added": date}
        lines = [title, *(f"{name}: {value}" for name, value in said.items() if value)]
        meta: dict[str, Any] = {"record": number, "url": url, "folder": folder, "tags": tags, "date": date}
        text = "\n".join(lines) + (f"\n\n{note}" if note else "")
        yield Document(id, enclave, title or url, text, source, "bookmark", (), meta)


def _bookmarks(markup: str) -> Iterator[tuple[str, dict[str, str], str, str]]:
    """(title, attributes, folder, note) of each."""
    folders, called = list[str](), ""
    last: tuple[str, dict[str, str], str] | None = None
    for part in _PART.finditer(markup):
        if last and part["note"] is None:
            yield *last, ""
            last = None
        if part["folder"] is not None:
            called = _plain(part["folder"])
        elif part["down"]:
            folders.append(called)
            called = ""
        elif part["up"]:
            folders = folders[:-1]
        elif part["note"] is not None and last:
            yield *last, _plain(part["note"])
            last = None
        elif part["about"] is not None:
            about = {name.lower(): _plain(value) for name, value in _ATTRIBUTE.findall(part["about"])}
            if _PAGES.match(about.get("href", "")):
                last = (_plain(part["title"]), about, " / ".join(filter(None, folders)))
    if last:
        yield *last, ""


def _plain(text: str) -> str:
    return one_line(clean(unescape(text)))


def _day(seconds: str) -> str:
    """The day of a moment in seconds since 1970; some browsers count in microseconds."""
    if not seconds.isdecimal() or len(seconds) > 17:
        return ""
    moment = int(seconds) if len(seconds) < 12 else int(seconds) // 10 ** (len(seconds) - 10)
    return datetime.fromtimestamp(moment, UTC).date().isoformat() if moment else ""
