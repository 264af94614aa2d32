"""How long documents are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """`windows` of `room` characters are read for a question; as many pairs of them where two pieces are wanted.

    In a paragraph of more than `wide` characters a window has up to half of these: a row of a table with all that it
    links to is such a paragraph, and says in one place what its sentences are about.

    `threshold` (0 to 1): least confidence of an answer. A document of `long` paragraphs or more is made ready for
    reading when it is indexed if `ahead` says so, and, once ready, is walked `inside` an ask whose chains end in it.
    `rerank`: pairs of evidence are put in order by the reader of paths.
    """

    windows: int = 4
    room: int = 500
    wide: int = 2000
    threshold: float = 0.15
    long: int = 20
    ahead: bool = False
    inside: bool = False
    rerank: bool = True
