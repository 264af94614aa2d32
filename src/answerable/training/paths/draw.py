"""What a path reader learns from: questions with right and wrong passages, and the paths drawn from them.

The paper draws up to two right and up to two wrong passages for a sequence, three in all, without regard to the paths
they were found in (Ma et al. 2023, appendix C.1); the wrong ones here are those that came with the question. Parts are
those of the other models (`datasets.parts`); the files called dev are the report, and nothing is learned from them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from answerable.datasets.parts import question_part
from answerable.evaluation.long.sheet import placed as spans_of
from answerable.readers.paths import PathLayout, Span, sentences_in
from answerable.text import sentences
from answerable.training.negatives import neighbours, swapped
from answerable.training.reading import (
    MULTI_HOP,
    NO,
    NONE,
    SPAN,
    YES,
    PoolPassage,
    Reading,
    answer_tokens,
    boolq,
    lines_of,
    locate,
    shown,
    squad,
    window_on,
)
from answerable.training.sources import load_source

_OF_EACH = 2
"""The most right and the most wrong passages in a path that is not the gold one."""
_AT_ONCE = 1024
"""Paths tokenised together."""


@lru_cache(16384)
def split(text: str) -> tuple[Span, ...]:
    """The sentences of a text, in characters: kept, since a passage is read with several questions."""
    return tuple(sentences(text))


@dataclass(frozen=True, slots=True)
class Part:
    """A passage of a path. `answer` are the characters of its text that answer; spans are [start, end).

    `sentences` are those of the data, in characters, none where it has none; `supporting` the numbers of those that
    support the answer, None where nobody has said: those of a wrong passage never do.
    """

    title: str
    text: str
    right: bool = False
    answer: Span | None = None
    sentences: tuple[Span, ...] = ()
    supporting: frozenset[int] | None = None

    def split(self) -> tuple[Span, ...]:
        """Its sentences: those of the data, or those found in its text."""
        return self.sentences or split(self.text)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with all right passages and some wrong ones; nothing right: none of them answers it."""

    id: str
    question: str
    right: tuple[Part, ...]
    wrong: tuple[Part, ...]
    kind: int
    answers: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class DrawnPath:
    """A question and the passages it is read with. `kind` says what is to be answered from these, perhaps `NONE`."""

    question: str
    parts: tuple[Part, ...]
    kind: int


@dataclass(frozen=True, slots=True)
class EncodedPath:
    """A path as tokens. `right` is said of each passage, whose [P] stands at `marks`; `texts` are their tokens.

    `sentences` are tokens [start, end) and whether they support the answer, None where it is not known. `polar` is
    where yes and no stand; `answer` the first and last token of the answer, (0, 0) where there is none.
    """

    ids: NDArray[np.int32]
    marks: tuple[int, ...]
    right: tuple[bool, ...]
    texts: tuple[Span, ...]
    sentences: tuple[tuple[int, int, bool | None], ...]
    polar: Span
    answer: Span


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """How paths are drawn. `whole`: the share that are the gold path itself. `longest`: passages in any other."""

    whole: float = 0.4
    longest: int = 3


def draw(asked: Asked, settings: DrawSettings, rng: random.Random) -> DrawnPath:
    """One path for a question, its passages in a random order.

    An answer in a text counts wherever its passage is; a yes or a no only where all right passages are, since it is a
    judgement on all of them.
    """
    if asked.right and (rng.random() < settings.whole or not asked.wrong):
        chosen = list(asked.right)
    else:
        right = rng.randint(0, min(_OF_EACH, len(asked.right), settings.longest))
        most = min(_OF_EACH, len(asked.wrong), settings.longest - right)
        wrong = rng.randint(min(1, most) if not right else 0, most)
        chosen = rng.sample(asked.right, right) + rng.sample(asked.wrong, wrong)
    rng.shuffle(chosen)
    return DrawnPath(asked.question, tuple(chosen), _kind(asked, chosen))


def _kind(asked: Asked, chosen: Sequence[Part]) -> int:
    if asked.kind == SPAN:
        return SPAN if any(part.answer for part in chosen) else NONE
    return asked.kind if set(asked.right) <= set(chosen) else NONE


def encode(layout: PathLayout, paths: Sequence[DrawnPath], seed: str) -> Iterator[EncodedPath]:
    """The paths as tokens; a long passage is cut to a window, at random, that holds the answer.

    A path whose answer does not fit its room is left out.
    """
    for begin in range(0, len(paths), _AT_ONCE):
        some = paths[begin : begin + _AT_ONCE]
        texts = []
        for path in some:
            texts += [path.question, *(text for part in path.parts for text in (layout.head(part.title), part.text))]
        tokens = iter(layout.tokens(texts))
        rng = random.Random(f"{seed} {begin}")
        for path in some:
            question = next(tokens)
            parts = [(next(tokens), next(tokens)) for _ in path.parts]
            made = _encoded(layout, path, question, parts, rng)
            if made:
                yield made


def _encoded(
    layout: PathLayout, path: DrawnPath, question: Encoding, parts: list[tuple[Encoding, Encoding]], rng: random.Random
) -> EncodedPath | None:
    wanted = _answer(path, parts)
    laid = layout.lay(question, parts, window_on(wanted, rng))
    polar = layout.polar(laid)
    answer: Span | None = (0, 0)
    if path.kind in (YES, NO):
        answer = (polar[path.kind == NO],) * 2
    elif path.kind == SPAN:
        answer = shown(laid, *wanted) if wanted[0] >= 0 else None
    if answer is None:
        return None
    found = sentences_in(laid, [text.offsets for _, text in parts], [part.split() for part in path.parts])
    return EncodedPath(
        np.array(laid.ids, np.int32),
        tuple(layout.marks(laid)),
        tuple(part.right for part in path.parts),
        tuple((place, place + count) for place, _, count in laid.places),
        tuple((one.start, one.end, _supports(path.parts[one.passage], one.number)) for one in found),
        polar,
        answer,
    )


def _answer(path: DrawnPath, parts: list[tuple[Encoding, Encoding]]) -> tuple[int, int, int]:
    """(passage, first token, last token) of the answer, or -1s where there is none."""
    there = [(number, *one.answer) for number, one in enumerate(path.parts) if path.kind == SPAN and one.answer]
    found = (answer_tokens(one, parts) for one in there)
    return next((one for one in found if one[0] >= 0), (-1, -1, -1))


def _supports(part: Part, number: int) -> bool | None:
    if not part.right:
        return False
    return None if part.supporting is None else number in part.supporting


SINGLE = ("nq", "squad1", "squad2", "boolq", "neighbours", "swapped")
"""Questions over one passage: the last two have none that answers them, and so has half of `squad2`."""
SOURCES = (*MULTI_HOP, *SINGLE)
_NEAR, _WRONG = 40, 3
"""A passage's wrong ones are drawn from those of so many questions before and after: in SQuAD, of its article."""

Pool = dict[str, PoolPassage]


def load(source: str, data: Path, pool: Pool, part: str) -> list[Asked]:
    """The questions of one source in one part, `train` or `development`."""
    if source in MULTI_HOP:
        return list(_multihop(source, data, pool, part))
    return _single(source, _readings(source, data, part))


def _multihop(source: str, data: Path, pool: Pool, part: str) -> Iterator[Asked]:
    for row in lines_of(data / source / "train.jsonl"):
        if not row.get("covered") or question_part(row["_id"]) != part:
            continue
        gold = [pool[id_] for id_ in dict.fromkeys(row["gold"]) if id_ in pool]
        answer = str(row["answer"]).strip()
        kind = {"yes": YES, "no": NO}.get(answer.lower(), SPAN)
        at = locate(answer, row["supporting"], gold) if kind == SPAN else None
        if len(gold) < 2 or (kind == SPAN and at is None):
            continue
        right = tuple(
            _right(passage, row["supporting"], at[1:] if at and at[0] == number else None)
            for number, passage in enumerate(gold)
        )
        others = (pool[id_] for id_ in row["context"] if id_ in pool and pool[id_] not in gold)
        wrong = tuple(
            Part(one.title, one.text, sentences=placed(one))
            for one in dict.fromkeys(others)
            if kind != SPAN or answer.lower() not in one.text.lower()
        )
        answers = (answer, *map(str, row.get("aliases") or ()))
        yield Asked(row["_id"], row["question"], right, wrong, kind, answers, source)


def _right(passage: PoolPassage, supporting: Sequence[Sequence[Any]], answer: Span | None) -> Part:
    """A gold passage. Which sentences support the answer is known where both the sentences and their numbers are."""
    spans = placed(passage)
    numbers = [number for title, number in supporting if title == passage.title]
    known = bool(spans) and bool(numbers) and all(number is not None and number < len(spans) for number in numbers)
    return Part(passage.title, passage.text, True, answer, spans, frozenset(numbers) if known else None)


def placed(passage: PoolPassage) -> tuple[Span, ...]:
    """Where the sentences of the data stand in the text; none when one of them does not."""
    return spans_of(passage.text, passage.sentences)


def _readings(source: str, data: Path, part: str) -> list[Reading]:
    """Questions over one passage each."""
    if source == "nq":
        rows = squad(data / "nq/nq-train.json.gz", "nq")
        return [reading for article, reading in rows if question_part(article) == part]
    if source == "boolq":
        return [r for r in boolq(data / "boolq/train.jsonl") if question_part(r.passages[0][0]) == part]
    if source == "neighbours":
        return list(neighbours(((r.passages[0][0], r) for r in _readings("squad1", data, part)), seed=1))
    if source == "swapped":
        return list(swapped([*_readings("squad1", data, part), *_readings("nq", data, part)], seed=1))
    return load_source(source, data, {}, part)


def _single(source: str, rows: Sequence[Reading]) -> list[Asked]:
    """Questions over one passage. The sentence that holds the answer is the one that supports it."""
    made = []
    for number, row in enumerate(rows):
        title, text = row.passages[0]
        part = Part(title, text, row.kind != NONE)
        one = Asked(row.id, row.question, (part,), (), row.kind, row.answers, source)
        if row.kind == NONE:
            one = replace(one, right=(), wrong=(part,))
        elif row.answer:
            _, begin, stop = row.answer
            spans = split(text)
            holding = frozenset(i for i, (a, b) in enumerate(spans) if a < stop and b > begin)
            part = replace(part, answer=(begin, stop), sentences=spans, supporting=holding)
            one = replace(one, right=(part,), wrong=_near(rows, number))
        made.append(one)
    return made


def _near(rows: Sequence[Reading], number: int) -> tuple[Part, ...]:
    """A few passages of questions that stand near this one and do not hold its answers."""
    mine = rows[number]
    texts = dict.fromkeys(row.passages[0] for row in rows[max(0, number - _NEAR) : number + _NEAR])
    lowered = [answer.lower() for answer in mine.answers]
    fitting = [(title, text) for title, text in texts if not any(answer in text.lower() for answer in lowered)]
    drawn = random.Random(mine.id).sample(fitting, min(_WRONG, len(fitting)))
    return tuple(Part(title, text) for title, text in drawn if (title, text) != mine.passages[0])
