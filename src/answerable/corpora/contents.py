"""Tables of contents in a text: lines that end with the number of a page, and name what stands below as headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from answerable.corpora.headings import LEADERS
from answerable.types import Document

_LEAST = 3
"""How many lines a table of contents must have."""
_BETWEEN = 4
"""Lines that may stand between two of them: of titles that take more than one."""
_SHARE = 0.5
"""Of the lines that end so, how many must name a heading: titles that are cut or take several lines do not."""
_WORDS = 12
"""Words of a title's end that are known."""
_NUMBER = re.compile(r"[\W_]*(?:\d+[.\d]*|[ivxlc]+\.)?[\W_]*", re.IGNORECASE)


def contents(document: Document) -> tuple[tuple[int, int], ...]:
    """Where tables of contents stand, as characters [start, end) in order: nothing is said there that the headings do
    not say. A list of prices may end its lines so too, but names no headings."""
    titles = [_key(section.title).split() for section in document.sections]
    # What stands on its last line is the end of a title that takes more than one.
    ends = {" ".join(words[-count:]) for words in titles for count in (*range(1, min(len(words), _WORDS) + 1), 0)}
    return tuple(_found(document.text, ends - {""})) if titles else ()


def _found(text: str, titles: Collection[str]) -> Iterator[tuple[int, int]]:
    held: list[tuple[int, int, bool]] = []
    cursor = since = 0
    for line in [*text.splitlines(keepends=True), ""]:
        words, said = line.strip(), False
        leaders = LEADERS.search(words) if len(words) < 300 else None
        if leaders:
            said = _key(words[: leaders.start()]) in titles
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
