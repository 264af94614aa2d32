"""Questions of parsed passages, by transformation: the generator that needs no training."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from answerable.pairs.generation.parsing import Parsed, Parser, Sentence
from answerable.pairs.generation.parts import Extracted, Generated
from answerable.pairs.generation.syntactic.answers import located
from answerable.pairs.generation.syntactic.asides import of_asides
from answerable.pairs.generation.syntactic.asking import Asked, questions
from answerable.pairs.generation.syntactic.clauses import Clause, clauses
from answerable.pairs.generation.syntactic.subjects import Topic, topic
from answerable.text import normalise_answer
from answerable.types import Passage

SHORTEST, LONGEST = 3, 30
"""Words of a question."""


class SyntacticGenerator:
    """Turns the sentences that hold the answers into questions: `most` for each answer, all as likely as `least`."""

    name = "syntactic"

    def __init__(self, parser: Parser | None = None, most: int = 2, least: float = 0.45) -> None:
        self._parser = parser or Parser()
        self._most = most
        self._least = least

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """For each passage its questions, by answer, the likeliest of an answer first."""
        made = []
        for parsed, wanted in zip(self._parser.parse(passages), answers, strict=True):
            found: list[Generated] = []
            for answer, asked in candidates(parsed, wanted):
                ranked = sorted(
                    ((_score(one, answer), one.question) for one in asked), key=lambda one: (-one[0], one[1])
                )
                found += [
                    Generated(text, answer, score, self.name)
                    for score, text in ranked[: self._most]
                    if score >= self._least
                ]
            made.append(found)
        return made


def candidates(parsed: Parsed, answers: Sequence[Extracted]) -> Iterator[tuple[Extracted, list[Asked]]]:
    """For each answer all questions that can be made, each once, printed as a question."""
    about = topic(parsed)
    said: dict[int, list[Clause]] = {}
    for answer in answers:
        found: dict[str, Asked] = {}
        sentence = _sentence(parsed, answer)
        if sentence is None:
            made = of_asides(parsed, answer, about)
        else:
            if sentence.number not in said:
                said[sentence.number] = clauses(sentence)
            made = _of_sentence(sentence, said[sentence.number], answer, about)
        for one in made:
            text = printed(one.question)
            if text not in found and acceptable(text, answer.text):
                found[text] = one._replace(question=text)
        yield answer, list(found.values())


def _sentence(parsed: Parsed, answer: Extracted) -> Sentence | None:
    for aside in parsed.asides:
        if aside.start <= answer.start and answer.end <= aside.end:
            return None
    for sentence in parsed.sentences:
        if sentence.words[0].start <= answer.start and answer.end <= sentence.words[-1].end:
            return sentence
    return None


def _of_sentence(sentence: Sentence, said: Sequence[Clause], answer: Extracted, about: Topic) -> Iterator[Asked]:
    place = located(sentence, answer.start, answer.end, answer.kind)
    if place is not None:
        for clause in said:
            yield from questions(clause, place, answer.text, about)


def printed(text: str) -> str:
    """A question as printed: a capital first, one question mark last, no stray quotation marks."""
    text = " ".join(text.replace("?", " ").split()).strip(" ,;:.")
    if text.count('"') % 2:
        text = text.replace('"', "")
    return text[:1].upper() + text[1:] + "?"


def acceptable(question: str, answer: str) -> bool:
    """Whether a question is of a decent length and does not say its answer."""
    length = len(question.split())
    if not SHORTEST <= length <= LONGEST or not normalise_answer(answer):
        return False
    return f" {normalise_answer(answer)} " not in f" {normalise_answer(question)} " and not re.search(
        r"[()\[\]]", question
    )


_UNLIKELY = frozenset(("what kind", "what modified", "which modified", "since when", "nationality", "whom"))


def _score(asked: Asked, answer: Extracted) -> float:
    """How likely a question is asked, from 0 to 1."""
    words = asked.question.rstrip("?").split()
    score = 0.62 - 0.03 * abs(len(words) - 9)
    if asked.subject in ("topic", "pronoun"):
        score += 0.15
    elif asked.subject == "own" and not any(word[:1].isupper() for word in words[1:]):
        score -= 0.2
    if asked.sort in _UNLIKELY:
        score -= 0.15
    if "inner" in asked.made:
        score -= 0.1
    if asked.subject == "asked" and asked.sort == "what" and len(words) < 6:
        score -= 0.15
    return min(0.95, max(0.05, score))
