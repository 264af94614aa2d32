"""The questions of an evaluation: all of a file, or a fixed sample of it, read one at a time as often as needed."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.errors import UsageError


@dataclass(frozen=True, slots=True)
class Data:
    """A file or folder of questions. `form`: its format, None to recognise it; `limit`: questions to draw with `seed`.

    A sample keeps the order of the data.
    """

    path: Path
    form: str | None = None
    limit: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"the limit is {self.limit}", hint="evaluate at least one question")

    def survey(self) -> Survey:
        """Count the questions and tell what they come with. Raises `UsageError` when there are none."""
        total = sum(1 for _ in load(self.path, self.form))
        chosen = self._chosen(total)
        digest, counts = hashlib.sha256(), [0, 0, 0, 0]
        for example in self._drawn(chosen):
            told = [example.id, example.question, example.answers, example.supporting, example.facts, example.passages]
            digest.update(json.dumps([*told, example.meta], sort_keys=True, default=repr).encode())
            there = (True, bool(example.answers), bool(example.supporting), bool(example.passages))
            counts = [count + one for count, one in zip(counts, there, strict=True)]
        if not counts[0]:
            raise UsageError(f"{self.path} holds no question")
        about = {"name": self.path.name, "digest": digest.hexdigest(), "questions": counts[0], "of": total}
        drawn = {} if chosen is None else {"limit": self.limit, "seed": self.seed}
        return Survey(self, chosen, {**about, **drawn}, *counts)

    def _chosen(self, total: int) -> frozenset[int] | None:
        """Numbers, from 0, of the questions drawn; None for all."""
        if self.limit is None or self.limit >= total:
            return None
        return frozenset(random.Random(self.seed).sample(range(total), self.limit))

    def _drawn(self, chosen: frozenset[int] | None) -> Iterator[Example]:
        for number, example in enumerate(load(self.path, self.form)):
            if chosen is None or number in chosen:
                yield example


@dataclass(frozen=True, slots=True)
class Survey:
    """Data that has been looked through once: `about` for the header, and how many questions have what."""

    data: Data
    chosen: frozenset[int] | None
    about: dict[str, Any]
    questions: int
    answered: int
    supported: int
    given: int

    def examples(self) -> Iterator[Example]:
        """The questions drawn, in the order of the data, read from the file one at a time."""
        return self.data._drawn(self.chosen)
