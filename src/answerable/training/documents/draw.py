"""What a walk learns from: long documents cut down to lessons, some paragraphs with the questions asked of them.

A document is encoded once for all questions of a lesson, so that a step over a long document costs little more than
reading it. Documents with few questions are put together: the paragraphs of one are wrong ones for the other's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answerable.documents.encoded import headings
from answerable.encoders.deciding import DECISIONS
from answerable.encoders.sentences import HOPS
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, held_by, pieces
from answerable.training.documents.model import ONCE, TWICE, Level

_CHARACTERS = 4.2
"""Characters of a token, about: how long a lesson will be is guessed from its text."""


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """`tokens` of a lesson's paragraphs, about, and the most `questions` of one.

    A document with fewer than `least` questions is put together with others, but one of a source in `whole` stays
    alone. Of a paragraph at most `sentences` are kept, at random, and those that are evidence.
    """

    tokens: int = 4096
    questions: int = 16
    least: int = 4
    sentences: int = 12
    whole: tuple[str, ...] = ()


Right = tuple[frozenset[int], frozenset[tuple[int, int]]]
"""Paragraphs, and (paragraph, sentence)s."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question over a lesson's paragraphs: what each step attends to, and what is right for it.

    `right`: for each level, the paragraphs and the (paragraph, sentence)s, by their numbers in the lesson. `decision`
    is the class of a conversation's turn, or None. `over`: whether two steps are enough, None where nobody knows.
    """

    sentences: tuple[str, ...]
    levels: tuple[Level, ...]
    right: tuple[Right, ...]
    decision: int | None = None
    over: bool | None = None

    @property
    def nulls(self) -> int:
        """How many dummies are encoded with it: always the same number, since they see each other."""
        return 0 if self.levels[0] is Level.EITHER else HOPS


@dataclass(frozen=True, slots=True)
class Lesson:
    """(headings, sentences) of paragraphs of a source, and the tasks over them, all with the same levels."""

    source: str
    paragraphs: tuple[tuple[str, tuple[str, ...]], ...]
    tasks: tuple[Task, ...]


def levels_of(document: LongDocument, question: LongQuestion) -> tuple[Level, ...]:
    """The steps of a walk: one for each turn of a conversation, else two for each piece of evidence."""
    if question.kind in DECISIONS:
        return (Level.EITHER,) * len(asked_of(question))
    return TWICE if len(pieces(document, question)) > 1 else ONCE


def lessons(
    source: str, documents: Sequence[LongDocument], settings: DrawSettings, rng: random.Random
) -> Iterator[Lesson]:
    """Lessons that between them ask every question of the documents once, in a random order."""
    many: list[list[tuple[LongDocument, LongQuestion]]] = []
    few: dict[int, list[tuple[LongDocument, LongQuestion]]] = {}
    for document in documents:
        by_levels: dict[int, list[tuple[LongDocument, LongQuestion]]] = {}
        for question in document.questions:
            if question.hops and question.hops[-1]:
                by_levels.setdefault(len(levels_of(document, question)), []).append((document, question))
        for count, asked in by_levels.items():
            rng.shuffle(asked)
            for begin in range(0, len(asked), settings.questions):
                some = asked[begin : begin + settings.questions]
                if len(some) >= settings.least or source in settings.whole:
                    many.append(some)
                else:
                    few.setdefault(count, []).extend(some)
    for some in few.values():
        rng.shuffle(some)
        many += _together(some, settings)
    rng.shuffle(many)
    for asked in many:
        lesson = _lesson(source, asked, settings, rng)
        if lesson.tasks:
            yield lesson


def _together(
    asked: Sequence[tuple[LongDocument, LongQuestion]], settings: DrawSettings
) -> list[list[tuple[LongDocument, LongQuestion]]]:
    """Questions of small documents in groups whose documents fill a lesson, none more than a quarter of it."""
    groups: list[list[tuple[LongDocument, LongQuestion]]] = []
    room = 0.0
    for one in asked:
        size = min(len(one[0].document.text) / _CHARACTERS, settings.tokens / 4)
        if not groups or len(groups[-1]) == settings.questions or room < size:
            groups.append([])
            room = float(settings.tokens)
        groups[-1].append(one)
        room -= size
    return groups


def _lesson(
    source: str, asked: Sequence[tuple[LongDocument, LongQuestion]], settings: DrawSettings, rng: random.Random
) -> Lesson:
    documents = list({id(document): document for document, _ in asked}.values())
    which = [next(i for i, one in enumerate(documents) if one is document) for document, _ in asked]
    needed: dict[tuple[int, int], set[int]] = {}
    for (document, question), d in zip(asked, which, strict=True):
        for hop in pieces(document, question):
            for p, s in held_by(document, hop):
                needed.setdefault((d, p), set()).add(s)
    others = [(d, p) for d, one in enumerate(documents) for p in range(len(one.paragraphs)) if (d, p) not in needed]
    rng.shuffle(others)
    kept: dict[tuple[int, int], list[int]] = {}
    room = settings.tokens * _CHARACTERS
    for d, p in [*needed, *others]:
        spans = documents[d].paragraphs[p].sentences
        shown = _shown(len(spans), needed.get((d, p), set()), settings.sentences, rng)
        size = sum(spans[s][1] - spans[s][0] for s in shown)
        if (d, p) in needed or size <= room:
            kept[d, p] = shown
            room -= size
    places = sorted(kept)
    number = {(d, p, s): (i, j) for i, (d, p) in enumerate(places) for j, s in enumerate(kept[d, p])}
    tasks = [
        _task(document, question, {(p, s): place for (e, p, s), place in number.items() if e == d})
        for (document, question), d in zip(asked, which, strict=True)
    ]
    return Lesson(
        source,
        tuple(_texts(documents[d], p, kept[d, p]) for d, p in places),
        tuple(task for task in tasks if task),
    )


def _shown(count: int, needed: set[int], most: int, rng: random.Random) -> list[int]:
    """Which of a paragraph's sentences are kept, in order."""
    if count <= most:
        return list(range(count))
    free = [number for number in range(count) if number not in needed]
    return sorted([*needed, *rng.sample(free, min(len(free), max(0, most - len(needed))))])


def _texts(document: LongDocument, number: int, shown: Sequence[int]) -> tuple[str, tuple[str, ...]]:
    paragraph, text = document.paragraphs[number], document.document.text
    spans = [paragraph.sentences[s] for s in shown]
    return headings(document.document.title, paragraph), tuple(text[a:b] for a, b in spans)


def _task(
    document: LongDocument, question: LongQuestion, number: dict[tuple[int, int], tuple[int, int]]
) -> Task | None:
    """The question as a task, where `number` tells the lesson's number of each paragraph and sentence."""
    held = [
        [number[place] for place in held_by(document, hop) if place in number] for hop in pieces(document, question)
    ]
    if not held or not all(held):
        return None
    levels = levels_of(document, question)
    sentences = asked_of(question)
    if question.kind in DECISIONS:
        first, rest = held[0], held[1:]
        steps = [first, *([first] if question.scenario.strip() else []), *rest][: len(levels)]
        steps += [first] * (len(levels) - len(steps))
        right = tuple((frozenset(p for p, _ in step), frozenset(step)) for step in steps)
        return Task(sentences, levels, right, DECISIONS.index(question.kind))
    right = tuple((frozenset(p for p, _ in step), frozenset(step)) for step in held for _ in ONCE)
    return Task(sentences, levels, right, over=len(held) == 1)
