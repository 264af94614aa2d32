"""Reading examples: the data sets a reader learns from, one shape for all, and how they become token ids.

The layout is `answerable.readers.layout`. A question whose answer is not in the passages points at `[CLS]`
(Devlin et al. 2019, section 4.3).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenizers import Encoding

from answerable.datasets.records import elements, lines
from answerable.readers.layout import Laid, Layout, Window
from answerable.text import is_polar

SPAN, YES, NO, NONE = range(4)
MULTI_HOP = ("hotpotqa", "musique", "2wikimultihopqa")
"""Data sets of questions over several passages of one pool."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One question over one or more passages. `answer` is (passage, start, end) in characters, for `SPAN`; `further`
    are more places that are as right. `weight`: what it counts for in the loss."""

    id: str
    question: str
    passages: tuple[tuple[str, str], ...]
    kind: int
    answer: tuple[int, int, int] | None = None
    answers: tuple[str, ...] = ()
    source: str = ""
    further: tuple[tuple[int, int, int], ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one reading; `start` and `end` are token positions, 0 for anything but a span; `further` are more of
    them. `polar`: the question has the form of one that is answered by yes or no. `weight` is the reading's."""

    ids: list[int]
    types: list[int]
    start: int
    end: int
    kind: int
    polar: bool = False
    further: tuple[tuple[int, int], ...] = ()
    weight: float = 1.0


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The fields of the records of a JSONL file to train on. Raises as `datasets.records.lines`."""
    return (row.fields for row in lines(path))


def squad(path: Path, source: str) -> Iterator[tuple[str, Reading]]:
    """Readings of a SQuAD-format file, each with its article's name (a number where it has none)."""
    for number, article in enumerate(one.fields for one in elements(path, under="data")):
        name = article.get("title") or f"{source}-{number}"
        shown = "" if source in ("policyqa", "covidqa", "subjqa") else name.replace("_", " ")
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            for item in paragraph["qas"]:
                base = Reading(str(item["id"]), item["question"].strip(), ((shown, text),), NONE, source=source)
                if not item["answers"]:
                    yield name, base
                    continue
                first = item["answers"][0]
                start = first["answer_start"]
                wanted = first["text"].strip()
                start = text.find(wanted, max(0, start - 1))
                if start < 0 or not wanted:
                    continue
                answers = tuple(dict.fromkeys(a["text"] for a in item["answers"]))
                yield name, replace(base, kind=SPAN, answer=(0, start, start + len(wanted)), answers=answers)


def boolq(path: Path) -> Iterator[Reading]:
    """Yes/no questions over one paragraph (Clark et al. 2019)."""
    for row in lines_of(path):
        kind = YES if row["answer"] else NO
        answers = ("yes",) if row["answer"] else ("no",)
        yield Reading(
            row["_id"], row["question"] + "?", ((row["title"], row["passage"]),), kind, None, answers, "boolq"
        )


def fever(path: Path) -> Iterator[Reading]:
    """Claims as yes/no questions over their evidence sentences (Thorne et al. 2018): supported is yes, refuted no."""
    for row in lines_of(path):
        yield claim(row, (row.get("titles") or [""])[0], "fever")


def claim(row: Mapping[str, Any], title: str, source: str) -> Reading:
    """A claim as a yes/no question over its evidence, on a page of this title."""
    kind = YES if row["label"] == "SUPPORTS" else NO
    passages = ((title, " ".join(row["evidence"])),)
    question = f"Is it true that {row['claim'].rstrip('. ')}?"
    return Reading(row["_id"], question, passages, kind, None, ("yes" if kind == YES else "no",), source)


@dataclass(frozen=True, slots=True)
class PoolPassage:
    """A passage of the multi-hop pool."""

    title: str
    text: str
    sentences: tuple[str, ...]


def load_pool(path: Path) -> dict[str, PoolPassage]:
    """The passages the multi-hop questions point into, by id."""
    pool = {}
    for row in lines_of(path):
        pool[row["_id"]] = PoolPassage(row["title"], row["text"], tuple(row.get("sentences") or ()))
    return pool


def multihop(path: Path, pool: dict[str, PoolPassage], source: str) -> Iterator[tuple[Reading, tuple[str, ...]]]:
    """Covered multi-hop questions over their gold passages, each with the ids of the other passages given with it."""
    for row in lines_of(path):
        if not row.get("covered"):
            continue
        gold = [g for g in dict.fromkeys(row["gold"]) if g in pool][:4]
        passages = tuple((pool[g].title, pool[g].text) for g in gold)
        others = tuple(c for c in row.get("context", ()) if c in pool and c not in gold)
        answer = str(row["answer"]).strip()
        answers = (answer, *map(str, row.get("aliases") or ()))
        base = Reading(row["_id"], row["question"], passages, NONE, None, answers, source)
        if answer.lower() in ("yes", "no"):
            yield replace(base, kind=YES if answer.lower() == "yes" else NO), others
            continue
        found = locate(answer, row.get("supporting") or (), [pool[g] for g in gold])
        if found:
            yield replace(base, kind=SPAN, answer=found), others


def locate(answer: str, supporting: Iterable[list[Any]], gold: list[PoolPassage]) -> tuple[int, int, int] | None:
    """Where the answer stands: in a supporting sentence of the last passages first, else anywhere."""
    wanted = {(title, number) for title, number in supporting}
    for strict in (True, False):
        for index in reversed(range(len(gold))):
            text = gold[index].text
            at = text.find(answer)
            while at >= 0:
                inside = not strict
                cursor = 0
                for number, sentence in enumerate(gold[index].sentences if strict else ()):
                    begin = text.find(sentence.strip(), cursor)
                    if begin < 0:
                        continue
                    cursor = begin + len(sentence.strip())
                    if begin <= at < cursor and (gold[index].title, number) in wanted:
                        inside = True
                if inside:
                    return index, at, at + len(answer)
                at = text.find(answer, at + 1)
    return None


def encode(layout: Layout, readings: list[Reading], seed: int) -> list[Encoded]:
    """Token ids for training; a long passage is cut to a window that holds the answer, placed at random.

    A reading whose answer does not fit the room is left out.
    """
    texts: list[str] = []
    for reading in readings:
        texts.append(reading.question)
        for title, text in reading.passages:
            texts += [layout.head(title), text]
    tokens = iter(layout.tokens(texts))
    rng = random.Random(seed)
    encoded = []
    for reading in readings:
        question = next(tokens)
        parts = [(next(tokens), next(tokens)) for _ in reading.passages]
        answer = answer_tokens(reading.answer, parts)
        if reading.kind == SPAN and answer[0] < 0:
            continue
        laid = layout.lay(question, parts, window_on(answer, rng))
        start = end = 0
        if answer[0] >= 0:
            place = shown(laid, *answer)
            if place is None:
                continue
            start, end = place
        places = (answer_tokens(one, parts) for one in reading.further)
        more = {found for one in places if one[0] >= 0 and (found := shown(laid, *one))} - {(start, end)}
        polar, further = is_polar(reading.question), tuple(sorted(more))
        encoded.append(Encoded(laid.ids, laid.types, start, end, reading.kind, polar, further, reading.weight))
    return encoded


def window_on(answer: tuple[int, int, int], rng: random.Random) -> Window:
    """What cuts a long passage to a window at random that holds the answer: (passage, first token, last token)."""
    which, first, last = answer

    def window(number: int, size: int, room: int) -> int:
        low, high = 0, size - room
        if number == which:
            low, high = max(low, last + 1 - room), min(high, first)
        return rng.randint(low, high) if low <= high else low

    return window


def shown(laid: Laid, which: int, first: int, last: int) -> tuple[int, int] | None:
    """Where these tokens of a passage stand, if all are shown."""
    place, offset, count = laid.places[which]
    return (place + first - offset, place + last - offset) if offset <= first and last < offset + count else None


def answer_tokens(answer: tuple[int, int, int] | None, parts: list[tuple[Encoding, Encoding]]) -> tuple[int, int, int]:
    """(passage, first token, last token) of an answer, or -1s where there is none."""
    if answer is None:
        return -1, -1, -1
    which, begin, stop = answer
    inside = [i for i, (a, b) in enumerate(parts[which][1].offsets) if a < stop and b > begin]
    return (which, inside[0], inside[-1]) if inside else (-1, -1, -1)
