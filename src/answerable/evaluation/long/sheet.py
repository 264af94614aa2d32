"""A long document as it is put together: verbatim paragraphs below headings, so that offsets can be carried over.
Evidence where none is marked: sentences that hold the answer, or are nearest to a question (DocHopper, A.2).

Words are those of `answerable.text.words`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from answerable.corpora.outline import Heading, nest
from answerable.corpora.paragraphs import Paragraph, Span
from answerable.text import normalise_answer, sentences, words
from answerable.types import Document

_HEADING_WORDS = 12
_HEADING_CHARACTERS = 100
_SENTENCES = 40


class Sheet:
    """The text so far, its headings and its paragraphs."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._path: list[tuple[int, str]] = []
        self._closed: list[tuple[int, int]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings that stand above what comes next."""
        return tuple(title for _, title in self._path)

    def heading(self, title: str, depth: int = 1) -> Span:
        """Add a heading on a line of its own, `depth` 1 for the topmost; where it stands. A blank one only closes
        those that are not above it."""
        self._path = [(d, t) for d, t in self._path if d < depth]
        title = " ".join(title.split())
        if not title:
            self._closed.append((self._length, depth))
            return self._length, self._length
        start = self._add(title)
        self._headings.append((start, depth, title))
        self._path.append((depth, title))
        return start, start + len(title)

    def paragraph(self, text: str, spans: Sequence[Span] | None = None, over: str = "") -> int:
        """Add a paragraph as it stands, and return where its text begins in the document.

        `spans` are its sentences within `text`, in order; found by the splitter where they are not given. One without
        sentences is text of the document and no paragraph. `over`: what stands over it below the headings, such as the
        cells of its row.
        """
        start = self._add(text)
        found = moved(sentences(text) if spans is None else spans, start)
        if found:
            self.paragraphs.append(
                Paragraph(found[0][0], found[-1][1], (*self.path, over) if over else self.path, found)
            )
        return start

    def finish(self, id_: str, title: str, source: str) -> Document:
        """The document, with its sections."""
        text = "".join(self._parts)
        sections = (
            replace(
                one, end=min([one.end, *(at for at, depth in self._closed if at > one.start and depth <= one.depth)])
            )
            for one in nest(self._headings, len(text))
        )
        return Document(id_, "public", title, text, source, sections=tuple(sections))

    def _add(self, text: str) -> int:
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start


def reads_as_heading(line: str) -> bool:
    """Whether a line by itself reads as a heading: a few words from a capital or a number on, without a full stop."""
    few = 0 < len(line) <= _HEADING_CHARACTERS and len(line.split()) <= _HEADING_WORDS
    return few and (line[0].isupper() or line[0].isdigit()) and (line[-1].isalpha() or line[-1] == ")")


def moved(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """The spans, so many characters further on; empty ones are left out."""
    return tuple((start + by, end + by) for start, end in spans if end > start)


def parted(path: tuple[str, ...], spans: Sequence[Span]) -> Iterator[Paragraph]:
    """The sentences as one paragraph under a path of headings, or as several where there are more than 40."""
    for first in range(0, len(spans), _SENTENCES):
        some = tuple(spans[first : first + _SENTENCES])
        yield Paragraph(some[0][0], some[-1][1], path, some)


def placed(text: str, parts: Iterable[str]) -> tuple[Span, ...]:
    """Where sentences of a data set stand in the text, one for each and in order; none when one of them does not."""
    spans: list[Span] = []
    cursor = 0
    for part in parts:
        wanted = part.strip()
        begin = text.find(wanted, cursor)
        if begin < 0:
            return ()
        cursor = begin + len(wanted)
        spans.append((begin, cursor))
    return tuple(spans)


def by_line(text: str) -> tuple[Span, ...]:
    """The sentences of the text, none of which reaches over the end of a line: for lists."""
    spans: list[Span] = []
    cursor = 0
    for line in text.splitlines(keepends=True):
        spans += moved(sentences(line), cursor)
        cursor += len(line)
    return tuple(spans)


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
