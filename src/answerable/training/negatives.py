"""Questions that their passage does not answer, made from ones that it does: entities, numbers and words exchanged
(Rajpurkar et al. 2018, section 4), or a neighbouring paragraph that speaks of the same thing."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from answerable.training.reading import NONE, SPAN, Reading
from answerable.training.same.changes import NAME, NUMBER
from answerable.training.words import WORDS

_WORD = re.compile(r"[a-z]{4,}")
_PAIRS = [*WORDS["typed"]["opposites"], *WORDS["typed"]["turned"]]
_OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, reversed(pair))}
_TURNED = re.compile(rf"\b(?:{'|'.join(_OPPOSITE)})\b")


def _kind(text: str) -> str:
    """What may stand for a text: a name for a name, a year for a year, a number of like size for a number."""
    if not text[0].isdigit():
        return "name"
    return "year" if re.fullmatch(r"[12]\d{3}", text) else f"number {len(text)}"


def swapped(rows: Iterable[Reading], seed: int) -> Iterator[Reading]:
    """One unanswerable question for each answerable one where a name, a number or a word with an opposite allows it.

    A name or number that both the question and the passage have gives way to another of the passage, or a word to its
    opposite. The new question stays plausible: all it says is in the passage.
    """
    rng = random.Random(seed)
    for row in rows:
        if row.kind != SPAN or len(row.passages) != 1:
            continue
        text, answer = row.passages[0][1], row.answers[0]
        others = defaultdict(list)
        for found in {m.group() for pattern in (NAME, NUMBER) for m in pattern.finditer(text)}:
            if found not in answer and answer not in found and found not in row.question:
                others[_kind(found)].append(found)
        changes: list[tuple[int, int, str]] = []
        for match in (*NAME.finditer(row.question), *NUMBER.finditer(row.question)):
            fitting = sorted(others[_kind(match.group())])
            if fitting and match.group() in text:
                changes.append((*match.span(), rng.choice(fitting)))
        changes += [(*match.span(), _OPPOSITE[match.group()]) for match in _TURNED.finditer(row.question)]
        if changes:
            begin, end, new = rng.choice(changes)
            question = row.question[:begin] + new + row.question[end:]
            yield replace(row, id=f"{row.id}-swapped", question=question, kind=NONE, answer=None, source="swapped")


def neighbours(rows: Iterable[tuple[str, Reading]], seed: int) -> Iterator[Reading]:
    """Answerable questions, each over another paragraph of its article that shares most words and lacks the answer.

    `rows` are (article, reading). One of the three most alike is drawn.
    """
    rng = random.Random(seed)
    articles: dict[str, list[Reading]] = defaultdict(list)
    for name, row in rows:
        if row.kind == SPAN:
            articles[name].append(row)
    for held in articles.values():
        paragraphs = {row.passages[0][1]: row.passages[0] for row in held}
        bags = {text: frozenset(_WORD.findall(text.lower())) for text in paragraphs}
        for row in held:
            asked = frozenset(_WORD.findall(row.question.lower()))
            fitting = [t for t in paragraphs if t != row.passages[0][1] and not _holds(t, row.answers)]
            near = sorted(fitting, key=lambda t: (-len(asked & bags[t]), t))[:3]
            if near:
                passage = paragraphs[rng.choice(near)]
                yield replace(row, passages=(passage,), kind=NONE, answer=None, source="neighbours")


def _holds(text: str, answers: tuple[str, ...]) -> bool:
    lowered = text.lower()
    return any(answer.lower() in lowered for answer in answers)
