"""Citations: the sentences an answer rests on, each checked word for word against the stored document."""

from __future__ import annotations

from collections.abc import Callable

from answerable.text import sentences, words
from answerable.types import Candidate, Citation, Document, Passage

FindDocument = Callable[[Passage], Document | None]
"""The stored document a passage was cut from, or None when it is gone."""

_HEADER = "From: "  # the lines over a mail, which repeat its title and support nothing
LONGEST = 480  # characters of one citation; longer sentences (tables, lists) are cut at a line or a word
_COMMON = frozenset(
    "a about after all also an and are as at be been before but by did do does for from had has have he her his how in "
    "into is it its more not of on or over she that the their there they this to was were what when where which who "
    "whom whose why will with would".split()
)


def cite(question: str, answer: str, candidate: Candidate, find: FindDocument) -> tuple[Citation, ...]:
    """The answer's sentence first, then the best supporting sentence of each other passage of its chain, in order.

    A citation whose characters are not those of the stored document is dropped.
    """
    passages = [hit.passage for hit in candidate.chain.hits]
    chosen = passages[candidate.hit]
    whole = (candidate.start, candidate.end) == (chosen.start, chosen.end)  # a yes or a no has no span of its own
    spans = {} if whole else {candidate.hit: _around(chosen, candidate.start, candidate.end)}
    made = []
    for number in sorted(range(len(passages)), key=lambda n: (n != candidate.hit, n)):
        passage = passages[number]
        links = [answer, *(other.title for other in passages if other is not passage)]
        span = spans[number] if number in spans else _supporting(passage, question, links)
        made.append(_checked(passage, span, find))
    return tuple(dict.fromkeys(citation for citation in made if citation is not None))


def quoted(document: Document, start: int, end: int) -> Citation:
    """Characters [start, end) of a document as a citation; a long sentence is cut as in `cite`, from its start."""
    whole = Passage("", document.id, document.enclave, document.title, document.text, 0, len(document.text))
    start, end = _shortened(whole, (start, end), (start, start + LONGEST - 100))
    return Citation(
        document.text[start:end], document.id, document.enclave, start, end, document.title, document.source
    )


def cited(passage: Passage, start: int, end: int, find: FindDocument) -> Citation | None:
    """Characters [start, end) of a passage's document as a citation, a long sentence cut as in `cite`, from its start.

    None when the document is gone or says something else there.
    """
    return _checked(passage, _shortened(passage, (start, end), (start, start + 1)), find)


def _checked(passage: Passage, span: tuple[int, int] | None, find: FindDocument) -> Citation | None:
    """A citation of characters [start, end) of the passage's document, if it still says what the passage says."""
    document = find(passage)
    if span is None or document is None:
        return None
    start, end = span
    text = passage.text[start - passage.start : end - passage.start]
    if not text or document.text[start - document.offset : end - document.offset] != text:
        return None
    return Citation(text, document.id, passage.enclave, start, end, document.title, document.source)


def _around(passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """The sentences that [start, end) touches, in document characters. None when it is not inside the passage."""
    if not passage.start <= start < end <= passage.end:
        return None
    touched = [
        (first + passage.start, last + passage.start)
        for first, last in sentences(passage.text)
        if first + passage.start < end and last + passage.start > start
    ]
    first = min([start, *(span[0] for span in touched)])
    last = max([end, *(span[1] for span in touched)])
    return _shortened(passage, (first, last), (start, end))


def _supporting(passage: Passage, question: str, links: list[str]) -> tuple[int, int] | None:
    """The sentence that shares most words with the question and, counted twice, with what the other passages add."""
    asked = set(words(question)) - _COMMON
    linked = {word for link in links for word in words(link)} - _COMMON - asked
    best: tuple[int, int] | None = None
    most = -1
    spans = sentences(passage.text)
    body = [(first, last) for first, last in spans if not passage.text.startswith(_HEADER, first)]
    for first, last in body or spans:
        said = set(words(passage.text[first:last]))
        score = len(said & asked) + 2 * len(said & linked)
        if score > most:
            best, most = (first + passage.start, last + passage.start), score
    return best and _shortened(passage, best, (best[0], best[0] + 1))


def _shortened(passage: Passage, span: tuple[int, int], keep: tuple[int, int]) -> tuple[int, int]:
    """`span` cut to about `LONGEST` characters around `keep`: at line ends where there are any, else between words."""
    start, end = span
    if end - start <= LONGEST:
        return span
    text, base = passage.text, passage.start
    spare = max(0, LONGEST - (keep[1] - keep[0])) // 2
    low, high = max(start, keep[0] - spare), min(end, keep[1] + spare)
    for mark in ("\n", " "):
        cut = text.find(mark, low - base, keep[0] - base) if low > start else -1
        if cut >= 0:
            low = cut + 1 + base
            break
    for mark in ("\n", " "):
        cut = text.rfind(mark, keep[1] - base, high - base) if high < end else -1
        if cut >= 0:
            high = cut + base
            break
    return low, high
