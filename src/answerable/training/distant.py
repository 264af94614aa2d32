"""Questions with answers and no text, read in what a search by words finds for them (Mintz et al. 2009, "distant
supervision"; for reading: Chen et al. 2017, section 3.3). That a passage holds the answer does not say that it answers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.text import normalise_answer
from answerable.training.beside import TWO, Passage, holds
from answerable.training.corpora import Corpora, Lexical
from answerable.training.reading import MULTI_HOP, NONE, SPAN, Reading, lines_of, squad

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
