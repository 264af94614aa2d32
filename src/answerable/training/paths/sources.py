"""Where a path reader's questions come from, source by source, and which part of each is held out.

Parts are those of the other models: SQuAD by its articles (`datasets.parts.squad_part`), the rest by a hash of the
article or
the question (`datasets.parts.question_part`); the files called dev are the report, and nothing is learned from them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.datasets.parts import question_part
from answerable.errors import FormatError
from answerable.evaluation.long.sheet import placed as spans_of
from answerable.readers.path_layout import Span
from answerable.training.negatives import neighbours, swapped
from answerable.training.paths.draw import Asked, Part, split
from answerable.training.reading import NO, NONE, SPAN, YES, PoolPassage, Reading, boolq, locate, squad
from answerable.training.skills.supervised import MULTI_HOP
from answerable.training.sources import load_source

SINGLE = ("nq", "squad1", "squad2", "boolq", "neighbours", "swapped")
"""Questions over one passage: the last two have none that answers them, and so has half of `squad2`."""
SOURCES = (*MULTI_HOP, *SINGLE)
_NEAR, _WRONG = 40, 3
"""A passage's wrong ones are drawn from those of so many questions before and after: in SQuAD, of its article."""

Pool = dict[str, PoolPassage]


def load(source: str, data: Path, pool: Pool, part: str) -> list[Asked]:
    """The questions of one source in one part, `train` or `development`. Raises `KeyError` for an unknown source."""
    if source in MULTI_HOP:
        return list(_multihop(source, data, pool, part))
    return _single(source, _readings(source, data, part))


def _multihop(source: str, data: Path, pool: Pool, part: str) -> Iterator[Asked]:
    for row in _rows(data / source / "train.jsonl"):
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


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf8") as lines:
            yield from map(json.loads, lines)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read the training data {path}: {type(error).__name__}") from error


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
    if source in ("squad1", "squad2"):
        return load_source(source, data, {}, part)
    raise KeyError(source)


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
