"""What a reader of many passages learns from: questions, the passages each is read with, and every span that answers.

Questions are those of the path reader (`training.paths.sources`). One over several passages is read with those that
came with it; one over a single passage with those of the same corpus that words find for it (BM25), as an engine would.

A yes or a no stands in no text: as in a path, each passage is laid out with the two words before it, and the word is a
span like any other. It is right in all right passages where all of these are read, since it is a judgement on all of
them, and nowhere else; so what several passages say of it adds up, as for any answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from answerable.readers.path_layout import PathLayout, Span
from answerable.training.corpora import Corpora
from answerable.training.fusion.model import right_spans
from answerable.training.paths.draw import Asked, Part
from answerable.training.reading import NO, SPAN, YES
from answerable.training.skills.example import SkillExample
from answerable.training.skills.mine import Searches, with_negatives
from answerable.types import Skill

CORPORA = {"nq": "nq", "squad1": "squad", "squad2": "squad", "boolq": "boolq"}
"""Where passages are looked for, for each source of questions over a single one."""
_AT_ONCE = 256
"""Questions tokenised together."""


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """With how many passages a question is read, `fewest` to `most`, unless more are right.

    `without`: the share of questions that are read without a passage they need.
    """

    fewest: int = 2
    most: int = 10
    without: float = 0.15


@dataclass(frozen=True, slots=True)
class Drawn:
    """A question and the passages it is read with, which perhaps do not answer it."""

    asked: Asked
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A passage laid out with its question. `text`: its tokens [start, end); `polar`: where yes and no stand.

    `right` are the first token of each span that answers, and how many follow it.
    """

    ids: NDArray[np.int32]
    text: Span
    polar: Span
    right: tuple[Span, ...]


def with_near(asked: Sequence[Asked], corpora: Corpora, file: Path, searches: Searches, most: int) -> list[Asked]:
    """The questions, those over a single passage with up to `most` more wrong ones that words find for them.

    `file` keeps what was found, as for `with_negatives`.
    """
    examples = []
    for one in asked:
        held = tuple((part.title, part.text) for part in (*one.right, *one.wrong))
        corpus = CORPORA.get(one.source, "")
        examples.append(SkillExample(one.source, Skill.SINGLE, one.question, held, answers=one.answers, corpus=corpus))
    found = with_negatives(examples, corpora, file, searches, most)
    return [
        replace(one, wrong=(*one.wrong, *(Part(*text) for text in example.negatives)))
        for one, example in zip(asked, found, strict=True)
    ]


def draw(asked: Asked, settings: DrawSettings, rng: random.Random) -> Drawn:
    """A question with all its right passages or without one it needs, and wrong ones, in a random order.

    A question that nothing answers keeps the passage it was asked of, which is the first of its wrong ones.
    """
    right = list(asked.right)
    if asked.wrong and rng.random() < settings.without:
        answers = [answer.lower() for answer in asked.answers]
        if asked.kind == SPAN:
            right = [part for part in right if not any(answer in part.text.lower() for answer in answers)]
        else:
            right = rng.sample(right, max(0, len(right) - 1))
    wrong = list(asked.wrong)
    kept = right if asked.right else [wrong.pop(0)]
    room = max(0, rng.randint(settings.fewest, settings.most) - len(kept))
    chosen = kept + rng.sample(wrong, min(room, len(wrong)))
    rng.shuffle(chosen)
    return Drawn(asked, tuple(chosen))


def encode(layout: PathLayout, drawn: Sequence[Drawn], seed: str) -> Iterator[tuple[Row, ...]]:
    """Each question's passages as tokens; a long passage is cut to a window, at random, that holds the answer.

    A question whose answer stands in its passages, but is longer than a span may be, is left out.
    """
    for begin in range(0, len(drawn), _AT_ONCE):
        some = drawn[begin : begin + _AT_ONCE]
        texts = [t for one in some for t in (one.asked.question, *(t for p in one.parts for t in _said(layout, p)))]
        tokens = iter(layout.tokens(texts))
        rng = random.Random(f"{seed} {begin}")
        for one in some:
            question = next(tokens)
            rows = [_row(layout, one, part, (question, next(tokens), next(tokens)), rng) for part in one.parts]
            lost = one.asked.kind == SPAN and any(part.answer for part in one.parts)
            if not lost or any(row.right for row in rows):
                yield tuple(rows)


def _said(layout: PathLayout, part: Part) -> tuple[str, str]:
    return layout.head(part.title), part.text


def _row(
    layout: PathLayout, drawn: Drawn, part: Part, tokens: tuple[Encoding, Encoding, Encoding], rng: random.Random
) -> Row:
    question, head, text = tokens
    begin, stop = part.answer or (0, 0)
    held = [i for i, (a, b) in enumerate(text.offsets) if a < stop and b > begin]

    def window(_: int, size: int, room: int) -> int:
        low, high = (max(0, held[-1] + 1 - room), min(size - room, held[0])) if held else (0, size - room)
        return rng.randint(low, high) if low <= high else low

    laid = layout.lay(question, [(head, text)], window)
    polar = layout.polar(laid)
    ((place, first, shown),) = laid.places
    right: list[Span] = []
    asked = drawn.asked
    if asked.kind in (YES, NO) and part.right and set(asked.right) <= set(drawn.parts):
        right = [(polar[asked.kind == NO], 0)]
    elif asked.kind == SPAN and part.right:
        spans = right_spans(part.text, text.offsets[first : first + shown], asked.answers).nonzero().tolist()
        right = [(place + token, extra) for token, extra in spans]
    return Row(np.array(laid.ids, np.int32), (place, place + shown), polar, tuple(right))
