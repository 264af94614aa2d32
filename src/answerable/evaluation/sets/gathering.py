"""The documents that `Workspace.find` would judge, as a ranking: what searching for each constraint brings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from answerable.engine import OWNER, Engine, checked_question
from answerable.evaluation.sets.finding import Understood, given_expression
from answerable.evaluation.sets.systems import Proposed
from answerable.privacy.flow import first_query
from answerable.sets.candidates import gather
from answerable.sets.expression import Expression
from answerable.sets.find_settings import FindSettings
from answerable.types import Privacy

Parse = Callable[[str], Sequence[tuple[Expression, float]]]
_SETTINGS = ("whole", "each")


class Gathering:
    """`sets.candidates` alone: it ranks, and gives no set. Beside the retrievers it shows what taking apart finds."""

    name = "candidates"
    gives = False

    def __init__(
        self, engine: Engine, privacy: Privacy, parse: Parse, understood: Understood, settings: FindSettings
    ) -> None:
        self._door, self._taught = engine.retriever.under(privacy), engine.taught
        self._parse, self._understood, self._how = parse, understood, settings
        used = {name: value for name, value in asdict(settings).items() if name in _SETTINGS}
        self.settings: Mapping[str, Any] = {
            "expression": understood.value,
            "mode": engine.retriever.settings.mode,
            **used,
        }
        self.models: Mapping[str, str] = {"encoder": engine.retriever.encoder.name}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See `SetSystem`."""
        began = time.perf_counter()
        given = given_expression(self._understood, query, meant)
        expression = self._parse(query)[0][0] if given is None else given
        parsed = time.perf_counter()
        door, table = self._door, self._door.enclaves
        asked = self._taught.asked(first_query(checked_question(query), OWNER, door.privacy, table), table)
        found = [one for part in gather(asked, expression, door, self._how) for one in part.prospects]
        ids = tuple(dict.fromkeys(one.document for one in found))
        parts = {"parse": parsed - began, "search": time.perf_counter() - parsed}
        return Proposed(ids, expression=expression, parts=parts)
