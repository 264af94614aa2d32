"""What finds the set of a query: retrievers, the paper's classifier and ours promise the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from answerable.sets.expression import Expression


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a system gives to a query, in ids of the workspace.

    `ranking`: documents, best first, each once. `chosen`: the set, best first; None from a system that only ranks.
    `judged`: the probability (0 to 1) of documents it looked at, best first, where it has any. `expression`: how it
    understood the query, where it tells. `expected`: how many documents it reckons with. `parts`: seconds by part.
    """

    ranking: tuple[str, ...]
    chosen: tuple[str, ...] | None = None
    judged: tuple[tuple[str, float], ...] = ()
    expression: Expression | None = None
    expected: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


class SetSystem(Protocol):
    """Finds sets. `settings` and `models` are all that it depends on, beside the workspace."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def gives(self) -> bool:
        """Whether it gives sets, and not only rankings."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """Values that JSON can hold."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """Names of the models in use, by part."""
        ...

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """Find the set of one query. `meant`: what it asks for, from a system that is told (`expression data`).

        Raises `UsageError` for a query that cannot be asked.
        """
        ...
