"""Programs ranked by a log-linear model, and the probability of what they say: that of all programs that say it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from answerable.tables.asked import Asked, Condition, conditions
from answerable.tables.cells import Table
from answerable.tables.features import Part, Parts
from answerable.tables.programs import Program, places, programs

WEIGHTS = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Said:
    """What a table says, with its probability among all that its programs say; the likeliest program that says it, with
    the question's `words` and conditions, how many of its words are `telling`, and which of these it leaves out: those
    that are `ignored` stand in cells of the table."""

    program: Program
    probability: float
    words: tuple[str, ...]
    conditions: tuple[Condition, ...]
    telling: int
    unexplained: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def rows(self) -> list[int]:
        """The rows it rests on."""
        return places(self.program.rows)


@dataclass(frozen=True)
class Ranking:
    """Weights of features by name, and the words of questions that features are made of."""

    weights: Mapping[str, float]
    vocabulary: frozenset[str]

    def say(self, question: str, table: Table, most: int = 1_000) -> list[Said]:
        """What the table says to a question, likeliest first; nothing where no program says anything."""
        asked = Asked.of(question)
        known = conditions(asked, table)
        parts = Parts(asked, table, known, self.vocabulary)
        weighed: dict[Part, float] = {}
        by_values: dict[tuple[str, ...] | float, list[tuple[float, Program]]] = {}
        for program in programs(asked, table, known):
            score = 0.0
            for part in parts.of(program):
                if (weight := weighed.get(part)) is None:
                    weight = weighed[part] = math.fsum(self.weights.get(name, 0.0) for name in parts.features(part))
                score += weight
            by_values.setdefault(program.values, []).append((score, program))
        if not by_values:
            return []
        top = max(score for group in by_values.values() for score, _ in group)
        sums = {values: math.fsum(math.exp(score - top) for score, _ in group) for values, group in by_values.items()}
        total = math.fsum(sums.values())
        best = sorted(sums, key=lambda values: -sums[values])[:most]
        leading = [max(by_values[values], key=lambda one: one[0])[1] for values in best]
        of = asked.words, tuple(known), len(asked.telling)
        return [
            Said(program, sums[values] / total, *of, parts.unexplained(program), parts.ignored(program))
            for values, program in zip(best, leading, strict=True)
        ]


@cache
def shipped() -> Ranking:
    """The weights that come with the package."""
    raw = json.loads(WEIGHTS.read_text(encoding="utf8"))
    return Ranking({name: value / 100 for name, value in raw["weights"].items()}, frozenset(raw["vocabulary"]))
