"""Questions of parsed passages, by transformation, the likeliest of them: no model beside the parser is needed."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.qapairs.generation.parsing import Parsed, Parser
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.qapairs.generation.ranking import Features, Ranker, Seen, question_features, span_features
from answerable.qapairs.generation.syntactic.candidates import made_for, seen
from answerable.qapairs.generation.syntactic.clauses import Clause
from answerable.types import Passage


class SyntacticGenerator:
    """Turns the sentences that hold the answers into questions (section 3.3, without a language model).

    Questions are made for the `answers` likeliest answers of a passage, and for dates of birth and death in brackets,
    `most` for each; a question's score is the probability that its answer is asked for, times that of its wording, and
    at least `least`.
    """

    name = "syntactic"

    def __init__(
        self,
        parser: Parser | None = None,
        ranker: Ranker | None = None,
        answers: int = 40,
        most: int = 2,
        least: float = 0.0,
    ) -> None:
        self._parser = parser or Parser()
        self._ranker = ranker or Ranker.load()
        self._answers, self._most, self._least = answers, most, least

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """For each passage its questions, by answer in the order given, the likeliest of an answer first."""
        parsed = self._parser.parse(passages)
        return [self._made(one, wanted) for one, wanted in zip(parsed, answers, strict=True)]

    def _made(self, parsed: Parsed, answers: Sequence[Extracted]) -> list[Generated]:
        said: dict[int, list[Clause]] = {}
        found: list[Generated] = []
        once = {(one.start, one.end): one for one in reversed(answers)}
        about = [
            (one, span_features(one))
            for one in seen(parsed, [one for one in answers if once[one.start, one.end] is one])
        ]
        chances = [self._ranker.wanted(features) for _, features in about]
        least = sorted(chances, reverse=True)[self._answers - 1] if len(chances) > self._answers else 0.0
        for (one, features), chance in zip(about, chances, strict=True):
            if chance >= least or one.sentence is None:
                found += self._of_answer(one, features, chance, said)
        return _once(found)

    def _of_answer(
        self, one: Seen, features: Features, chance: float, said: dict[int, list[Clause]]
    ) -> list[Generated]:
        ranked = [
            (chance * self._ranker.put(question_features(asked, one), features), asked.question)
            for asked in made_for(one, said)
        ]
        ranked.sort(key=lambda pair: (-pair[0], pair[1]))
        ranked = _differing(ranked)
        return [
            Generated(text, one.span, score, self.name) for score, text in ranked[: self._most] if score >= self._least
        ]


def _differing(ranked: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Questions without those of the same words in another order than a better one's."""
    met: set[tuple[str, ...]] = set()
    kept = []
    for score, text in ranked:
        words = tuple(sorted(text.lower().rstrip("?").split()))
        if words not in met:
            met.add(words)
            kept.append((score, text))
    return kept


def _once(made: Sequence[Generated]) -> list[Generated]:
    """Of equal questions with several answers, the likeliest."""
    best: dict[str, Generated] = {}
    for one in made:
        if one.question not in best or one.score > best[one.question].score:
            best[one.question] = one
    return [one for one in made if best[one.question] is one]
