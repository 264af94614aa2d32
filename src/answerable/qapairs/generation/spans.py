"""The learned answer extractor: how probable each span of a passage is as an answer, begin and end jointly.

PAQ, section 3.2, after Alberti et al. 2019: the vectors of a span's first and last token side by side, through an MLP
to one score, and a softmax over all spans of the passage. The first layer of a pair is a sum of one part for each end,
so that all spans cost two projections of the tokens and an addition each. The token vectors are those of an expert of
the encoder of skills, as it ships.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.qapairs.generation.heads import PAIRS, Floats, open_head
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.span_layout import LONGEST, Window, windows
from answerable.types import Passage, Skill

SPANS = "spans.npz"
SHARED = 0.5
"""Of two spans that share more than this part of the characters they cover together, only the likelier is kept."""


class SpanExtractor:
    """The likeliest answers of each passage by the head in `folder` on an open encoder."""

    def __init__(self, encoder: ModularEncoder, folder: Path = PAIRS / "spans", most: int = 8) -> None:
        """Give up to `most` spans of a passage. Raises `ModelError` as `open_head` does."""
        shipped, weights = open_head(folder, SPANS, encoder.name)
        self.name = shipped.name
        self._encoder, self._most = encoder, most
        try:
            self._skill = Skill(shipped.about["expert"])
            self._head = SpanHead(weights)
        except (KeyError, ValueError) as error:
            raise ModelError(f"the model in {folder} is no extractor of answers", hint="train it again") from error

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        """Up to `most` spans of each passage, by place; `score` is the probability among all its spans.

        They begin and end with whole words. Each passage is read alone, with its heading.
        """
        laid = [windows(self._encoder.segments, one.heading, one.text) for one in passages]
        hidden = iter(self._encoder.token_vectors([window.row for found in laid for window in found], self._skill))
        out = []
        for passage, found in zip(passages, laid, strict=True):
            scored = [self._head.scores(window, inside(window, next(hidden))) for window in found]
            spans = likeliest(found, scored, self._most)
            out.append([Extracted(a, b, passage.text[a:b], "", p, self.name) for a, b, p in sorted(spans)])
        return out


class SpanHead:
    """The MLP. `first`, `last` (width + MARKS, h) and `bias` (h,) are its first layer, `long` (LONGEST, h) adds what a
    span's length says, and `out` (h,) gives the score."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        """Raises `KeyError` where weights are missing."""
        self.first, self.last = weights["first"], weights["last"]
        self.long, self.bias, self.out = weights["long"], weights["bias"], weights["out"]

    def scores(self, window: Window, seen: Floats) -> Floats:
        """(n, LONGEST) float32: of the span from token i to token i + d at [i, d], -inf where none may stand.

        `seen` (n, width + MARKS) are the vectors of the window's tokens with their marks.
        """
        count = len(seen)
        scores = np.full((count, LONGEST), -np.inf, np.float32)
        begins, ends = np.flatnonzero(window.begins), window.ends
        first = seen[begins] @ self.first + self.bias
        last = seen @ self.last
        for d in range(min(LONGEST, count)):
            fits = begins + d < count
            reached = begins[fits] + d
            allowed = ends[reached]
            pair = first[fits][allowed] + last[reached[allowed]] + self.long[d]
            scores[begins[fits][allowed], d] = np.maximum(pair, 0) @ self.out
        return scores


def inside(window: Window, hidden: Floats) -> Floats:
    """(n, width + MARKS): the vectors of a window's tokens, of all that was read with it, and their marks."""
    count = len(window.offsets)
    return np.concatenate([hidden[window.first : window.first + count], window.marks], axis=1)


def likeliest(found: Sequence[Window], scored: Sequence[Floats], most: int) -> list[tuple[int, int, float]]:
    """The `most` likeliest spans (start, end, probability) with little overlap, likeliest first, ties by place.

    Probabilities are over all spans of all windows together.
    """
    placed = [np.nonzero(np.isfinite(scores)) for scores in scored]
    if not any(len(first) for first, _ in placed):
        return []
    flat = np.concatenate([scores[at] for scores, at in zip(scored, placed, strict=True)]).astype(np.float64)
    starts = np.concatenate([window.offsets[i, 0] for window, (i, _) in zip(found, placed, strict=True)])
    ends = np.concatenate([window.offsets[i + d, 1] for window, (i, d) in zip(found, placed, strict=True)])
    likely = np.exp(flat - flat.max())
    likely /= likely.sum()
    kept: list[tuple[int, int, float]] = []
    for at in np.lexsort((ends, starts, -flat)):
        if len(kept) == most:
            break
        start, end = int(starts[at]), int(ends[at])
        if all(_shared(start, end, a, b) <= SHARED for a, b, _ in kept):
            kept.append((start, end, float(likely[at])))
    return kept


def _shared(start: int, end: int, other_start: int, other_end: int) -> float:
    both = min(end, other_end) - max(start, other_start)
    return max(0, both) / (max(end, other_end) - min(start, other_start))
