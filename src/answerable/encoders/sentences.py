"""The encoder of sentences in their paragraphs without torch: int8 ONNX, from a folder that has learned to walk.

Made by `answerable.training.experts`; what it computes is `training.documents.model.GlobalEncoder`, of rows laid out
the same way: `[CLS] headings . sentence sentence ... [SEP]`, with a global token for each sentence (DocHopper, 3.1,
3.2). Every token attends to every token and to the global one of its sentence; a sentence's global token to that
sentence's tokens and to the other global tokens (ETC's pattern), a dummy's to all tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import WordPieces, pad, plan_batches
from answerable.errors import ModelError

WINDOW = 256
"""Tokens read together; a longer paragraph is read by windows of whole sentences, each under the same headings."""
LONGEST, HEADING = 160, 64
"""Tokens of a sentence that are read, and of the headings."""
HOPS = 3
"""The most dummies of a question: with the question itself that makes four steps."""
NOWHERE = -1
"""What a token that is of no sentence belongs to."""


class Role(IntEnum):
    """What a global token stands for; each has a vector of its own to begin with."""

    NONE = 0
    """Padding."""
    SENTENCE = 1
    """A sentence of a document."""
    WHOLE = 2
    """The null sentence of a paragraph, which sees all of it (appendix A.2)."""
    ASKED = 3
    """A sentence of a question, or a turn of a conversation."""
    SECOND = 4
    """Dummy questions, which see all of the question (equation 2): one for each further hop."""
    THIRD = 5
    FOURTH = 6


@dataclass(frozen=True, slots=True)
class Laid:
    """Token ids; for each the number of the global token whose sentence it is in, or `NOWHERE`; the globals' roles."""

    ids: tuple[int, ...]
    belongs: tuple[int, ...]
    roles: tuple[Role, ...]


class SentenceLayout(WordPieces):
    """Lays sentences out with a WordPiece tokenizer, in at most `most` tokens together."""

    def __init__(self, path: Path, most: int = WINDOW) -> None:
        """Load a `tokenizer.json`. Raises `ModelError` when it is not one of a BERT model."""
        super().__init__(path)
        self._most = most

    def paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[list[Laid]]:
        """(headings, sentences) of each paragraph as its windows. Every sentence is in one window.

        The last global token of a window is that of the null sentence.
        """
        tokens = iter(self._tokens([text for head, sentences in paragraphs for text in (head, *sentences)]))
        found = []
        for _, sentences in paragraphs:
            opening = next(tokens)[:HEADING]
            found.append(self._windows(opening, [next(tokens) for _ in sentences]))
        return found

    def asked(self, questions: Sequence[tuple[Sequence[str], int]]) -> list[Laid]:
        """(sentences, dummies) of each question. What does not fit is cut from the longest sentences."""
        tokens = iter(self._tokens([text for sentences, _ in questions for text in sentences]))
        dummies = (Role.SECOND, Role.THIRD, Role.FOURTH)
        laid = []
        for sentences, nulls in questions:
            parts = [next(tokens) for _ in sentences]
            room = max(1, (self._most - 2) // max(1, len(parts)))
            if sum(map(len, parts)) > self._most - 2:
                parts = [part[:room] for part in parts]
            laid.append(self._lay([], parts, Role.ASKED, dummies[:nulls]))
        return laid

    def _windows(self, opening: list[int], sentences: list[list[int]]) -> list[Laid]:
        room = self._most - 2 - len(opening)
        windows: list[list[list[int]]] = [[]]
        for whole in sentences:
            sentence = whole[: min(LONGEST, room)]
            if windows[-1] and sum(map(len, windows[-1])) + len(sentence) > room:
                windows.append([])
            windows[-1].append(sentence)
        return [self._lay(opening, window, Role.SENTENCE, (Role.WHOLE,)) for window in windows]

    def _lay(self, opening: list[int], parts: list[list[int]], role: Role, further: Sequence[Role]) -> Laid:
        ids, belongs = [self._begin, *opening], [NOWHERE] * (1 + len(opening))
        for number, part in enumerate(parts):
            ids += part
            belongs += [number] * len(part)
        return Laid((*ids, self._end), (*belongs, NOWHERE), (*[role] * len(parts), *further))

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in self._encode(texts, LONGEST)]


def feeding(rows: Sequence[Laid]) -> Feed:
    """Rows as one padded batch: `ids`, `mask` and `belongs` (b, n), `roles` (b, g), all int64."""
    ids, mask = pad([row.ids for row in rows])
    belongs = np.full_like(ids, NOWHERE)
    roles = np.zeros((len(rows), max(len(row.roles) for row in rows)), np.int64)
    for number, row in enumerate(rows):
        belongs[number, : len(row.belongs)] = row.belongs
        roles[number, : len(row.roles)] = row.roles
    return {"ids": ids, "mask": mask, "belongs": belongs, "roles": roles}


GRAPH, WALK = "navigate.onnx", "walk.npz"
"""The graph of global tokens, and what the walk has learned besides; in a folder that has them."""
BATCH_TOKENS = 1024
"""As for passages: what fits a processor's cache."""


class SentenceEncoder:
    """A `Navigator` from a folder that `export_navigation` wrote."""

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """A model that runs on `threads` processors (0: all). Raises `ModelError` for a folder that does not walk, and
        when it is first used for one that is damaged."""
        if not walks(shipped):
            raise ModelError(f"the model in {shipped.folder} does not walk documents", hint="use skills, which ships")
        self._shipped, self._threads = shipped, threads
        with opening(shipped):
            self._layout = SentenceLayout(shipped.file("tokenizer.json"), int(shipped.about["navigate"]["tokens"]))
            self.dimension = int(shipped.about["dimension"])
            self.name = str(shipped.about["navigate"]["name"])

    @cached_property
    def _session(self) -> Session:
        """The model, opened when something is first encoded: most documents are read without it."""
        with opening(self._shipped):
            return Session(self._shipped.file(GRAPH), self._threads)

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """(headings, sentences) of each paragraph to ((n, dimension), (dimension,)) float32 of length 1.

        A long paragraph is read by windows; its whole is the mean of theirs.
        """
        found: list[tuple[Vectors, Vectors]] = []
        for begin in range(0, len(paragraphs), _AT_ONCE):
            windows = self._layout.paragraphs(paragraphs[begin : begin + _AT_ONCE])
            rows = iter(self._run([row for paragraph in windows for row in paragraph]))
            for paragraph in windows:
                mine = [next(rows) for _ in paragraph]
                whole = np.sum([one[-1] for one in mine], axis=0)
                found.append((np.concatenate([one[:-1] for one in mine]), whole / max(1e-12, np.linalg.norm(whole))))
        return found

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """(n + nulls, dimension) float32 of length 1: a question of n sentences, then its dummies."""
        return self._run(self._layout.asked([(sentences, nulls)]))[0]

    def _run(self, rows: Sequence[Laid]) -> list[Vectors]:
        """(globals, dimension) of each row."""
        plan = plan_batches([len(row.ids) for row in rows], BATCH_TOKENS)
        feeds = [feeding([rows[i] for i in batch]) for batch in plan]
        found: dict[int, Vectors] = {}
        for batch, (vectors,) in zip(plan, self._session.run_all(feeds), strict=True):
            found |= {i: vectors[place, : len(rows[i].roles)] for place, i in enumerate(batch)}
        return [found[i] for i in range(len(rows))]


_AT_ONCE = 2048
"""Paragraphs encoded together: bounds what is in memory, and is part of how batches are made."""


def walks(shipped: Shipped) -> bool:
    """Whether a folder of weights can walk documents."""
    return {GRAPH, WALK} <= set(shipped.about["files"])
