"""The paper's systems: a retriever brings candidates, a classifier keeps those that fit the whole query.

    for each of the k best documents:  p = judge(query, text of the document)
    set = documents with p at or above one threshold for all queries, tuned on queries set apart for it

The paper reads the first 512 tokens of a document; by overlapping pieces, a document counts as its best piece.

Source: Malaviya et al. 2023, sections 4.3 and 5 and figure 3.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answerable.errors import UsageError
from answerable.evaluation.names import Part
from answerable.evaluation.sets.systems import Candidates, Proposed
from answerable.indexes.index import Mode
from answerable.sets.expression import Expression
from answerable.sets.judge import Floats, Judge

TOKENS = 512
"""Of a document that are read at once (appendix A)."""
CANDIDATES = 100


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """`mode`: how candidates are ranked; `candidates`: how many are read; `part`: how much of each, by `tokens`."""

    mode: Mode = "lexical"
    candidates: int = CANDIDATES
    part: Part = Part.FIRST
    tokens: int = TOKENS

    def __post_init__(self) -> None:
        if self.candidates < 1 or self.tokens < 2:
            raise UsageError(f"{self.candidates} candidates of {self.tokens} tokens", hint="at least 1 of 2 tokens")


class Pieces:
    """Cuts texts by the shipped tokenizer's tokens, about as many as any English subword model makes of them."""

    def __init__(self, path: Path) -> None:
        """`path`: a `tokenizer.json`."""
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def of(self, text: str, tokens: int, part: Part) -> list[str]:
        """The first `tokens` of a text, or all of it in pieces of so many, each beginning in the middle of the last."""
        clean = text.encode("utf-8", "replace").decode()
        return [clean[start:end] for start, end in self.spans(clean, tokens, part)]

    def spans(self, text: str, tokens: int, part: Part) -> list[tuple[int, int]]:
        """The characters [start, end) of each piece, in order, at least one; every token stands in one with `ALL`."""
        places = self._tokenizer.encode(text, add_special_tokens=False).offsets
        if len(places) <= tokens:
            return [(0, len(text))]
        if part is Part.FIRST:
            return [(0, places[tokens - 1][1])]
        step = tokens // 2
        starts = range(0, len(places) - tokens + step, step)
        return [(places[at][0], places[min(at + tokens, len(places)) - 1][1]) for at in starts]


class Classifying:
    """A retriever and a classifier. Without a `threshold` it gives no set: such runs are what one is tuned on."""

    name = "classifier"

    def __init__(
        self,
        candidates: Candidates,
        judge: Judge,
        pieces: Pieces,
        settings: ClassifierSettings = ClassifierSettings(),
        threshold: float | None = None,
    ) -> None:
        self._candidates, self._judge, self._pieces = candidates, judge, pieces
        self._how, self._threshold = settings, threshold
        self.gives = threshold is not None
        self.settings: Mapping[str, Any] = {**described(settings), "threshold": threshold}
        encoder = {} if settings.mode == "lexical" else {"encoder": candidates.encoder}
        self.models: Mapping[str, str] = {"judge": judge.name, **encoder}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """Candidates by their probability, ties as they were retrieved."""
        found = self._candidates.ranked(query, self._how.mode, self._how.candidates)
        began = time.perf_counter()
        documents, texts, owners = [], [], []
        for number, hit in enumerate(found.hits):
            passage = hit.passage
            stored = self._candidates.document(passage)
            title, text = (stored.title, stored.text) if stored else (passage.title, passage.text)
            documents.append(passage.document_id)
            for piece in self._pieces.of(text, self._how.tokens, self._how.part):
                texts.append((title, piece))
                owners.append(number)
        fits = best_piece(self._judge.judge([query], texts)[:, 0] if texts else np.zeros(0, np.float32), owners)
        order = np.argsort(-fits, kind="stable").tolist()
        judged = tuple((documents[i], float(fits[i])) for i in order)
        parts = {"search": found.seconds, "judge": time.perf_counter() - began}
        chosen = None if self._threshold is None else tuple(id for id, p in judged if p >= self._threshold)
        return Proposed(tuple(id for id, _ in judged), chosen, judged, parts=parts)


def best_piece(fits: Floats, owners: Sequence[int]) -> Floats:
    """(documents,) float32: the greatest of each document's pieces; `owners` says of each piece whose it is."""
    best = np.zeros(max(owners, default=-1) + 1, np.float32)
    np.maximum.at(best, np.asarray(owners, np.int64), fits)
    return best


def described(settings: ClassifierSettings) -> dict[str, Any]:
    """For a run's header, and for what a threshold was tuned with."""
    return {
        "mode": settings.mode,
        "candidates": settings.candidates,
        "part": settings.part.value,
        "tokens": settings.tokens,
    }
