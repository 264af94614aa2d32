"""Questions that a text states with their answers, as help pages and policies do: taken as they stand.

A heading that is a question is answered by what stands below it, and in a list of "Q:" and "A:" each question by what
follows. Nothing is generated, so that nothing has to be filtered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from answerable.corpora.faq import shortened
from answerable.qapairs.generation.stages import pair_id
from answerable.text import MARKS, words
from answerable.types import Document, Passage, QAPair

STATED = "stated"
"""The name of the generator that only takes these."""
LEAST_WORDS = 3  # of a question that says what it is about
ASKED = 1.0  # how probable it is that somebody asks what a text asks itself
_ASKED = re.compile(r"\n\s*\n[^\n]*[?？؟][ \t]*\n")
"""Where the next question of a page stands that has no heading."""
_LISTED = re.compile(
    r"^[ \t>*_#-]*Q(?:uestion)?[ ]?\d*[.:)][*_]*[ \t]+(?P<asked>[^\n](?:[^\n]|\n(?![ \t]*\n))*?[?？؟])"
    r"[*_ \t]*\n\s*[>*_-]*A(?:nswer)?[ ]?\d*[.:)][*_]*[ \t]+(?P<said>\S(?:[^\n]|\n(?![ \t]*\n))*)",
    re.MULTILINE | re.IGNORECASE,
)


def stated(document: Document) -> list[tuple[str, int, int]]:
    """(question, start, end) of what a document states: the characters of its text that answer, by place."""
    found = dict[int, tuple[str, int, int]]()
    listed = ((" ".join(one["asked"].split()), *one.span("said")) for one in _LISTED.finditer(document.text))
    for question, *around in (*_headed(document), *listed):
        start, end = _shortened(document.text, *around)
        if end > start and len(words(question)) >= LEAST_WORDS:
            found.setdefault(start, (question, start, end))
    return [found[start] for start in sorted(found)]


def stated_in(document: Document, passages: Sequence[Passage]) -> dict[str, list[QAPair]]:
    """The same as pairs of the passages in which the answers begin, by passage id, each as far as its passage goes."""
    made: dict[str, list[QAPair]] = {}
    found = stated(document)
    for one in passages:
        for question, start, end in found:
            if one.start <= start < one.end:
                first, said = start - one.start, document.text[start : min(end, one.end)].rstrip()
                id = pair_id(one.enclave, one.id, question)
                pair = QAPair(id, question, (said,), one.id, one.enclave, ASKED, first, first + len(said))
                made.setdefault(one.id, []).append(pair)
    return made


def _headed(document: Document) -> Iterator[tuple[str, int, int]]:
    """Headings that are questions, with what stands between each and the next heading."""
    text, starts = document.text, sorted({one.start for one in document.sections} | {len(document.text)})
    following = dict(pairwise(starts))
    for section in document.sections:
        title = " ".join(section.title.split())
        at = text.find(section.title, section.start, section.end)
        if title.endswith(MARKS) and at >= 0 and at < following[section.start]:
            ends = text.find("\n", at + len(section.title), following[section.start])
            if ends >= 0:
                yield title, ends, following[section.start]


def _shortened(text: str, start: int, end: int) -> tuple[int, int]:
    """What of [start, end) is the answer, up to the next question of a page without headings."""
    asked = _ASKED.search(text, start, end)
    return shortened(text, start, asked.start() if asked else end)
