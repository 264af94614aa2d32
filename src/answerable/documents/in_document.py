"""Where chains of an ask end in a long document: on through it by a walk, to be read with the rest.

All searching is over by then and nothing is sent: a walk is sums over vectors that lie here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answerable.documents.reader import Guide, Shelved
from answerable.types import Chain, Passage

MOST = 2
"""Documents that one ask walks."""
FindShelf = Callable[[Passage], Shelved | None]
"""The long document that a passage was cut from, made ready for walking; None where it is not."""


@dataclass(frozen=True, slots=True)
class Inside:
    """Walks the documents that `find` knows of."""

    guide: Guide
    find: FindShelf

    def further(self, question: str, chains: Sequence[Chain]) -> list[Chain]:
        """The chains, best first, each of the first to end in a long document followed by what the walk found there.

        What was found stands in place of the chain's last hit, under its label, which is that of all hits together.
        """
        made: list[Chain] = []
        known = {chain.key for chain in chains}
        looked_at: set[tuple[str, str]] = set()
        walks = 0
        for chain in chains:
            made.append(chain)
            if not chain.hits or walks == MOST:
                continue
            place = (chain.hits[-1].passage.enclave, chain.hits[-1].passage.document_id)
            shelf = None if place in looked_at else self.find(chain.hits[-1].passage)
            looked_at.add(place)
            if shelf is not None:
                walks += 1
                made += [one for one in self._onward(question, chain, shelf) if one.key not in known]
        return made

    def _onward(self, question: str, chain: Chain, shelf: Shelved) -> list[Chain]:
        walked = self.guide.walk(shelf, question)
        if walked is None:
            return []
        *before, last = chain.hits
        windows = self.guide.chains(shelf.book, walked, last.label)
        return [Chain((*before, *one.hits), chain.score + one.score, chain.label | last.label) for one in windows]
