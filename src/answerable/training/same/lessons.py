"""Pairs of questions that ask the same or do not: groups that were written for this, and cases written one by one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from answerable.datasets.parts import share
from answerable.datasets.records import lines

HELD_OUT = 0.15
"""The share of the written groups that is for development."""
_SLOT = re.compile(r"\{(\w+?)(\d?)\}")
Slots = Mapping[str, Sequence[str]]
"""Names that may stand in a template, by what they name."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Two questions, whether they ask the same, and a word for where they are from or how they differ."""

    one: str
    other: str
    same: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """A question, ways to ask the same, and questions that look alike, each with the kind of difference.

    `development`: not learned from.
    """

    question: str
    same: tuple[str, ...]
    other: tuple[tuple[str, str], ...]

    @property
    def development(self) -> bool:
        """Whether it is kept for development, which its question settles."""
        return share(self.question) < HELD_OUT


def read_groups(path: Path) -> list[Group]:
    """The groups of a JSONL file: `q`, `same`, a list, and `other`, a list of kind and question.

    Raises `FormatError` where it holds something else.
    """
    return [Group(row.text("q"), row.texts("same"), row.pairs("other", str, str)) for row in lines(path)]


def beside(group: Group) -> list[Lesson]:
    """The question beside each of the others: what is asked of a test."""
    told = [Lesson(one, group.question, True, "same") for one in group.same]
    return told + [Lesson(one, group.question, False, kind) for kind, one in group.other]


def held_out(paths: Sequence[str]) -> list[Lesson]:
    """The development part of groups, each question beside the others of its group."""
    groups = [group for path in paths for group in read_groups(Path(path))]
    return [one for group in groups if group.development for one in beside(group)]


def within(group: Group, most: int, rng: random.Random) -> list[Lesson]:
    """The same, and pairs among the others: ways of asking beside each other, at most `most` near misses beside one of
    the ways, and as many beside each other whose kinds differ."""
    ways = [Lesson(one, other, True, "same") for one, other in combinations(group.same, 2)]
    missed = [Lesson(one, other, False, kind) for kind, one in group.other for other in group.same]
    apart = [
        Lesson(one, other, False, f"{kind}, {than}")
        for (kind, one), (than, other) in combinations(group.other, 2)
        if kind != than
    ]
    drawn = [one for some in (missed, apart) for one in rng.sample(some, min(most, len(some)))]
    return beside(group) + ways + drawn


def filled(group: Group, slots: Slots, rng: random.Random) -> Group:
    """A template with a name for each of its slots, `{person}` or `{person2}`, the same name for the same slot."""
    chosen: dict[tuple[str, str], str] = {}

    def name(found: re.Match[str]) -> str:
        what, number = found.groups()
        if (what, number) not in chosen:
            held = slots[what]
            chosen[what, number] = rng.choice([one for one in held if one not in chosen.values()] or held)
        return chosen[what, number]

    def put(text: str) -> str:
        return _SLOT.sub(name, text)

    return Group(put(group.question), tuple(map(put, group.same)), tuple((k, put(q)) for k, q in group.other))


def read_cases(path: Path) -> list[Lesson]:
    """Cases of a JSONL file: `asked`, `question`, `same` and `kind`. Raises `FormatError`."""
    return [
        Lesson(row.text("asked"), row.text("question"), row.field("same", bool), row.text("kind"))
        for row in lines(path)
    ]


def grouped(cases: Iterable[Lesson]) -> Iterator[Group]:
    """Cases as groups, by the question of the pair."""
    held: dict[str, list[Lesson]] = {}
    for one in cases:
        held.setdefault(one.other, []).append(one)
    for question, ones in held.items():
        ways = tuple(one.one for one in ones if one.same)
        yield Group(question, ways, tuple((one.kind, one.one) for one in ones if not one.same))
