"""Citations: the sentences an answer rests on, each checked word for word against the stored document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cache
from textwrap import shorten

from answerable.corpora.fields import fields_of
from answerable.corpora.outline import heading_end
from answerable.corpora.paragraphs import rows_from
from answerable.corpora.tables import HEADING_LINE, statements
from answerable.text import asks, words
from answerable.types import Candidate, Citation, Document, Excerpt, Hit, Passage

FindDocument = Callable[[Passage], Document | None]
"""The stored document a passage was cut from, or None when it is gone."""

_HEADER = "From: "  # the lines over a mail, which repeat its title and support nothing
_NAME = re.compile(r"\b[^\W\d_a-z]\w+")
HEADING = 80  # characters of the heading in a citation's place
LONGEST = 480  # characters of one citation; longer sentences (tables, lists) are cut at a line or a word
COMMON = frozenset(
    "a about after all also an and are as at be been before but by did do does for from had has have he her his how in "
    "into is it its more not of on or over she that the their there they this to was were what when where which who "
    "whom whose why will with would".split()
)
"""Words that say nothing of what a text is about."""


def once(find: FindDocument) -> FindDocument:
    """As `find`, which is asked once for each document; of one that is not stored here, once for each passage, since
    what came is all that is known of it."""
    whole: dict[tuple[str, str], Document | None] = {}

    @cache
    def found(passage: Passage) -> Document | None:
        key = passage.enclave, passage.document_id
        if key not in whole:
            document = find(passage)
            if document is not None and document.text == passage.text:
                return document
            whole[key] = document
        return whole[key]

    return found


def cite(question: str, answer: str, candidate: Candidate, find: FindDocument) -> tuple[Citation, ...]:
    """The answer's sentence first, then the best supporting sentence of each other passage of its chain, in order.

    One that does not lead to the answer's own passage, nor say something of the question beside it, is left out, since
    the answer does not rest on it. A citation whose characters are not those of the stored document is dropped.
    """
    passages = [hit.passage for hit in candidate.chain.hits]
    chosen = passages[candidate.hit]
    whole = (candidate.start, candidate.end) == (chosen.start, chosen.end)  # a yes or a no has no span of its own
    spans = {} if whole else {candidate.hit: _around(chosen, candidate.start, candidate.end)}
    made = []
    for number in sorted(range(len(passages)), key=lambda n: (n != candidate.hit, n)):
        passage, document = passages[number], find(passages[number])
        links = [answer, *(other.title for other in passages if other is not passage)]
        if document is None:
            continue
        span = spans[number] if number in spans else _supporting(passage, question, links, document)
        if number == candidate.hit or _adds(passage, span, question, answer, chosen):
            made.append(_checked(passage, span, document))
    return tuple(dict.fromkeys(citation for citation in made if citation is not None))


def excerpts(
    question: str, hits: Iterable[Hit], most: int, find: FindDocument, best: Candidate | None = None
) -> tuple[Excerpt, ...]:
    """The first `most` passages, each with its sentence that bears most on the question; those that are gone and copies
    of one before left out.

    `best`: an answer, whose own sentence it is there.
    """
    made: dict[tuple[str, str], Excerpt] = {}
    own = best.chain.hits[best.hit].passage if best else None
    for hit in hits:
        passage, key = hit.passage, (hit.passage.heading, hit.passage.text)
        if len(made) == most:
            break
        document = find(passage) if key not in made else None
        if document is None:
            continue
        around = _around(passage, best.start, best.end) if best and passage == own else None
        start, end = around or _supporting(passage, question, [], document) or (passage.start, passage.end)
        made[key] = Excerpt(hit, start, end, document.source, fields_of(document))
    return tuple(made.values())


def quoted(document: Document, start: int, end: int) -> Citation:
    """Characters [start, end) of a document as a citation; a long sentence is cut as in `cite`, from its start."""
    start, end = _shortened(document.text, 0, (start, end), (start, start + LONGEST - 100))
    return _cited(document, document.text[start:end], document.enclave, start)


def cited(passage: Passage, start: int, end: int, find: FindDocument) -> Citation | None:
    """Characters [start, end) of a passage's document as a citation, a long sentence cut as in `cite`, from its start.

    None when the document is gone or says something else there.
    """
    span, document = _shortened(passage.text, passage.start, (start, end), (start, start + 1)), find(passage)
    return _checked(passage, span, document) if document else None


def _checked(passage: Passage, span: tuple[int, int] | None, document: Document) -> Citation | None:
    """A citation of characters [start, end) of the passage's document, if it still says what the passage says."""
    if span is None:
        return None
    start, end = span
    text = passage.text[start - passage.start : end - passage.start]
    if not text or document.text[start - document.offset : end - document.offset] != text:
        return None
    return _cited(document, text, passage.enclave, start)


def _cited(document: Document, text: str, enclave: str, start: int) -> Citation:
    told = (document.title, document.source, fields_of(document), place_in(document, start))
    return Citation(text, document.id, enclave, start, start + len(text), *told)


def place_in(document: Document, start: int) -> str | None:
    """Where a character stands, as people say it: "§ 4.2 Returns, page 17", "row 12"; None without headings, pages and
    rows, of which the first below the header is row 1.

    The heading is the innermost above it that is not the document's title; mails have no headings of their own.
    """
    at = start - document.offset
    above = () if document.kind == "mail" else [one.title for one in document.sections if one.start <= at < one.end]
    named = [title for title in above if title != document.title]
    pages = document.meta.get("pages") or ()
    parts = [f"§ {shorten(named[-1], HEADING, placeholder='…')}"] if named else []
    for turns, name in ((pages, "page"), (document.meta.get("slides") or (), "slide")):
        parts += [f"{name} {bisect_right(turns, start)}"] if turns and not document.offset else []
    if document.kind == "table" and "rows" in document.meta and not document.offset:
        row = document.text.count("\n", rows_from(document), start) + 1
        parts += [f"row {row}"] if start >= rows_from(document) else []
    return ", ".join(parts) or None


def _around(passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """The sentences that [start, end) touches, in document characters. None when it is not inside the passage."""
    if not passage.start <= start < end <= passage.end:
        return None
    touched = [
        (first + passage.start, last + passage.start)
        for first, last in statements(passage.text)
        if first + passage.start < end and last + passage.start > start
    ]
    first = min([start, *(span[0] for span in touched)])
    last = max([end, *(span[1] for span in touched)])
    return _shortened(passage.text, passage.start, (first, last), (start, end))


def _adds(passage: Passage, span: tuple[int, int] | None, question: str, answer: str, own: Passage) -> bool:
    """Whether characters [start, end) of a passage's document, under its title, name the answer or the answer's own
    passage, or say something of the question that is not there, or something of it and a name that is there."""
    if span is None:
        return False
    sentence = passage.text[span[0] - passage.start : span[1] - passage.start]
    told, there = f"{passage.title} {sentence}", f"{own.title} {own.text}"
    asked = {*words(question)} - COMMON
    first, second, answered = (
        {*words(" ".join(_NAME.findall(text)))} - COMMON - asked for text in (told, there, answer)
    )
    linked = ({*words(own.title)} - COMMON - asked) | answered
    said = asked & {*words(told)}
    return bool(linked & {*words(sentence)} or said - {*words(there)} or (said and first & second))


def _supporting(passage: Passage, question: str, links: list[str], document: Document) -> tuple[int, int] | None:
    """The sentence that shares most words with the question and, counted twice, with what the other passages add; a
    heading or a question only where there is nothing else."""
    asked = set(words(question)) - COMMON
    linked = {word for link in links for word in words(link)} - COMMON - asked
    best: tuple[int, int] | None = None
    most = -1
    spans = statements(passage.text)
    opens = passage.text.find("\n\n") if passage.text.startswith(_HEADER) else -1
    headings = _headings(passage, document)
    body = [
        (first, last)
        for first, last in spans
        if first > opens
        and not passage.text.startswith(_HEADER, first)
        and not HEADING_LINE.fullmatch(passage.text, first, last)
        and not asks(passage.text[first:last])
        and not any(start <= first and last <= end for start, end in headings)
    ]
    for first, last in body or spans:
        said = set(words(passage.text[first:last]))
        score = len(said & asked) + 2 * len(said & linked)
        if score > most:
            best, most = (first + passage.start, last + passage.start), score
    return best and _shortened(passage.text, passage.start, best, (best[0], best[0] + 1))


def _headings(passage: Passage, document: Document) -> list[tuple[int, int]]:
    """Where the headings of a document stand that a passage of it has in it, in characters of the passage."""
    base = passage.start - document.offset
    within = [one for one in document.sections if base <= one.start < base + len(passage.text)]
    titled = within if document.kind != "mail" else []  # what a mail quotes begins with no heading
    return [(one.start - base, heading_end(document.text, one) - base) for one in titled]


def _shortened(text: str, base: int, span: tuple[int, int], keep: tuple[int, int]) -> tuple[int, int]:
    """`span` cut to about `LONGEST` characters around `keep`: at line ends where there are any, else between words.

    Character `base` of the document is the first of `text`.
    """
    start, end = span
    if end - start <= LONGEST:
        return span
    spare = max(0, LONGEST - (keep[1] - keep[0])) // 2
    low, high = max(start, keep[0] - spare), min(end, keep[1] + spare)
    before, after = text[low - base : keep[0] - base], text[keep[1] - base : high - base]
    if low > start and (mark := _mark(before)):
        low += before.index(mark) + 1
    if high < end and (mark := _mark(after)):
        high = keep[1] + after.rindex(mark)
    return low, high


def _mark(text: str) -> str:
    """Where to cut: at a line end, else at a blank; "" where there is neither."""
    return next((mark for mark in ("\n", " ") if mark in text), "")
