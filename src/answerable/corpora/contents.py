"""Tables of contents in a text: lines that end with the number of a page, and name what stands below as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from answerable.corpora.headings import LEADERS
from answerable.types import Document

_LEAST = 3
"""How many lines a table of contents must have."""
_BETWEEN = 4
"""Lines that may stand between two of them: of titles that take more than one."""
_SHARE = 0.5
"""Of the lines that end so, how many must name a heading: titles that are cut or take several lines do not."""
_NUMBER = re.compile(r"[\W_]*(?:\d+[.\d]*|[ivxlc]+\.)?[\W_]*", re.IGNORECASE)


def contents(document: Document) -> tuple[tuple[int, int], ...]:
    """Where tables of contents stand, as characters [start, end) in order: nothing is said there that the headings do
    not say. A list of prices may end its lines so too, but names no headings."""
    titles = "\n".join(_key(section.title) for section in document.sections)
    return tuple(_found(document.text, f"\n{titles}\n")) if titles else ()


def _found(text: str, titles: str) -> Iterator[tuple[int, int]]:
    held: list[tuple[int, int, bool]] = []
    cursor = since = 0
    for line in [*text.splitlines(keepends=True), ""]:
        words, said = line.strip(), False
        leaders = LEADERS.search(words) if len(words) < 300 else None
        if leaders:
            key = _key(words[: leaders.start()])
            said = bool(key) and f"{key}\n" in titles
        since = 0 if leaders else since + bool(words)
        if held and (since > _BETWEEN or not line):
            if len(held) >= _LEAST and sum(named for *_, named in held) >= _SHARE * len(held):
                yield held[0][0], held[-1][1]
            held = []
        if leaders:
            held.append((cursor, cursor + len(line.rstrip("\r\n")), said))
        cursor += len(line)


def _key(title: str) -> str:
    """The words of a title, without its number and without marks."""
    return " ".join(re.findall(r"\w+", title[_NUMBER.match(title).end() :].casefold()))  # type: ignore[union-attr]
