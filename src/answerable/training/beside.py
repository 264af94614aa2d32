"""Passages to read beside the one that answers: what a search by words finds for a question and does not answer it.

A reader that learned each passage alone cannot tell whose span is the better one; learned with one softmax over the
spans of all passages of a question, it can (Clark and Gardner 2018, section 3, "shared-norm"). Questions with answers
and no text are read in what is found for them ("distant supervision": Mintz et al. 2009; for reading: Chen et al. 2017,
section 3.3). That a passage holds the answer does not say that it answers.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.text import normalise_answer
from answerable.training.corpora import Corpora, Lexical
from answerable.training.reading import MULTI_HOP, NONE, SPAN, Reading, lines_of, squad

_FOUND = 12
"""How many passages are looked for; those that do not answer are drawn from."""
TWO = 0.35
"""How often a further passage stands in the same window as another: the share of chains of two."""
_WITHOUT = 0.15
"""How often a question is read without the passage that answers it, and nothing does."""
_LONG = 1200
"""Characters of a passage beside which no other is put."""
Passage = tuple[str, str]


class Beside:
    """What is found for the questions of these readings, among their passages and others, each a title and a text.

    The index stays in `folder`, under a name of its own for these passages. What answers a question in one reading is
    never shown to it as what does not, in any.
    """

    def __init__(self, readings: Sequence[Reading], others: Iterable[Passage], folder: Path) -> None:
        own = (passage for one in readings for passage in one.passages)
        self._passages = list(dict.fromkeys((*own, *others)))
        self._answering: dict[str, set[str]] = defaultdict(set)
        self._answers: dict[str, set[str]] = defaultdict(set)
        for one in readings:
            if one.kind != NONE:
                self._answering[_asked(one)] |= {text for _, text in one.passages}
            if one.kind == SPAN:
                self._answers[_asked(one)] |= {*one.answers}
        name = hashlib.sha256("\n".join(text for _, text in self._passages).encode()).hexdigest()[:12]
        self._index = Lexical({str(number): one for number, one in enumerate(self._passages)}, folder / name)

    def windows(self, reading: Reading, most: int, rng: random.Random) -> tuple[Reading, ...]:
        """A reading and up to `most` - 1 others of its question, all of which are scored together.

        The first holds the answer, but for a share of questions that are read without it.
        """
        others = self._others(reading)
        rng.shuffle(others)
        if len(reading.passages) == 2 and rng.random() < 0.5:  # which comes first tells nothing
            reading = _turned(reading)
        windows: list[Reading] = []
        if not others or rng.random() >= _WITHOUT:
            joined = bool(others) and rng.random() < TWO and _alone(reading)
            windows.append(_beside(reading, others.pop(), rng) if joined else reading)
        if len(reading.passages) > 1 and reading.kind == SPAN and reading.answer and others:
            kept = [one for number, one in enumerate(reading.passages) if number != reading.answer[0]]
            if not any(holds(one, reading.answers) for one in kept):  # half of a chain does not answer
                windows.append(_none(reading, (kept[0], others.pop())))
        while others and len(windows) < most:
            pair = (others.pop(), others.pop()) if len(others) > 1 and rng.random() < TWO else (others.pop(),)
            windows.append(_none(reading, pair))
        return tuple(windows)

    def _others(self, reading: Reading) -> list[Passage]:
        """What is found for a question, without what answers it here or elsewhere, or holds an answer of it."""
        found = (self._passages[int(id_)] for id_ in self._index.best(reading.question, _FOUND))
        asked = _asked(reading)
        own = {text for _, text in reading.passages} | self._answering.get(asked, set())
        said = self._answers.get(asked, set())
        return [one for one in found if one[1] not in own and not holds(one, said)]


def widen(rows: list[Reading], seed: int) -> list[Reading]:
    """Some readings become chains (another passage beside the right one), some get the wrong passage and no answer."""
    rng = random.Random(seed)
    out = []
    for row in rows:
        drawn = rng.random()
        alone = len(row.passages) == 1 and row.source in ("squad", "nq", "written")
        if alone and row.kind == SPAN and drawn < 0.34:
            other = rows[rng.randrange(len(rows))].passages[0]
            if drawn < 0.24 and len(other[1]) < _LONG:
                out.append(_beside(row, other, rng))
                continue
            if drawn > 0.28 and row.source != "written" and row.answers[0].lower() not in other[1].lower():
                out.append(_none(row, (other,)))
                continue
        if len(row.passages) == 2 and row.kind == SPAN and row.answer and rng.random() < 0.5:
            row = _turned(row)
        out.append(row)
    return out


def _asked(reading: Reading) -> str:
    return normalise_answer(reading.question)


def holds(passage: Passage, answers: Iterable[str]) -> bool:
    """Whether a passage or its title holds one of the answers, in whatever form."""
    words = f" {normalise_answer(' '.join(passage))} "
    return any(f" {normalise_answer(answer)} " in words for answer in answers)


def _none(reading: Reading, passages: tuple[Passage, ...]) -> Reading:
    return replace(reading, passages=passages, kind=NONE, answer=None)


def _turned(reading: Reading) -> Reading:
    answer = reading.answer and (1 - reading.answer[0], *reading.answer[1:])
    return replace(reading, passages=reading.passages[::-1], answer=answer)


def _alone(reading: Reading) -> bool:
    return len(reading.passages) == 1 and len(reading.passages[0][1]) <= _LONG


def _beside(reading: Reading, other: Passage, rng: random.Random) -> Reading:
    """A reading of one passage with another before or after it."""
    after = rng.random() < 0.5
    passages = (reading.passages[0], other) if after else (other, reading.passages[0])
    answer = reading.answer and (0 if after else 1, *reading.answer[1:])
    return replace(reading, passages=passages, answer=answer)


DISTANT = "distant"
"""What recipes call these."""
POPQA = "popqa/popqa.jsonl.gz"
FILES = (
    POPQA,
    "squad/squad-train-questions.jsonl.gz",
    "nq/nq-open-more.jsonl.gz",
    "triviaqa/triviaqa.jsonl.gz",
    "webquestions/webquestions.jsonl.gz",
    "musique/train-qa.jsonl.gz",
    "multihop/hotpot-2wiki-qa.jsonl.gz",
)
WITH_TEXT = ("nq/nq-dev", "squad/squad1.1", *(f"squad/squad-train-{part}" for part in ("part", "more", "matched")))
"""Files in SQuAD's form of what is asked in development and in the report, or learned with its text."""
ASKED = ("nq/nq-open-dev", "nq/efficientqa-dev", *(f"{name}/dev" for name in MULTI_HOP))
"""Further files of what is asked in development and in the report."""
_ALIKE = 0.5
"""The share that is taken of PopQA, which has no parts, and few forms of questions; of others the train part is."""
_FOUND, _FIRST, _MOST = 8, 5, 3
"""How many passages are looked for; among the first of them one, and no more than so many, hold an answer."""
_READ = 2
"""How many of those are read."""
_MARKED = 0.6
"""How often a question mark is put behind what was typed without."""
_WEIGHT = 0.5
"""What such a question counts for, beside one with a text that was written for it or that it was written for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A question, its answers, and of what was found for it the passages that hold one and those that do not."""

    question: str
    answers: tuple[str, ...]
    holding: tuple[Passage, ...]
    others: tuple[Passage, ...]

    def windows(self, most: int, rng: random.Random) -> tuple[Reading, ...]:
        """Up to `most` windows of a passage or two, the first of which hold an answer, right wherever it stands."""
        others = rng.sample(self.others, len(self.others))
        shown = [[one] for one in self.holding[:most]]
        shown += [[others.pop()] for _ in range(min(most - len(shown), len(others)))]
        for passages in shown:
            if others and rng.random() < TWO:
                passages.append(others.pop())
            rng.shuffle(passages)
        bare = self.question.endswith("?") or rng.random() >= _MARKED
        asked = self.question if bare else f"{self.question}?"
        return tuple(self._read(asked, tuple(passages)) for passages in shown)

    def _read(self, asked: str, passages: tuple[Passage, ...]) -> Reading:
        found = [(n, *span) for n, (_, text) in enumerate(passages) for span in places(text, self.answers)]
        base = Reading("", asked, passages, NONE, answers=self.answers, source=DISTANT, weight=_WEIGHT)
        return replace(base, kind=SPAN, answer=found[0], further=tuple(found[1:])) if found else base


def distant(data: Path, folder: Path) -> list[Found]:
    """The questions for which passages of the multi-hop pool or the encyclopaedia hold an answer that the question does
    not; the index of these stays in `folder`. What a question of the report over tables needs is not among them."""
    corpora = Corpora(data)
    wiki = (text for id_, text in corpora.corpus("wiki").items() if id_ not in corpora.withheld)
    texts = list(dict.fromkeys((*corpora.corpus("pool").values(), *wiki)))
    index = Lexical({str(number): text for number, text in enumerate(texts)}, folder)
    kept = []
    for question, given in questions(data):
        if not (answers := tuple(one for one in given if not holds(("", question), [one]))):
            continue
        found = [texts[int(id_)] for id_ in index.best(question, _FOUND)]
        right = [one for one in found[:_FIRST] if holds(one, answers)]
        read = tuple(one for one in right if places(one[1], answers))[:_READ]
        if read and len(right) <= _MOST:
            kept.append(Found(question, answers, read, tuple(one for one in found if not holds(one, answers))))
    return kept


def questions(data: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Questions with their answers, none that is asked elsewhere or for yes or no."""
    barred = {normalise_answer(row["question"]) for name in ASKED for row in lines_of(data / f"{name}.jsonl")}
    for name in WITH_TEXT:
        barred |= {normalise_answer(reading.question) for _, reading in squad(data / f"{name}.json.gz", "")}
    for name in FILES:
        for row in lines_of(data / name):
            answers = tuple(str(one) for one in row.get("answers", [row.get("answer")]) if one)
            drawn = random.Random(row["question"]).random() <= _ALIKE
            taken = drawn if name == POPQA else "train" in row.get("source", "train")
            polar = answers[:1] and answers[0].lower() in ("yes", "no")
            if answers and taken and not polar and normalise_answer(row["question"]) not in barred:
                yield row["question"].strip(), answers


def places(text: str, answers: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where answers stand in a text as whole words, in any case."""
    found = (re.finditer(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE) for one in answers)
    return sorted({match.span() for ones in found for match in ones})
