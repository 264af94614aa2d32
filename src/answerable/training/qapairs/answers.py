"""Paragraphs with everything that was asked for in them, and what stands where: the lessons of an answer extractor."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.datasets.parts import share
from answerable.encoders.skills import ModularEncoder
from answerable.errors import FormatError
from answerable.qapairs.generation.heads import LONGEST, Window, windows
from answerable.text import normalise_answer
from answerable.training.reading import squad
from answerable.types import Skill

FILES = {
    "squad": "squad/squad-train-part.json.gz",
    "nq": "nq/nq-train.json.gz",
    "squad-report": "squad/squad1.1.json.gz",
    "nq-report": "nq/nq-dev.json.gz",
}
"""The files of answers, by the names recipes use; those for the report are learned from by nobody."""
DEVELOPMENT = 0.1
"""The share of the articles kept for development."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A paragraph of an article. `spans`: characters of an answer to each question; `answers`: all its forms."""

    title: str
    text: str
    spans: tuple[tuple[int, int], ...]
    answers: tuple[tuple[str, ...], ...]

    @property
    def held(self) -> bool:
        """Whether its article is kept for development."""
        return share(self.title) < DEVELOPMENT


@dataclass(frozen=True, slots=True)
class SpanLesson:
    """A window with its tokens' vectors (all that is read with it included, float16), and its answers: at (i, d) the
    span from token i to token i + d."""

    window: Window
    hidden: NDArray[np.float16]
    answers: tuple[tuple[int, int], ...]


def answered(data: Path, source: str) -> list[Answered]:
    """The paragraphs of a source with their answers, in the order of the file. Raises `FormatError`."""
    if source not in FILES:
        raise FormatError(f"there is no source {source!r} of answers", hint=f"sources: {', '.join(sorted(FILES))}")
    found: dict[tuple[str, str], dict[str, tuple[tuple[int, int], tuple[str, ...]]]] = {}
    for article, reading in squad(data / FILES[source], source):
        if reading.answer:
            _, start, end = reading.answer
            paragraph = found.setdefault((article.replace("_", " "), reading.passages[0][1]), {})
            paragraph[reading.id] = ((start, end), reading.answers)
    return [
        Answered(title, text, tuple(span for span, _ in asked.values()), tuple(said for _, said in asked.values()))
        for (title, text), asked in found.items()
    ]


def lessons(
    encoder: ModularEncoder, skill: Skill, paragraphs: Sequence[Answered], folder: Path
) -> list[list[SpanLesson]]:
    """The windows of each paragraph as the expert of `skill` reads them; their vectors are kept in `folder`."""
    laid = [windows(encoder.segments, one.title, one.text) for one in paragraphs]
    rows = [window.row for found in laid for window in found]
    digest = hashlib.sha256(f"{encoder.name} {skill} {[row.ids for row in rows]}".encode()).hexdigest()[:12]
    kept, size = folder / f"vectors-{digest}.npy", sum(len(row.ids) for row in rows)
    if not kept.exists():
        part = kept.with_suffix(".part.npy")
        vectors = np.lib.format.open_memmap(part, mode="w+", dtype=np.float16, shape=(size, encoder.dimension))
        at = 0
        for begin in range(0, len(rows), 256):
            for one in encoder.token_vectors(rows[begin : begin + 256], skill):
                vectors[at : at + len(one)] = one
                at += len(one)
        vectors.flush()
        part.replace(kept)
    held = np.load(kept, mmap_mode="r")
    out: list[list[SpanLesson]] = []
    at = 0
    for paragraph, found in zip(paragraphs, laid, strict=True):
        out.append([])
        for window in found:
            hidden = held[at : at + len(window.row.ids)]
            at += len(window.row.ids)
            out[-1].append(SpanLesson(window, hidden, _placed(window, paragraph.spans)))
    return out


def _placed(window: Window, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Where answers stand in a window, as far as it may give them."""
    first = {int(a): i for i, (a, _) in enumerate(window.offsets) if window.begins[i]}
    last = {int(b): i for i, (_, b) in enumerate(window.offsets) if window.ends[i]}
    found = ((first[a], last[b] - first[a]) for a, b in spans if a in first and b in last)
    return tuple(sorted({(i, d) for i, d in found if 0 <= d < LONGEST}))


@dataclass(frozen=True, slots=True)
class Recall:
    """Shares of answers (0 to 1) that are among the spans given: as the same characters, and in the same words after
    normalising, of any form of the answer. `spans`: how many are given for a paragraph, on average."""

    exact: float
    words: float
    spans: float


def recall(paragraphs: Sequence[Answered], found: Sequence[Sequence[tuple[int, int]]]) -> Recall:
    """How many answers of paragraphs are among the spans found in each."""
    exact = words = asked = 0
    for one, spans in zip(paragraphs, found, strict=True):
        there = {normalise_answer(one.text[a:b]) for a, b in spans} - {""}
        exact += sum(span in spans for span in one.spans)
        words += sum(any(normalise_answer(form) in there for form in forms) for forms in one.answers)
        asked += len(one.spans)
    given = sum(map(len, found)) / max(1, len(found))
    return Recall(exact / max(1, asked), words / max(1, asked), given)
