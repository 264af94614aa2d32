"""Documents for a whole query, by words, by vectors or by both: what a classifier looks at, and a system of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from answerable.engine import OWNER, Engine, checked_question
from answerable.evaluation.sets.systems import Proposed
from answerable.indexes.index import Mode
from answerable.privacy.flow import first_query
from answerable.sets.expression import Expression
from answerable.types import Document, Hit, Passage, Privacy, Skill

MOST = 1000
"""So many documents are ranked: as far as the paper's table 4 looks."""
_PASSAGES = 2  # passages asked for, for each document wanted, at first


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents, each at the best of its passages, best first; and the seconds that the search took."""

    hits: tuple[Hit, ...]
    seconds: float


class Candidates:
    """Ranks the documents of a workspace for a query as it stands, in any mode, under its privacy.

    Remembers what it said to the last query, so that systems asked the same one after another search once.
    """

    def __init__(self, engine: Engine, privacy: Privacy) -> None:
        self._retriever, self._taught = engine.retriever.under(privacy), engine.taught
        self._document = engine.find
        self._last: dict[tuple[str, Mode, int], Ranked] = {}
        self.encoder = engine.retriever.encoder.name

    def ranked(self, query: str, mode: Mode, most: int) -> Ranked:
        """The `most` best documents: more and more passages are asked for until there are as many, or no more.

        Raises `UsageError` for a query that cannot be asked, as `Engine.ask` does.
        """
        key = (query, mode, most)
        if not any(query == asked for asked, _, _ in self._last):
            self._last.clear()
        if key not in self._last:
            self._last[key] = self._search(query, mode, most)
        return self._last[key]

    def document(self, passage: Passage) -> Document | None:
        """The stored document of a passage; None for one that is gone."""
        return self._document(passage)

    def _search(self, text: str, mode: Mode, most: int) -> Ranked:
        began = time.perf_counter()
        door = replace(self._retriever, settings=replace(self._retriever.settings, mode=mode), modes={}).remembering()
        asked = first_query(checked_question(text), OWNER, door.privacy, door.enclaves)
        query, wanted = self._taught.asked(asked, door.enclaves), _PASSAGES * most
        while True:
            hops = door.search(query, Skill.SINGLE, wanted)
            hits = sorted((hit for hop in hops for hit in hop.hits), key=lambda hit: (-hit.score, hit.passage.id))
            best: dict[tuple[str, str], Hit] = {}
            for hit in hits:
                best.setdefault((hit.passage.enclave, hit.passage.document_id), hit)
            if len(best) >= most or all(len(hop.hits) < wanted for hop in hops):
                return Ranked(tuple(best.values())[:most], time.perf_counter() - began)
            wanted *= 2


class Retrieving:
    """A retriever alone: it ranks, and gives no set (the paper's table 4)."""

    gives = False

    def __init__(self, name: str, candidates: Candidates, mode: Mode, most: int = MOST) -> None:
        self.name = name
        self._candidates, self._mode, self._most = candidates, mode, most
        self.settings: Mapping[str, Any] = {"mode": mode, "documents": most}
        self.models: Mapping[str, str] = {} if mode == "lexical" else {"encoder": candidates.encoder}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See the class."""
        found = self._candidates.ranked(query, self._mode, self._most)
        return Proposed(tuple(hit.passage.document_id for hit in found.hits), parts={"search": found.seconds})
