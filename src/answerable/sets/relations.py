"""Whether a constraint asks in other words what a column of a table tells: "employees who live in Aarhus" by its City.

Both are put as questions, "which employees that live in Aarhus?" and "which employees: City Aarhus?", to what has
learned which questions ask the same, and are compared by their vectors. So a verb that says no more than the column is
met by what stands there, and one that says something else is not: who "left Aarhus" is not who has it as City.
"""

from __future__ import annotations

from functools import cache, lru_cache

from answerable.encoders.choose import SHIPPED, SKILLS
from answerable.encoders.sameness import QuestionTest
from answerable.encoders.shipped import open_shipped
from answerable.tables.ranking import nearness

_NEAR, _SAME = 10.0, 7.2
"""What the cosine counts for beside the log-odds of the test, and the sum from which on both ask the same. Of 143
constraints with a verb of their own that columns tell 90 come to it, and of 135 that sound like them and are told by
none, 4."""


@lru_cache(maxsize=4096)
def sameness(asked: str, noun: str, column: str, value: str) -> float:
    """How surely what is `asked` of what a noun names asks for a value in a column: above 0 it does."""
    name = column.lower()
    logit = _test().logit(f"which {asked}?", f"which {noun}: {name} {value}?")
    return logit + _NEAR * nearness().between(asked, [f"{noun} whose {name} is {value}"]) - _SAME


@cache
def _test() -> QuestionTest:
    """The test that ships, opened when it is first needed."""
    return QuestionTest(open_shipped(SHIPPED / SKILLS))
