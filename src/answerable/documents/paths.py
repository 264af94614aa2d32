"""The way of a walk through the outline of a document, step by step, as people can follow it."""

from __future__ import annotations

from answerable.documents.encoded import Book
from answerable.documents.walk import Stage, Turned, Walked, attend, share
from answerable.types import Stop


def walked_path(book: Book, walked: Walked) -> tuple[Stop, ...]:
    """A paragraph and a sentence; where two pieces of evidence were wanted, then another paragraph and sentence."""
    first = walked.first.best(1)[0][0]
    stops = _two(book, walked.first, first)
    if walked.second:
        after = [one for one, _ in walked.second.best(2) if one != first]
        stops += _two(book, walked.second, after[0]) if after else []
    return tuple(stops)


def turned_path(book: Book, turned: Turned) -> tuple[Stop, ...]:
    """For each turn the paragraph it attended to most, and the sentence."""
    stops = []
    for (whole, one), (of_all, of_sentences) in zip(turned.steps, turned.shares, strict=True):
        stops += [_paragraph(book, whole, of_all), _sentence(book, one, of_sentences)]
    return tuple(stops)


def _two(book: Book, stage: Stage, sentence: int) -> list[Stop]:
    _, paragraphs, _ = attend(book, stage.queries[0])
    return [
        _paragraph(book, stage.paragraph, share(paragraphs, stage.paragraph)),
        _sentence(book, sentence, share(stage.scores, sentence)),
    ]


def _paragraph(book: Book, number: int, of_all: float) -> Stop:
    one = book.paragraphs[number]
    return Stop(one.path, one.start, one.end, of_all, False)


def _sentence(book: Book, number: int, of_all: float) -> Stop:
    return Stop(book.paragraphs[book.paragraph(number)].path, *book.span(number), of_all, True)
