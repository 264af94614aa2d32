"""Reading examples: the data sets a reader learns from, one shape for all, and how they become token ids.

Input layout, the same in training and in `answerable.readers.span`: `[CLS] question [SEP] title . text [SEP]`
and, for a chain of several passages, one more `title . text [SEP]` each. Question tokens have type 0, the rest 1.
A question whose answer is not in the passages points at `[CLS]` (Devlin et al. 2019, section 4.3).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from answerable.errors import FormatError

SPAN, YES, NO, NONE = range(4)
MAX_TOKENS, MAX_QUESTION = 384, 64


@dataclass(frozen=True, slots=True)
class Reading:
    """One question over one or more passages. `answer` is (passage, start, end) in characters, for `SPAN`."""

    id: str
    question: str
    passages: tuple[tuple[str, str], ...]
    kind: int
    answer: tuple[int, int, int] | None = None
    answers: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one reading; `start` and `end` are token positions, 0 for anything but a span."""

    ids: list[int]
    types: list[int]
    start: int
    end: int
    kind: int


def _open(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf8") as lines:  # type: ignore[operator]
        yield from lines


def _json(path: Path) -> Any:
    try:
        return json.loads("".join(_open(path)))
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {type(error).__name__}") from error


def share(name: str) -> float:
    """A number in [0, 1) fixed by the name: how the splits by article are drawn."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 0x100000000


def squad(path: Path, source: str) -> Iterator[tuple[str, Reading]]:
    """Readings of a SQuAD-format file, each with its article's name (a number where it has none)."""
    for number, article in enumerate(_json(path)["data"]):
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
    for line in _open(path):
        row = json.loads(line)
        kind = YES if row["answer"] else NO
        answers = ("yes",) if row["answer"] else ("no",)
        yield Reading(row["_id"], row["question"] + "?", ((row["title"], row["passage"]),), kind, None, answers, "boolq")


@dataclass(frozen=True, slots=True)
class PoolPassage:
    """A passage of the multi-hop pool."""

    title: str
    text: str
    sentences: tuple[str, ...]


def load_pool(path: Path) -> dict[str, PoolPassage]:
    """The passages the multi-hop questions point into, by id."""
    pool = {}
    for line in _open(path):
        row = json.loads(line)
        pool[row["_id"]] = PoolPassage(row["title"], row["text"], tuple(row.get("sentences") or ()))
    return pool


def multihop(path: Path, pool: dict[str, PoolPassage], source: str) -> Iterator[tuple[Reading, tuple[str, ...]]]:
    """Covered multi-hop questions over their gold passages, each with the ids of the other passages given with it."""
    for line in _open(path):
        row = json.loads(line)
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
        found = _locate(answer, row.get("supporting") or (), [pool[g] for g in gold])
        if found:
            yield replace(base, kind=SPAN, answer=found), others


def _locate(answer: str, supporting: Iterable[list[Any]], gold: list[PoolPassage]) -> tuple[int, int, int] | None:
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


class Layout:
    """Turns readings into token ids; the tokenizer is MiniLM's, without special tokens of its own."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.cls = tokenizer.token_to_id("[CLS]")
        self.sep = tokenizer.token_to_id("[SEP]")

    def encode(self, readings: list[Reading], seed: int) -> list[Encoded]:
        """Token ids for training; long passages are cut to a window that holds the answer, placed at random."""
        texts: list[str] = []
        for reading in readings:
            texts.append(reading.question)
            for title, text in reading.passages:
                texts += [f"{title} ." if title else "", text]
        tokens = iter(self.tokenizer.encode_batch(texts, add_special_tokens=False))
        rng = random.Random(seed)
        encoded = []
        for reading in readings:
            question = next(tokens).ids[:MAX_QUESTION]
            parts = [(next(tokens), next(tokens)) for _ in reading.passages]
            one = self._join(reading, question, parts, rng)
            if one:
                encoded.append(one)
        return encoded

    def _join(self, reading: Reading, question: list[int], parts: list[Any], rng: random.Random) -> Encoded | None:
        ids = [self.cls, *question, self.sep]
        types = [0] * len(ids)
        start = end = 0
        room = (MAX_TOKENS - len(ids)) // len(parts)
        spare = sum(max(0, room - len(t.ids[:32]) - len(p.ids) - 1) for t, p in parts)
        for index, (title, text) in enumerate(parts):
            head = title.ids[:32]
            limit = room - len(head) - 1
            if len(text.ids) > limit:
                limit += min(spare, len(text.ids) - limit)
                spare -= max(0, limit - (room - len(head) - 1))
            first = last = -1
            if reading.answer and reading.answer[0] == index:
                _, begin, stop = reading.answer
                inside = [i for i, (a, b) in enumerate(text.offsets) if a < stop and b > begin]
                if not inside:
                    return None
                first, last = inside[0], inside[-1]
            offset = 0
            if len(text.ids) > limit:
                low, high = 0, len(text.ids) - limit
                if first >= 0:
                    low, high = max(low, last + 1 - limit), min(high, first)
                    if low > high:
                        return None
                offset = rng.randint(low, high)
            if first >= 0:
                start, end = len(ids) + len(head) + first - offset, len(ids) + len(head) + last - offset
            ids += [*head, *text.ids[offset : offset + limit], self.sep]
        types += [1] * (len(ids) - len(types))
        return Encoded(ids, types, start, end, reading.kind)
