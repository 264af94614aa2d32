"""The gold of evaluation: a question with its answers and what supports them.

Gold lives in `answerable.evaluation` and what imports it (training). The rooms that answer questions lie below and
cannot import it, so that an answer can never be read off its own gold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """One question of a data set, with its gold.

    `answers` are alternatives, in the data set's order and without repeats; none means that the question has no
    answer in the text it was asked of (or, in judged searches, that nobody wrote one). For a question whose answer is a
    set (QUEST), `answers` is the whole set and `meta["set"]` is true. `supporting` are ids of the documents or passages
    that hold the answer or a step to it, in order where the data set orders them; `facts` are (title, number of the
    sentence, from 0). `kind` is the data set's own word for the sort of question. `passages` are (title, text) given
    with the question. `meta` holds what only some data sets have; each loader lists its keys.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    supporting: tuple[str, ...] = ()
    facts: tuple[tuple[str, int], ...] = ()
    kind: str = ""
    passages: tuple[tuple[str, str], ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)
