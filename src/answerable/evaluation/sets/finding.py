"""Our own way to a set, as a system: `Workspace.find`, told what the query means or left to find out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from answerable.errors import UsageError
from answerable.evaluation.sets.systems import Proposed
from answerable.sets.expression import Atom, Expression
from answerable.sets.members import Found

Find = Callable[[str, Expression | None], Found]
"""A query, and its expression where one is given."""


class Understood(StrEnum):
    """Where the expression of a query comes from."""

    PARSED = "parsed"
    """From the query's words."""
    DATA = "data"
    """From the data: what the query was made of. Shows what parsing costs."""
    WHOLE = "whole"
    """The whole query is one constraint: nothing is taken apart."""


class Finding:
    """`Workspace.find`. Its seconds are those of its searches, and the rest."""

    name = "find"
    gives = True

    def __init__(
        self, find: Find, understood: Understood, settings: Mapping[str, Any], models: Mapping[str, str]
    ) -> None:
        self._find, self._understood = find, understood
        self.settings: Mapping[str, Any] = {"expression": understood.value, **settings}
        self.models = models

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See `SetSystem`. Raises `UsageError` where it is to be told what the query means, and nobody tells."""
        found = self._find(query, given_expression(self._understood, query, meant))
        chosen = tuple(dict.fromkeys(member.document for member in found.members))
        judged = tuple((member.document, member.probability) for member in found.members)
        searching = sum(hop.seconds for hop in found.hops)
        parts = {"search": searching, "rest": max(0.0, found.seconds - searching)}
        return Proposed(chosen, chosen, judged, found.expression, found.expected, parts)


def given_expression(understood: Understood, query: str, meant: Expression | None) -> Expression | None:
    """The expression to go by, None to parse the query. Raises `UsageError` where the data is to tell, and does not."""
    if understood is Understood.DATA and meant is None:
        raise UsageError("the data does not say what this query asks for", hint="--expression parsed")
    return {Understood.DATA: meant, Understood.WHOLE: Atom(" ".join(query.split())), Understood.PARSED: None}[
        understood
    ]
