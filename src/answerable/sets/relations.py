"""Whether a constraint asks in other words what a column of a table tells: "employees who live in Aarhus" by its City.

Both are put as questions, "which employees that live in Aarhus?" and "which employees: City Aarhus?", to what has
learned which questions ask the same, and are compared by their vectors. So a verb that says no more than the column is
met by what stands there, and one that says something else is not: who "left Aarhus" is not who has it as City. In the
same way an "Italian" wine is one whose Country is Italy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from answerable.encoders.choose import SHIPPED, SKILLS
from answerable.encoders.sameness import QuestionTest
from answerable.encoders.shipped import open_shipped
from answerable.tables.ranking import nearness

_NEAR, _SAME = 10.0, 7.2
"""What the cosine counts for beside the log-odds of the test, and the sum from which on both ask the same: of 160
queries, most of them with a verb, 86 % get just the rows that fit (`benchmarks/table_finds.py`)."""

_ALIKE, _NEAREST = 0.5, 3
"""The least cosine of a word and a value that it may mean, and how many values of a column are tried."""
_LEAST, _APART = -1.1, 2.0
"""What `sameness` must come to for a word before its noun, and by how much more than for any other value: of 31
adjectives of countries 30 meant theirs so among 14 or 31, and of 29 words that no value says none meant any."""


@lru_cache(maxsize=4096)
def sameness(asked: str, noun: str, column: str, value: str) -> float:
    """How surely what is `asked` of what a noun names asks for a value in a column: above 0 it does."""
    name = column.lower()
    names = {name, name.removesuffix("s")}  # one of "Languages" is a language
    logit = max(_test().logit(f"which {asked}?", f"which {noun}: {one} {value}?") for one in names)
    return logit + _NEAR * nearness().between(asked, [f"{noun} whose {name} is {value}"]) - _SAME


def meant(
    word: str, asked: str, noun: str, columns: Mapping[str, Iterable[str]], before: bool
) -> tuple[str, str] | None:
    """The name of a column and the value in it that a word of what is asked means, as "Italian" means Italy: only one
    that is near, and none where another would do nearly as well. `before`: the word stands before the noun, and so says
    what the thing itself is."""
    scores: dict[tuple[str, str], float] = {}
    for name, values in columns.items():
        near = {value: nearness().between(word.lower(), [value.lower()]) for value in values}
        for value in sorted(near, key=lambda value: -near[value])[:_NEAREST]:
            scores[name, value] = sameness(asked, noun, name, value) if near[value] >= _ALIKE else -math.inf
    best = sorted(scores, key=lambda one: -scores[one])
    least = _LEAST if before else 0.0
    others = max((scores[one] for one in best[1:]), default=-math.inf)
    return best[0] if best and scores[best[0]] > max(least, others + _APART) else None


@cache
def _test() -> QuestionTest:
    """The test that ships, opened when it is first needed."""
    return QuestionTest(open_shipped(SHIPPED / SKILLS))
