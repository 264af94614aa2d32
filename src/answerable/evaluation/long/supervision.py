"""Evidence where none is marked: sentences that hold the answer, or are nearest to a question (DocHopper, A.2).

Words are those of `answerable.text.words`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from answerable.corpora.paragraphs import Paragraph, Span
from answerable.evaluation.metrics.sharc import precision
from answerable.evaluation.metrics.words import words as tokens
from answerable.text import normalise_answer, words
from answerable.types import Document

SAME = 0.7
"""A paragraph of a page is taken for the snippet from this BLEU on (DocHopper, appendix A.2)."""


def holding(text: str, spans: Iterable[Span], answers: Iterable[str]) -> tuple[Span, ...]:
    """The sentences in which one of the answers stands: whole words, as normalised for SQuAD."""
    wanted = [f" {plain} " for plain in map(normalise_answer, answers) if plain]
    return tuple(
        (start, end)
        for start, end in spans
        if any(answer in f" {normalise_answer(text[start:end])} " for answer in wanted)
    )


def alike(text: str, spans: Iterable[Span], answer: str) -> tuple[Span, ...]:
    """The sentences whose words agree best with the answer's, by the F1 of the two bags of words; none when no word
    is shared."""
    wanted = Counter(words(answer))
    scored = [((start, end), f1(Counter(words(text[start:end])), wanted)) for start, end in spans]
    best = max((score for _, score in scored), default=0.0)
    return tuple(span for span, score in scored if score == best > 0)


def f1(said: Counter[str], wanted: Counter[str]) -> float:
    """Harmonic mean of the shares of each bag of words that is in the other, 0 to 1."""
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0


def nearest(text: str, spans: Sequence[Span], question: str) -> tuple[Span, ...]:
    """The first sentence at the smallest edit distance from the question, in words, over the longer of the two.

    As Gao et al. 2020 (DISCERN) find what a follow-up question asks about. None where there are no sentences.
    """
    wanted = words(question)
    return tuple(sorted(spans, key=lambda span: edit_distance(words(text[slice(*span)]), wanted))[:1])


def edit_distance(one: Sequence[str], other: Sequence[str]) -> float:
    """Words put in, left out or changed to make one of the other (Levenshtein 1966), over the longer: 0 to 1."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, start=1):
        corner, row[0] = row[0], number
        for place, against in enumerate(other, start=1):
            corner, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, corner + (word != against))
    return row[-1] / max(len(one), len(other), 1)


def reached(spans: Iterable[Span], document: Document, paragraphs: Sequence[Paragraph]) -> tuple[Span, ...]:
    """The spans and, for one in which no sentence stands because it is a heading, the sentences of the first paragraph
    below it as well."""
    found: dict[Span, None] = {}
    for start, end in spans:
        found[start, end] = None
        if any(a < end and start < b for one in paragraphs for a, b in one.sentences):
            continue
        limit = next((s.end for s in reversed(document.sections) if s.start < end and start < s.end), end)
        below = next((one for one in paragraphs if end <= one.start < limit), None)
        found.update(dict.fromkeys(below.sentences if below else ()))
    return tuple(found)


def best_paragraph(snippet: str, paragraphs: Sequence[str]) -> int | None:
    """Which paragraph of a page is the snippet: the one with the highest BLEU of the snippet against it, without the
    brevity penalty; None below `SAME`, for pages that have changed (DocHopper, appendix A.2)."""
    said = tokens(snippet)
    scores = [precision([said], [tokens(paragraph)]) for paragraph in paragraphs]
    best = max(scores, default=0.0)
    return scores.index(best) if best >= SAME else None
