"""Questions of a passage by a BART or a T5 that was trained to ask them: the paper's generator (Lewis et al. 2021,
section 3.3, and PAQ_{L,4} of table 1; for BART, Lewis et al. 2020).

    input     answer: ANSWER | title: HEADING | context: ... <answer> ANSWER </answer> ...
    score     the answer's, times exp(log P(question) / its tokens), of each question that the beam ends with

A model's manifest names the special tokens around the answer. One without is taken for the paper's own, in whose
training text two asterisks stood for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from answerable.encoders.seq2seq import Seq2Seq
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.types import Label, Passage

TASK = "pair questions"
"""What the manifest of a model that asks questions says it does."""
Marks = tuple[str, str]
MARKS: Marks = ("<answer>", "</answer>")
"""The special tokens before and after the answer in the passage."""
PUBLISHED: Marks = ("**", "**")
INPUT_TOKENS, QUESTION_TOKENS = 512, 40


def asked_text(heading: str, text: str, start: int, end: int, marks: Marks) -> str:
    """What the model reads, for characters [start, end) of a passage."""
    title = f"title: {heading} | " if heading else ""
    before, answer, after = text[:start], text[start:end], text[end:]
    return f"answer: {answer} | {title}context: {before}{marks[0]} {answer} {marks[1]}{after}"


def fitted(heading: str, text: str, start: int, end: int, marks: Marks, most: int, count: Callable[[str], int]) -> str:
    """`asked_text` of as much of the passage around its answer as makes at most `most` tokens, as `count` counts them.

    Words at the cut may be broken. An answer that alone is too long is left for the tokenizer to cut.
    """
    room = len(text)
    while True:
        spare = max(0, room - (end - start))
        begin = max(0, min(start - spare // 2, len(text) - room))
        stop = min(len(text), max(end, begin + room))
        made = asked_text(heading, text[begin:stop], start - begin, end - begin, marks)
        tokens = count(made)
        if tokens <= most or not spare:
            return made
        room = end - start + min(spare - 1, spare * most // (tokens + 1))


class Seq2SeqGenerator:
    """The questions that a beam search ends with, `beams` of them for each answer at most.

    `label`: the private enclaves that the model was trained on; its questions tell of them.
    """

    def __init__(self, name: str, beams: int = 4, threads: int = 0) -> None:
        """`name` and what it raises as `Seq2Seq` has them; `ModelError` too for one trained for another task."""
        self._model, self._beams = Seq2Seq(name, threads), beams
        self._model.require(TASK, "recipes/pair-questions.toml")
        about = self._model.about
        first, second = about.get("marks", MARKS if about else PUBLISHED)
        self._marks: Marks = (str(first), str(second))
        self._tokens = int(about.get("tokens", INPUT_TOKENS))
        self._longest = int(about.get("said", QUESTION_TOKENS))
        self.name = self._model.name
        self.label: Label = self._model.label

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """As `Generator` promises. Batches hold answers of one passage, so that no other passage changes anything."""
        return [self._asked(passage, ones) for passage, ones in zip(passages, answers, strict=True)]

    def _asked(self, passage: Passage, answers: Sequence[Extracted]) -> list[Generated]:
        texts = [
            fitted(passage.heading, passage.text, one.start, one.end, self._marks, self._tokens, self._count)
            for one in answers
        ]
        said = self._model.say(self._model.tokens(texts, self._tokens), self._beams, self._longest)
        return [
            Generated(question, one, one.score * score, self.name)
            for one, questions in zip(answers, said, strict=True)
            for question, score in questions
        ]

    def _count(self, text: str) -> int:
        return len(self._model.tokens([text], len(text) + 16)[0])
