"""A set while it is being found."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from answerable.corpora.fields import Filter
from answerable.sets.expression import Expression
from answerable.sets.find import Sought
from answerable.sets.members import Found, Member


class Finding:
    """Members as they become certain, in the order of finding; `found` is all of it, best members first.

    It searches and judges only as far as you look. Going through it again gives the same members. For one thread at a
    time. If something goes wrong, whoever looks gets the error, each time.
    """

    def __init__(self, sought: Sought, stream: Generator[Member, None, Found]) -> None:
        self._sought = sought
        self._stream = stream
        self._given: list[Member] = []
        self._found: Found | None = None
        self._failed: Exception | None = None

    @property
    def query(self) -> str:
        """What was asked."""
        return self._sought.query.text

    @property
    def expression(self) -> Expression:
        """How it is understood; known before anything is searched."""
        return self._sought.expression

    @property
    def alternatives(self) -> tuple[tuple[Expression, float], ...]:
        """How else it could be understood, with the probability of each; likeliest first."""
        return self._sought.alternatives

    @property
    def among(self) -> Filter:
        """What alone is looked at, as it was chosen, or as the query names or means it."""
        return self._sought.filter

    @property
    def found(self) -> Found:
        """The whole set and how it came about; waits for it."""
        while self._found is None:
            self._go_on()
        return self._found

    def __iter__(self) -> Iterator[Member]:
        number = 0
        while True:
            while number < len(self._given):
                yield self._given[number]
                number += 1
            if self._found is not None:
                return
            self._go_on()

    def __len__(self) -> int:
        """How many members are given; waits for them."""
        return len(self.found.members)

    def _repr_html_(self) -> str:
        return self.found._repr_html_()

    def _go_on(self) -> None:
        if self._failed:
            raise self._failed
        try:
            self._given.append(next(self._stream))
        except StopIteration as end:
            self._found = end.value
        except Exception as error:
            self._failed = error
            raise
