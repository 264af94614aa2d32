"""A language model that makes no mistakes: what retrieval and the rules leave possible, whatever reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import answerable
from answerable.readers.asked import AskedReader, located
from answerable.types import Chain, Hit, Query
from everyday_corpora import Question
from everyday_scores import shown

SETTINGS = {
    "models.reader": "llm",
    "llm.endpoint": "http://127.0.0.1:9/v1",
    "llm.model": "perfect",
    "llm.beside": "overlap",
    "ask.threshold": 0.0,
}
"""With these a workspace is opened for it: nothing is asked at that address, and every answer it gives is given."""


@dataclass
class Perfect:
    """Says the accepted answer, with the gold quotes, where all of them stand in what it is sent, and else nothing.

    `row` is what is asked, `names` the source and id of each document of the workspace, `sent` what it is sent.
    """

    row: Question
    names: Mapping[str, Sequence[str]]
    sent: list[Hit] = field(default_factory=list)

    def reply(self, messages: Any, schema: Any, most: int) -> str:
        """As `readers.asked.Talks`."""
        if not self.row["answers"] or not self.knows():
            return '{"answer": []}'
        held = [(number, one.passage) for number, one in enumerate(self.sent, start=1)]
        quotes = [{"passage": n, "quote": gold["quote"]} for gold in self.row["gold"] for n, one in held
                  if located(one.text, gold["quote"])]  # fmt: skip
        whole = [{"passage": n, "quote": one.text} for n, one in held]
        return json.dumps({"answer": [{"text": self.row["answers"][0], "quotes": quotes or whole}]})

    def knows(self) -> bool:
        """Whether all gold quotes stand in what it was sent."""
        passages = [{"document": one.passage.document_id, "text": one.passage.text} for one in self.sent]
        return bool(self.row["gold"]) and shown(self.row, passages, self.names)


@dataclass(frozen=True)
class Telling(AskedReader):
    """Tells its model which passages it is sent."""

    def _numbered(self, query: Query, chains: Iterable[Chain]) -> list[tuple[Hit, Chain]]:
        found = super()._numbered(query, chains)
        assert isinstance(self.chat, Perfect)
        self.chat.sent = [hit for hit, _ in found]
        return found


def put_in(opened: answerable.Workspace, names: Mapping[str, Sequence[str]]) -> Perfect:
    """Have a workspace ask a perfect model; give it each `row` before it is asked."""
    engine = opened.engine()
    assert engine.asked is not None
    model = Perfect({}, names)
    opened._engine = replace(engine, asked=Telling(model, engine.asked.host, "the model", engine.asked.context))
    return model
