"""How long documents are read."""

from __future__ import annotations

from dataclasses import dataclass

from answerable.keys import setting


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """`windows` of `room` characters are read for a question; as many pairs of them where two pieces are wanted.

    In a paragraph of more than `wide` characters a window has up to half of these: a row of a table with all that it
    links to is such a paragraph, and says in one place what its sentences are about.
    """

    windows: int = setting(4, "pieces of a long document that are read for a question", 1, 100)
    room: int = setting(500, "characters of one of them, at most", 100, 20_000)
    wide: int = setting(
        2000, "characters from which a paragraph is wide: half of them are read at once there", 200, 40_000
    )
    threshold: float = setting(0.3, "least confidence of an answer from a long document", 0, 1)
    long: int = setting(20, "paragraphs from which a document is long", 1, 1_000_000)
    ahead: bool = setting(
        False, "make long documents ready to be read when they are indexed, not when they are first read"
    )
    rerank: bool = setting(
        True, "let a second reader put pairs of evidence in order, for questions that want two pieces"
    )
