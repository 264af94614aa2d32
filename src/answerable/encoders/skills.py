"""The modular encoder without torch: int8 ONNX, a graph for each expert, all reading one file of weights.

Made by `answerable.training.export`; the skills are those of Chain-of-Skills (Ma et al. 2023, section 3.1).
An expert's graph is opened when it is first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Asked, Passages, Span, Vectors
from answerable.encoders.segments import TOKENS, Row, Segments
from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import Shipped, open_shipped, opening
from answerable.encoders.wordpieces import PASSAGE_TOKENS, pad, plan_batches, slices
from answerable.errors import ModelError
from answerable.types import Skill

BATCH_TOKENS = 256
"""Passages of a usual length go alone, and short ones together: batches of 1,024 tokens take a tenth longer, and
leave a vector depending on more other texts."""
LONGEST_NAME = 10
"""Tokens of the longest span proposed (section 3.1)."""


class ModularEncoder:
    """Vectors for every skill, and reranking and span scores, from a folder that `export_skills` wrote."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        """Open the model in `folder` on `threads` processors (0: all).

        Raises `ModelError` when it is missing or damaged, or is another kind of model.
        """
        shipped = open_shipped(folder)
        self.shipped: Shipped = shipped
        self.name = shipped.name
        try:
            self.dimension = int(shipped.about["dimension"])
            given = shipped.about["routing"]
            judging = given["rerank"]
            older = {"read": judging, "navigate": given["passage"], "fit": judging, "match": given["single"]}
            routing = {**older, **given}  # what a model does not do falls to what is nearest
            self._experts = {skill: str(routing[skill.value]) for skill in Skill}
            self._mean, self._scaled = shipped.about["pooling"] == "mean", bool(shipped.about["unit"])
            self._most = min(TOKENS, int(shipped.about["tokens"]))
            self._below = float(shipped.about.get("proposing", 0.0))
        except KeyError as error:
            raise ModelError(f"the model in {folder} is not one of skills", hint="export it again") from error
        self.segments = Segments(shipped.file("tokenizer.json"))
        with np.load(shipped.file("spans.npz")) as spans:
            self._anchor, self._span = spans["anchor"], spans["span"]
        self._threads = threads
        self._sessions: dict[str, Session] = {}
        self._lock = Lock()

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """(dimension,) float32 for one query of `skill`; with `passages`, the query expanded by them.

        As a mention the whole text is the span; a passage or an entity has no title here.
        """
        vector: Vectors = self.encode_queries([(text, skill, passages)])[0]
        return vector

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """(n, dimension) float32: each as `encode_query` gives it, each a batch of its own."""
        out = np.empty((len(queries), self.dimension), np.float32)
        side_by_side: dict[Skill, list[int]] = {}
        for i, (text, skill, _) in enumerate(queries):
            offsets = self.segments.words(text, self._most)[1] if skill is Skill.MENTION else []
            if offsets:
                out[i] = self.encode_mentions(text, [(0, offsets[-1][1])])[0]
            else:
                side_by_side.setdefault(skill, []).append(i)
        for skill, which in side_by_side.items():
            passages = [() if skill is Skill.MENTION else queries[i][2] for i in which]
            texts = [queries[i][0] for i in which]
            rows = self.segments.joined([*zip(texts, passages, strict=True)], self._most)
            feeds = [_feed([row]) for row in rows]
            for i, feed, (hidden,) in zip(which, feeds, self._session(skill).run_all(feeds), strict=True):
                out[i] = self._comparable(self._pool(hidden, feed["mask"]))[0]
        return out

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 rows of the first 192 tokens of `title. text`, to be found by questions, in order."""
        return self.described(texts, Skill.PASSAGE)

    def encode_entities(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 rows of the first 192 tokens of `title. text`, to be found by mentions, in order."""
        return self.described(texts, Skill.ENTITY)

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        """(n, dimension) float32: a vector for each span of `text`, in characters [start, end) (equation 4).

        All spans are read in one pass where the text fits into 256 tokens; the others in a window around each. A span
        that holds no token has the vector of [CLS].
        """
        out = np.zeros((len(spans), self.dimension), np.float32)
        if not spans:
            return out
        (together,) = self.segments.spans([(text, spans)], self._most)
        if len(together.ids) < self._most:
            rows = [(together, range(len(spans)))]
        else:
            alone = self.segments.spans([(text, [span]) for span in spans], self._most)
            rows = [(row, range(i, i + 1)) for i, row in enumerate(alone)]
        for row, which in rows:
            hidden = self._run(Skill.MENTION, [row])[0]
            for i, (first, last) in zip(which, row.places, strict=True):
                out[i] = (hidden[first] + hidden[last]) / 2
        return self._comparable(out)

    def rerank(self, question: str, passages: Passages) -> Vectors:
        """(n,) float32: for each passage the score of being what the question needs (equation 5), higher is better.

        Passages are read one at a time with the question, so that no score depends on another passage.
        """
        rows = self.segments.joined([(question, [passage]) for passage in passages], self._most)
        found = self._session(Skill.RERANK).run_all([_feed([row]) for row in rows]) if rows else []
        ends = [(hidden[0, 0], hidden[0, row.places[0][1]]) for (hidden,), row in zip(found, rows, strict=True)]
        return np.array([cls @ sep for cls, sep in ends], np.float32)

    def token_vectors(self, rows: Sequence[Row], skill: Skill) -> list[Vectors]:
        """For each row (tokens, width) float32: its tokens as the expert of `skill` leaves them; each is read alone."""
        found = self._session(skill).run_all([_feed([row]) for row in rows]) if rows else []
        return [hidden[0] for (hidden,) in found]

    def propose(self, text: str) -> list[tuple[Span, float]]:
        """Spans of the first 256 tokens of `text` that name something, in order, none overlapping another.

        Each is characters [start, end) with how far its score is above the text's own threshold, that of [CLS]
        (section 3.1), less what the manifest says of `proposing`: by so much the threshold was too high on development
        data. Of overlapping spans the highest is kept. Spans begin and end with whole words.
        """
        row, offsets = self.segments.words(text, self._most)
        hidden = self._run(Skill.PROPOSE, [row])[0]
        threshold = float(hidden[0] @ self._anchor) - self._below
        width = self.dimension
        firsts, lasts = hidden @ self._span[:, :width].T, hidden @ self._span[:, width:].T
        begins = [self.segments.begins_word(token) for token in row.ids[1:-1]]
        ends = [*begins[1:], True]
        scored = []
        for first in (i for i, begin in enumerate(begins) if begin):
            reach = [i for i in range(first, min(first + LONGEST_NAME, len(begins))) if ends[i]]
            scores = np.tanh(firsts[first + 1] + lasts[[i + 1 for i in reach]]) @ self._anchor - threshold
            scored += [(float(score), first, last) for last, score in zip(reach, scores, strict=True) if score > 0]
        kept: list[tuple[float, int, int]] = []
        for score, first, last in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
            if all(last < a or first > b for _, a, b in kept):
                kept.append((score, first, last))
        return [((offsets[a][0], offsets[b][1]), score) for score, a, b in sorted(kept, key=lambda one: one[1])]

    def described(self, texts: Passages, skill: Skill) -> Vectors:
        """(n, dimension) float32 rows of the first 192 tokens of `title. text` by any skill's expert, in order."""
        out = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for part in slices(texts):
            rows = self.segments.passages(part, min(PASSAGE_TOKENS, self._most))
            plan = plan_batches([len(row.ids) for row in rows], BATCH_TOKENS)
            feeds = [_feed([rows[i] for i in batch]) for batch in plan]
            for batch, feed, (hidden,) in zip(plan, feeds, self._session(skill).run_all(feeds), strict=True):
                out[[done + i for i in batch]] = self._comparable(self._pool(hidden, feed["mask"]))
            done += len(part)
        return out

    def _pool(self, hidden: Vectors, mask: NDArray[np.int64]) -> Vectors:
        if not self._mean:
            return hidden[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        pooled: Vectors = (hidden * weight).sum(1) / weight.sum(1)
        return pooled

    def _comparable(self, vectors: Vectors) -> Vectors:
        if not self._scaled:
            return vectors
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def _run(self, skill: Skill, rows: list[Row]) -> Vectors:
        hidden: Vectors = self._session(skill).run(_feed(rows))[0]
        return hidden

    def _session(self, skill: Skill) -> Session:
        expert = self._experts[skill]
        with self._lock:
            if expert not in self._sessions:
                with opening(self.shipped):
                    self._sessions[expert] = Session(self.shipped.file(f"{expert}.onnx"), self._threads)
            return self._sessions[expert]


def _feed(rows: Sequence[Row]) -> Feed:
    ids, mask = pad([row.ids for row in rows])
    return {"ids": ids, "mask": mask}
