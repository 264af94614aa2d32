"""How a document is read."""

from __future__ import annotations

from dataclasses import dataclass

from answerable.records import setting


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """`windows` of `room` characters are read for a question; as many pairs of them where two pieces are wanted.

    In a paragraph of more than `wide` characters a window has up to half of these: a row of a table with all that it
    links to is such a paragraph, and says in one place what its sentences are about.
    """

    walk: bool = setting(
        False, "walk through every document that is read, as through a table with what it links to; else ask it"
    )
    windows: int = setting(4, "pieces of a document that are read where it is walked, or a situation was told", 1, 100)
    room: int = setting(500, "characters of one of them, at most", 100, 20_000)
    wide: int = setting(
        2000, "characters from which a paragraph is wide: half of them are read at once there", 200, 40_000
    )
    threshold: float = setting(0.3, "least confidence of an answer from one document", 0, 1)
    rerank: bool = setting(
        True, "let a second reader put pairs of evidence in order, for questions that want two pieces"
    )
