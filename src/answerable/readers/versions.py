"""Of two versions of a document the one counts that a question names, or else the newer one: "excess: £350" of
`insurance-2025`, and not "£250" of 2024."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from answerable.corpora.citations import FindDocument
from answerable.corpora.fields import BETWEEN_PEOPLE
from answerable.corpora.outline import heading_end
from answerable.corpora.tables import statements
from answerable.readers.resting import hit_of
from answerable.text import content, normalise_answer, overlap, words
from answerable.types import Candidate, Document

ALIKE = 0.6
"""Dice coefficient from which two sentences say the same but for their answers."""
_TOKEN = re.compile(r"\w+(?:[.-]\w+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+")
_MONTHS = frozenset(name.lower() for name in month_name if len(name) > 3)
"""But for May, which asks for leave as well."""
_OTHER = re.compile(r"\b(?:before|earlier|formerly|former|older|old|originally|original|previous|used to)\b")
_PAST = re.compile(r"\b(?:was|were|did)\b")


@dataclass(frozen=True, slots=True)
class _Version:
    """The name of a file without its numbers, and these; the folder it lies in counts as its name. `source`: both."""

    name: str
    numbers: tuple[int, ...]
    source: str


def of_version(question: str, found: Sequence[Candidate], find: FindDocument) -> list[Candidate]:
    """What was found, in its order, without what stands in another version, another section of a document, or another
    document from one form than the one that a question names: "the 2023 handbook", "packrat 2.1.0", "Ann's contract".

    A version is named by words of the name or the first headings of its file that no other version found has; a section
    by words with figures in its headings. Of versions that are of a year each, none is of a year besides, unless its
    passage says so. A question that asks how something was before names none.
    """
    if _OTHER.search(question.lower()):
        return [*found]
    asked = {*_tokens(question)}
    years, figures = {one for one in asked if _YEAR.fullmatch(one)}, {one for one in asked if _NUMBER.search(one)}
    kept = [_Place.of(one, find(hit_of(one).passage)) for one in found]
    kept = _named(asked, _named(asked, kept, lambda one: one.form), lambda one: one.file)
    return [one.found for one in _named(figures, kept, lambda one: one.section) if not _of_others(years, one, kept)]


Called = tuple[str, frozenset[str]]
"""What others are told apart from, and the words by which this one is."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a candidate stands: the version of a file, the section of a document, and the document of those that are
    made from one form, if there are such."""

    found: Candidate
    file: Called | None = None
    section: Called | None = None
    form: Called | None = None

    @staticmethod
    def of(found: Candidate, document: Document | None) -> _Place:
        if document is None or document.kind in BETWEEN_PEOPLE:
            return _Place(found)
        version, above = _version(document), (one for one in document.sections if one.start <= found.start < one.end)
        section = (document.id, _tokens(" ".join(one.title for one in above)))
        file = (version.name, _called(document)) if version else None
        form = document.meta.get("form")
        return _Place(found, file, section, (str(form), _tokens(document.title) - _MONTHS) if form else None)


def _named(asked: Set[str], places: Sequence[_Place], called: Callable[[_Place], Called | None]) -> list[_Place]:
    """Of those of one group the ones that are called by most words that are asked and that not all of them have."""
    groups: dict[str, list[frozenset[str]]] = {}
    for name, its in filter(None, map(called, places)):
        groups.setdefault(name, []).append(its)
    shared = {name: frozenset.intersection(*group) for name, group in groups.items()}
    most = {name: max(len(asked & (own - shared[name])) for own in group) for name, group in groups.items()}
    return [one for one in places if not (own := called(one)) or len(asked & (own[1] - shared[own[0]])) == most[own[0]]]


def _of_others(years: Set[str], place: _Place, places: Sequence[_Place]) -> bool:
    """Whether versions of several years were found, none of them of one that is asked, and this passage names none."""
    if place.file is None or not years:
        return False
    own = (one.file[1] for one in places if one.file and one.file[0] == place.file[0])
    each = {frozenset(filter(_YEAR.fullmatch, called)) for called in own}
    told = frozenset(_tokens(hit_of(place.found).passage.text)).union(*each)
    return len(each) > 1 and all(each) and years.isdisjoint(told)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


def _called(document: Document) -> frozenset[str]:
    """The words of the name of a file, of its title and of the headings that it begins with."""
    said, at = [PurePosixPath(document.source).stem, document.title], 0
    for section in document.sections:
        if document.text[at : section.start].strip():
            break
        said.append(section.title)
        at = heading_end(document.text, section)
    return _tokens(" ".join(said))


def newest(question: str, found: Sequence[Candidate], find: FindDocument) -> tuple[list[Candidate], tuple[str, ...]]:
    """What was found, best first, without what a newer version of its document says otherwise in the same words: that
    is as likely then. And what to say where an older version's answer was the best.

    Versions are files of one folder whose names differ in their numbers alone. A question that has a number of the
    older one's name, names a month or asks how something was, may mean that one. So does one with a word that the
    older one says and the newer one does not: invoices are no versions of what is asked of one of them.
    """
    low = question.lower()
    if len(found) < 2 or _OTHER.search(low) or _PAST.search(low) or not _MONTHS.isdisjoint(words(question)):
        return [*found], ()
    asked = {*map(int, _NUMBER.findall(question))}
    documents = [find(hit_of(one).passage) for one in found]
    versions = [_version(one) for one in documents]
    scores: dict[int, float] = {at: one.score for at, one in enumerate(found)}
    notes: tuple[str, ...] = ()
    for at, old in enumerate(found):
        mine = versions[at]
        if mine is None or asked & {*mine.numbers}:
            continue
        later = [
            (its.numbers, found[number].score, number)
            for number, its in enumerate(versions)
            if its
            and its.name == mine.name
            and its.numbers > mine.numbers
            and _otherwise(old, found[number])
            and _says_as_much(question, documents[at], documents[number])
        ]
        if later:
            *_, number = max(later)
            scores[number] = max(scores.get(number, old.score), scores.pop(at))
            said = f'an older version, {mine.source}, says "{" ".join(old.text.split())}"'
            notes = notes if at else (said,)
    kept = [replace(found[at], score=score) for at, score in scores.items()]
    return sorted(kept, key=lambda one: -one.score), notes


def _version(document: Document | None) -> _Version | None:
    if document is None or document.kind in BETWEEN_PEOPLE or "://" in document.source:  # a server is no file
        return None
    path = PurePosixPath(document.source)
    numbers = [int(one) for one in _NUMBER.findall(path.stem)]
    if len(numbers) > 1 and numbers[-1] > 31 >= numbers[0]:  # a day and a month before the year
        numbers.reverse()
    if not numbers:
        return None
    return _Version(f"{path.parent}/{_NUMBER.sub('', path.stem.lower())}", (*numbers,), document.source)


def _otherwise(old: Candidate, new: Candidate) -> bool:
    """Whether two answers differ, and the sentences they stand in hardly do."""
    if normalise_answer(old.text) == normalise_answer(new.text):
        return False
    return overlap(_without(old), _without(new)) >= ALIKE


def _says_as_much(question: str, old: Document | None, new: Document | None) -> bool:
    """Whether a newer document says the words of a question that the older one says, and there are some."""
    asked = content(question) & content(old.text if old else "")
    return bool(asked) and asked <= content(new.text if new else "")


def _without(one: Candidate) -> str:
    """The sentences that an answer stands in, without it."""
    passage = hit_of(one).passage
    start, end = one.start - passage.start, one.end - passage.start
    if (start, end) == (0, len(passage.text)):
        return passage.text
    own = [(first, last) for first, last in statements(passage.text) if first < end and start < last]
    first, last = (own[0][0], own[-1][1]) if own else (start, end)
    return f"{passage.text[first:start]} {passage.text[end:last]}"
