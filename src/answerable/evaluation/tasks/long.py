"""The questions of long documents as those of an evaluation, and their documents, each opened once for all systems."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.documents.encoded import open_book
from answerable.documents.reader import Shelved, shelved
from answerable.encoders.encoder import Navigator
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.load import load

Drawn = tuple[tuple[LongDocument, tuple[LongQuestion, ...]], ...]


@dataclass(frozen=True, slots=True)
class LongSurvey:
    """A data set's part in memory: its documents, each with the questions that were drawn of it."""

    documents: Drawn
    about: dict[str, Any]

    @property
    def questions(self) -> int:
        """How many there are."""
        return sum(len(asked) for _, asked in self.documents)

    def examples(self) -> Iterator[Example]:
        """The questions, document by document. Meta: `document` and `asked`, as they were loaded."""
        for document, asked in self.documents:
            for one in asked:
                meta = {"document": document, "asked": one}
                yield Example(one.id, one.text, one.answers, (document.document.id,), kind=one.kind, meta=meta)


def survey(
    data: Path,
    name: str,
    part: str,
    wanted: Callable[[LongQuestion], bool],
    limit: int | None = None,
    seed: int = 0,
) -> LongSurvey:
    """The questions of a data set's part that are `wanted`, or `limit` of them drawn with `seed`; order is kept.

    Raises `UsageError` for a name or a part that is not there, and when no question is left.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"the limit is {limit}", hint="evaluate at least one question")
    every = [(one, tuple(filter(wanted, one.questions))) for one in load(data, name, part)]
    total = sum(len(asked) for _, asked in every)
    drawn = {} if limit is None or limit >= total else {"limit": limit, "seed": seed}
    chosen = set(random.Random(seed).sample(range(total), limit)) if limit and drawn else set(range(total))
    digest = hashlib.sha256()
    documents = []
    number = 0
    for one, asked in every:
        kept = tuple(question for i, question in enumerate(asked, start=number) if i in chosen)
        number += len(asked)
        if kept:
            documents.append((one, kept))
            told = [one.document.id, one.document.text, [(q.id, q.text, q.answers, q.hops) for q in kept]]
            digest.update(json.dumps(told).encode())
    if not documents:
        raise UsageError(f"the part `{part}` of {name} holds no question for this task", hint="name another --set")
    about = {"name": name, "part": part, "digest": digest.hexdigest(), "questions": len(chosen), "of": total}
    return LongSurvey(tuple(documents), {**about, **drawn})


class Shelves:
    """Opens documents with an encoder of sentences; the last one stays open, since its questions follow one another."""

    def __init__(self, navigator: Navigator) -> None:
        self._navigator = navigator
        self._last: tuple[LongDocument, Shelved, float] | None = None

    def open(self, one: LongDocument) -> tuple[Shelved, float]:
        """The document ready to be asked, and the seconds that encoding its sentences took."""
        if self._last is None or self._last[0] is not one:
            began = time.perf_counter()
            book = open_book(one.document, one.paragraphs, self._navigator)
            took = time.perf_counter() - began
            self._last = one, shelved(book), took
        return self._last[1], self._last[2]
