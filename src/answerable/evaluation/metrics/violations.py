"""Which constraints of a query a wrong document breaks, where it is known which documents fit each constraint.

A document breaks a constraint that it does not fit, and one that is taken away ("not for children") that it fits.

    n broken  = wrong documents that break n constraints of the query, by those that break any
    negated   = wrong documents that break one that is taken away, by those that break any

One that breaks none fits the query by its categories all the same: it is counted apart. Malaviya et al. 2023, section
4.4 and table 6, who asked people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from answerable.sets.expression import Expression, signed

Sets = Mapping[str, Collection[str]]
"""The documents that fit each constraint, by its words."""


def broken(document: str, expression: Expression, sets: Sets) -> list[bool]:
    """The constraints of a query that a document breaks: of each whether it is one that is taken away.

    Raises `KeyError` for a constraint whose documents are not known.
    """
    return [negated for text, negated in dict.fromkeys(signed(expression)) if (document in sets[text]) == negated]


def ranked_above(ranking: Sequence[str], gold: Collection[str], k: int = 100) -> list[str]:
    """The documents of the first k that are not right and stand before one of these k that is, in order."""
    first = ranking[:k]
    last = max((place for place, id in enumerate(first) if id in gold), default=0)
    return [id for id in first[:last] if id not in gold]


@dataclass(slots=True)
class Violations:
    """A count of wrong documents by what they break, added query by query.

    `broken`: by how many constraints. `queries` have been judged, `unjudged` could not be: their constraints or the
    documents of these are not known.
    """

    queries: int = 0
    unjudged: int = 0
    broken: dict[int, int] = field(default_factory=dict)
    negated: int = 0

    def add(self, wrong: Sequence[str], expression: Expression | None, sets: Sets) -> None:
        """Count the wrong documents of one query; None: nobody knows what it asks for."""
        if expression is None or any(text not in sets for text, _ in signed(expression)):
            self.unjudged += 1
            return
        self.queries += 1
        for document in wrong:
            found = broken(document, expression, sets)
            self.broken[len(found)] = self.broken.get(len(found), 0) + 1
            self.negated += any(found)

    @property
    def breaking(self) -> int:
        """How many wrong documents break any constraint."""
        return sum(number for count, number in self.broken.items() if count)

    def shares(self) -> dict[str, float]:
        """The share, 0 to 1, of "1", "2" ... broken constraints and of "negated" ones; empty where none is broken."""
        if not self.breaking:
            return {}
        counts = {str(count): self.broken.get(count, 0) / self.breaking for count in range(1, max(self.broken) + 1)}
        return counts | {"negated": self.negated / self.breaking}
