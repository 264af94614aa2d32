"""Small heads beside the frozen encoder of skills: which passages are worth asking about, and which spans answer.

The selector scores the vector by which the encoder lets a passage be found with an MLP (PAQ, section 3.1 and appendix
A.2). The extractor takes the vectors of a span's first and last token side by side, through an MLP, and a softmax over
all spans of the passage (section 3.2, after Alberti et al. 2019). Beside them stand marks of what the encoder, which
reads lower-case text, cannot see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.choose import SHIPPED
from answerable.encoders.segments import TOKENS, Row, Segments
from answerable.encoders.shipped import Shipped, open_shipped, seal, sha256
from answerable.encoders.skills import ModularEncoder
from answerable.encoders.wordpieces import passage_text
from answerable.errors import ModelError
from answerable.qapairs.generation.parts import Extracted
from answerable.types import Passage, Skill

Floats = NDArray[np.float32]
PAIRS = SHIPPED / "pairs"
"""The heads in the package."""


def open_head(folder: Path, file: str, encoder: str) -> tuple[Shipped, dict[str, Floats]]:
    """The manifest and the weights, as float32, of a head that was trained on the encoder of this name.

    Raises `ModelError` when it is missing or damaged, is another kind of head, or was trained on another encoder.
    """
    shipped = open_shipped(folder)
    trained_on = shipped.about.get("encoder")
    if trained_on != encoder:
        raise ModelError(
            f"the model in {folder} was trained on the encoder {trained_on}, and this one is {encoder}",
            hint="use the encoder it was trained on, or train it on this one with `answerable train`",
        )
    try:
        with np.load(shipped.file(file)) as held:
            return shipped, {name: held[name].astype(np.float32) for name in held.files}
    except (OSError, ValueError) as error:
        raise ModelError(f"the weights in {folder} cannot be read", hint="train the model again") from error


def save_head(folder: Path, file: str, task: str, weights: dict[str, Floats], about: dict[str, object]) -> Shipped:
    """Write a head's weights in float16 and its manifest; its name is `task` and the beginning of their SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    held = {name: value.astype(np.float16) for name, value in sorted(weights.items())}
    np.savez(folder / file, **held)  # type: ignore[arg-type]
    name = f"{task}-{sha256(folder / file)[:8]}"
    return seal(folder, name, [file], {"task": task, **about})


SELECTION = "selection.npz"


class PassageSelector:
    """How likely people are to ask about a passage, by the head in `folder` on an open encoder."""

    def __init__(self, encoder: ModularEncoder, folder: Path = PAIRS / "selection") -> None:
        """Raises `ModelError` as `open_head` does."""
        shipped, weights = open_head(folder, SELECTION, encoder.name)
        self.name = shipped.name
        self._encoder = encoder
        try:
            self._head = SelectionHead(weights)
            self._scale, self._shift = float(shipped.about["scale"]), float(shipped.about["shift"])
        except (KeyError, ValueError) as error:
            raise ModelError(f"the model in {folder} is no selector of passages", hint="train it again") from error

    def score(self, passages: Sequence[Passage]) -> list[float]:
        """A probability (0 to 1) for each passage, of its heading and its first 256 tokens; each is read alone.

        It is calibrated for pools of which one passage in five was asked about: what matters is the order.
        """
        if not passages:
            return []
        scores = self._head.scores(passage_vectors(self._encoder, [(one.heading, one.text) for one in passages]))
        logits = np.clip(self._scale * scores.astype(np.float64) + self._shift, -30, 30)
        return [float(value) for value in 1 / (1 + np.exp(-logits))]


def passage_vectors(encoder: ModularEncoder, texts: Sequence[tuple[str, str]]) -> Floats:
    """(n, width) float32: the vector of each (title, text) alone, so that it does not depend on its neighbours."""
    return encoder.encode_queries([(passage_text(*one), Skill.PASSAGE, ()) for one in texts])


class SelectionHead:
    """The MLP: `rise` (width, h) and `bias` (h,), a rectifier, and `out` (h,)."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        """Raises `KeyError` where weights are missing."""
        self.rise, self.bias, self.out = weights["rise"], weights["bias"], weights["out"]

    def scores(self, vectors: Floats) -> Floats:
        """(n, width) to (n,) float32; higher is better. Row by row: a row's score is the same in any company."""
        return np.array([np.maximum(one @ self.rise + self.bias, 0) @ self.out for one in vectors], np.float32)


LONGEST = 30
"""Tokens of the longest span (PAQ, section 3.2)."""
_MOST = 4096
"""Tokens of a passage that are read at all."""
_HEAD = 32
"""Tokens of a title that are read."""
_CLASSES = 7
MARKS = 3 * _CLASSES + 2
"""Marks of a token."""
_OPENING, _HYPHENS = frozenset("([{\"'“‘«`"), frozenset("-–—−/")
_NEVER_FIRST, _NEVER_LAST = frozenset(",.;:!?)]}%"), frozenset(",;:([{$€£!?-–—`“‘")


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive tokens of a passage, laid out to be read with its title.

    `row` is what the encoder reads; the passage's tokens stand in it from `first` on. `offsets` (n, 2) int64 are their
    characters in the passage, `begins` and `ends` (n,) bool which may begin or end an answer, and `marks` (n, MARKS)
    float32 what is seen of them.
    """

    row: Row
    first: int
    offsets: NDArray[np.int64]
    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    marks: NDArray[np.float32]


def windows(segments: Segments, title: str, text: str, most: int = TOKENS) -> list[Window]:
    """The windows of a passage, each of at most `most` tokens with the title; none of an empty passage.

    A window ends before a word where it can. A passage is read up to its 4,096th token.
    """
    head = list(segments.words(f"{title}.", _HEAD)[0].ids[1:-1]) if title.strip() else []
    row, offsets = segments.words(text, _MOST + 2)
    ids, room = row.ids[1:-1], most - 2 - len(head)
    # At the edge of a word, and no mark that no answer begins or ends with.
    may_begin = np.array([a < b and not _inside(text, a) and text[a] not in _NEVER_FIRST for a, b in offsets], bool)
    may_end = np.array([a < b and not _inside(text, b) and text[b - 1] not in _NEVER_LAST for a, b in offsets], bool)
    marks = _marks(text, offsets)
    found, begin = [], 0
    while begin < len(ids):
        end = min(begin + room, len(ids))
        if end < len(ids):
            end = next((i for i in range(end, begin + room // 2, -1) if may_begin[i]), end)
        kept = slice(begin, end)
        laid = Row((row.ids[0], *head, *ids[kept], row.ids[-1]))
        held = np.array(offsets[kept], np.int64)
        found.append(Window(laid, 1 + len(head), held, may_begin[kept], may_end[kept], marks[kept]))
        begin = end
    return found


def _inside(text: str, at: int) -> bool:
    """Whether a word goes on across a character's place."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _marks(text: str, offsets: list[tuple[int, int]]) -> NDArray[np.float32]:
    """(n, MARKS): the class of each token's first character and of its neighbours', whether all are capitals, and
    whether a sentence begins with it."""
    marks = np.zeros((len(offsets), MARKS), np.float32)
    classes = [_class(text[a:b]) for a, b in offsets]
    for i, (a, b) in enumerate(offsets):
        marks[i, classes[i]] = 1
        if i:
            marks[i, _CLASSES + classes[i - 1]] = 1
        if i + 1 < len(offsets):
            marks[i, 2 * _CLASSES + classes[i + 1]] = 1
        marks[i, -2] = b - a > 1 and text[a:b].isupper()
        marks[i, -1] = i == 0 or text[offsets[i - 1][0]] in ".!?"
    return marks


def _class(token: str) -> int:
    first = token[:1]
    if first.isalpha():
        return 0 if first.isupper() else 1
    if first.isdigit():
        return 2
    return 3 if first in _OPENING else 4 if first in _HYPHENS else 5 if first in ".!?" else 6


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
            out.append([Extracted(a, b, passage.text[a:b], p, self.name) for a, b, p in sorted(spans)])
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
            scores[begins[fits][allowed], d] = np.einsum("ij,j->i", np.maximum(pair, 0), self.out)
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
