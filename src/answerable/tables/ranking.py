"""Programs ranked by the weights of their features and a small network, and the probability of what they say: that of
all programs that say it. The likeliest are then read beside the question, in words."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from answerable.encoders.choose import SHIPPED, open_encoder
from answerable.encoders.reranking import TableReranker
from answerable.encoders.shipped import open_shipped
from answerable.tables.asked import Asked, Condition, conditions
from answerable.tables.cells import Table
from answerable.tables.features import Part, Parts
from answerable.tables.nearness import Nearness
from answerable.tables.network import Network
from answerable.tables.programs import Program, Said, programs
from answerable.tables.wording import in_words
from answerable.types import Skill

_SPEAKS = 0.3
"""The weight from which on a word of the question is taken to be said by what it makes likely."""
READ = 8
"""How many answers are reranked."""
WEIGHTS, NETWORK = (Path(__file__).with_name(name) for name in ("weights.json", "network.npz"))


@dataclass(frozen=True)
class Ranking:
    """Weights of features by name, the words of questions that features are made of, what compares questions with the
    names of columns, the network beside the weights, and what reranks the likeliest answers."""

    weights: Mapping[str, float]
    vocabulary: frozenset[str]
    nearness: Nearness | None = None
    network: Network | None = None
    reranker: Callable[[], TableReranker] | None = None

    def say(self, question: str, table: Table, most: int = 1_000) -> list[Said]:
        """What the table says to a question, likeliest first; nothing where no program says anything. The few that are
        likeliest by the features are read beside the question, and have among them the probability they had together.
        """
        said = self.rank(question, table, max(most, READ))
        if self.reranker is None or len(said) < 2:
            return said[:most]
        first, rest = said[:READ], said[READ:]
        told = self.reranker().logits(question, [in_words(one, table) for one in first]).astype(np.float64)
        told += np.log([one.probability + 1e-9 for one in first])
        raised = np.exp(told - told.max())
        shares = raised / raised.sum() * math.fsum(one.probability for one in first)
        first = [replace(one, probability=float(share)) for one, share in zip(first, shares, strict=True)]
        return sorted([*first, *rest], key=lambda one: -one.probability)[:most]

    def rank(self, question: str, table: Table, most: int = 1_000) -> list[Said]:
        """What the table says, by the features alone. What only repeats the question is no answer, nor is what stands
        in the first or last row of a table without ranks where no word of the question speaks for that, but the
        likelier it is the less sure are the others."""
        asked, known, parts = taken_apart(question, table, self.vocabulary, self.nearness)
        numbers: dict[Part, int] = {}
        found = [*programs(asked, table, known)]
        rows = [[numbers.setdefault(part, len(numbers)) for part in parts.of(program)] for program in found]
        spoken: dict[Part, frozenset[str]] = {}
        by_values: dict[tuple[str, ...] | float, list[tuple[float, Program]]] = {}
        for program, score in zip(found, self._scores(parts, numbers, rows, asked), strict=True):
            by_values.setdefault(program.values, []).append((score, program))
        if not by_values:
            return []
        top = max(score for group in by_values.values() for score, _ in group)
        sums = {values: math.fsum(math.exp(score - top) for score, _ in group) for values, group in by_values.items()}
        total = math.fsum(sums.values())
        said_anew = (values for values in sums if not asked.repeats(values))
        best = sorted(said_anew, key=lambda values: -sums[values])
        of = asked.words, tuple(known), len(asked.telling)
        ranked = any(shape == "rank" for at, shape in enumerate(table.shapes) if at not in table.naming)
        said: list[Said] = []
        for values in best:
            if len(said) == most:
                break
            program = max(by_values[values], key=lambda one: one[0])[1]
            for part in (made := parts.of(program)):
                if part not in spoken:
                    spoken[part] = self._speaking(parts.features(part))
            if not ranked and _by_place(program) and not any(spoken[part] for part in made if part[0] == "rows"):
                continue
            left = tuple(word for word in parts.unexplained(program) if not any(word in spoken[part] for part in made))
            strange = tuple(word for word in left if word not in self.vocabulary)
            said.append(Said(program, sums[values] / total, *of, left, parts.ignored(program), strange))
        return said

    def _scores(self, parts: Parts, every: Iterable[Part], rows: Sequence[Sequence[int]], asked: Asked) -> list[float]:
        """The score of each program by the numbers of its parts among all."""
        features = [[*parts.features(part)] for part in every]
        wide = [math.fsum(self.weights.get(name, 0.0) for name in own) for own in features]
        scores = [math.fsum(wide[at] for at in row) for row in rows]
        if self.network is None or self.nearness is None or not rows:
            return scores
        vectors = np.stack([self.network.part(own) for own in features])
        summed = np.stack([vectors[row].sum(0) for row in rows])
        deep = self.network.scores(summed, self.nearness.whole(asked))
        return [one + other for one, other in zip(scores, deep.tolist(), strict=True)]

    def _speaking(self, features: Iterable[str]) -> frozenset[str]:
        """The words of the question that make a part of a program likely."""
        sums: dict[str, float] = {}
        for name in features:
            word = name.rpartition("~")[2]
            if "_" not in word and not name.startswith("left"):
                sums[word] = sums.get(word, 0.0) + self.weights.get(name, 0.0)
        return frozenset(word for word, weight in sums.items() if weight >= _SPEAKS)


def _by_place(program: Program) -> bool:
    """Whether a program takes the first row or the last for nothing but its place."""
    kind, _, sort = program.selector
    return kind == "all" and sort is not None and sort.column < 0 and sort.place == 1


def taken_apart(
    question: str, table: Table, vocabulary: frozenset[str], nearness: Nearness | None
) -> tuple[Asked, list[Condition], Parts]:
    """A question as a table is asked it, with the conditions on rows that it may mean, and the parts of programs."""
    asked = Asked.of(question)
    known = conditions(asked, table)
    known += nearness.conditions(asked, table, known) if nearness else []
    near = nearness.of(asked, table, known) if nearness else ()
    return asked, known, Parts(asked, table, known, vocabulary, near)


@cache
def shipped() -> Ranking:
    """The weights that come with the package."""
    raw = json.loads(WEIGHTS.read_text(encoding="utf8"))
    weights = {name: value / 100 for name, value in raw["weights"].items()}
    network = Network.load(NETWORK, [*weights])
    return Ranking(weights, frozenset(raw["vocabulary"]), nearness(), network, reranker)


@cache
def reranker() -> TableReranker:
    """The reranker that comes with the package, opened when it is first needed."""
    return TableReranker(open_shipped(SHIPPED / "skills"))


@cache
def nearness() -> Nearness:
    """By the shipped encoder, which the weights know; it is opened when it is first needed."""
    encoder = cache(open_encoder)
    return Nearness(lambda texts: encoder().encode_queries([(text, Skill.SINGLE, ()) for text in texts]))
