"""Train the answer extractor from a recipe: `recipes/pair-spans.toml` is it.

The encoder is frozen, so that every passage is read once. All answers of a paragraph are right together: the loss is
the log of their summed probability among all spans.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from answerable.datasets.parts import share
from answerable.encoders.choose import encoder_folder
from answerable.encoders.shipped import Shipped
from answerable.encoders.skills import ModularEncoder
from answerable.errors import UsageError
from answerable.qapairs.generation.heads import (
    LONGEST,
    MARKS,
    SPANS,
    Floats,
    SpanHead,
    Window,
    inside,
    likeliest,
    save_head,
    windows,
)
from answerable.text import normalise_answer
from answerable.training.loop import HeadRecipe, Parts, batches_by_length, begun, fit
from answerable.training.reading import squad
from answerable.training.recipe import Kind, Made
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


logger = logging.getLogger(__name__)
Held = Sequence[tuple[Answered, Sequence[SpanLesson]]]
"""Paragraphs with their windows."""
_HIDDEN = -1e4
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRecipe(HeadRecipe):
    """A recipe of the kind `pair-spans`. `sources` says how many times each is seen in an epoch.

    `expert`: whose token vectors are used.
    """

    expert: Skill = Skill.READ
    sources: Mapping[str, float] = field(default_factory=dict)

    ALLOWED: ClassVar[Collection[str]] = [name for name in FILES if not name.endswith("-report")]


class SpanModel(nn.Module):
    """The head as it is trained; `SpanHead` is the same in numpy."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(width + MARKS, hidden)
        self.last = nn.Linear(width + MARKS, hidden, bias=False)
        self.long = nn.Parameter(torch.zeros(LONGEST, hidden))
        self.out = nn.Linear(hidden, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, seen: Tensor, begins: Tensor, ends: Tensor) -> Tensor:
        """(b, n, width + MARKS) and (b, n) bool twice to (b, n, LONGEST): scores, very low where no span may stand."""
        seen = self.dropout(seen)
        first, last = self.first(seen), self.last(seen)
        count = seen.shape[1]
        scores = []
        for d in range(min(LONGEST, count)):
            made = self.out(torch.relu(first[:, : count - d] + (last[:, d:] + self.long[d]))).squeeze(-1)
            made = made.masked_fill(~(begins[:, : count - d] & ends[:, d:]), _HIDDEN)
            scores.append(nn.functional.pad(made, (0, d), value=_HIDDEN))
        return torch.stack(scores, -1)

    def weights(self) -> dict[str, Floats]:
        """As `SpanHead` takes them."""
        with torch.no_grad():
            return {
                "first": self.first.weight.T.numpy().copy(),
                "last": self.last.weight.T.numpy().copy(),
                "bias": self.first.bias.numpy().copy(),
                "long": self.long.numpy().copy(),
                "out": self.out.weight[0].numpy().copy(),
            }


def span_loss(scores: Tensor, answers: Sequence[Sequence[tuple[int, int]]]) -> Tensor:
    """Minus the log probability of each row's answers among its spans, summed over the batch."""
    every = scores.flatten(1).logsumexp(1)
    losses = []
    for row, spans in enumerate(answers):
        i, d = (torch.tensor(part) for part in zip(*spans, strict=True))
        right = scores[row, i, d]
        losses.append(every[row] - right.logsumexp(0))
    return torch.stack(losses).sum()


def train_spans(recipe: SpanRecipe, data: Path, folder: Path) -> Shipped:
    """Train an extractor as a recipe says; the head stands in `folder`/model. Raises `UsageError`, `FormatError`.

    Its weights are those that found most answers of development paragraphs among eight spans, after some epoch.
    """
    begun(recipe.threads, recipe.loop.seed)
    encoder = ModularEncoder(encoder_folder(recipe.start), recipe.threads)
    every = [(source, one) for source in recipe.sources for one in answered(data, source)]
    made = lessons(encoder, recipe.expert, [one for _, one in every], folder)
    learned: list[SpanLesson] = []
    held: dict[str, Held] = {}
    for source, times in recipe.sources.items():
        mine = [(one, found) for (name, one), found in zip(every, made, strict=True) if name == source]
        learned += _repeated([two for one, found in mine if not one.held for two in found], times)
        held[source] = [(one, found) for one, found in mine if one.held]
    learned = [one for one in learned if one.answers]
    if not learned:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    logger.info("%d windows to learn from, %d paragraphs held out", len(learned), sum(map(len, held.values())))
    model = SpanModel(encoder.dimension, recipe.hidden, recipe.dropout)
    lengths = [len(one.window.offsets) for one in learned]
    seeds = range(recipe.loop.seed, recipe.loop.seed + recipe.epochs)
    batches = [batch for seed in seeds for batch in batches_by_length(lengths, replace(recipe.loop, seed=seed))]

    def loss(numbers: list[int]) -> Tensor:
        batch = [learned[i] for i in numbers]
        return span_loss(model(*_collated(batch)), [one.answers for one in batch]) / len(batch)

    def judge() -> dict[str, float]:
        return {name: judged(SpanHead(model.weights()), one).exact for name, one in held.items()}

    fit(recipe.looped(batches), Parts(model, batches, loss, judge=judge), folder)
    about: dict[str, object] = {"encoder": encoder.name, "expert": recipe.expert.value}
    return save_head(folder / "model", SPANS, "spans", model.weights(), about)


def _repeated(made: Sequence[SpanLesson], times: float) -> list[SpanLesson]:
    whole = int(times)
    return [*made] * whole + list(made[: int(len(made) * (times - whole))])


def judged(head: SpanHead, held: Held, most: int = _MOST) -> Recall:
    """How many answers of paragraphs are among the `most` likeliest spans of each."""
    spans = []
    for _, made in held:
        scored = [head.scores(one.window, inside(one.window, one.hidden.astype(np.float32))) for one in made]
        spans.append([(a, b) for a, b, _ in likeliest([one.window for one in made], scored, most)])
    return recall([one for one, _ in held], spans)


def _collated(batch: Sequence[SpanLesson]) -> tuple[Tensor, Tensor, Tensor]:
    longest = max(len(one.window.offsets) for one in batch)
    width = batch[0].hidden.shape[1] + MARKS
    seen = np.zeros((len(batch), longest, width), np.float32)
    begins, ends = (np.zeros((len(batch), longest), bool) for _ in range(2))
    for row, one in enumerate(batch):
        count = len(one.window.offsets)
        seen[row, :count] = inside(one.window, one.hidden.astype(np.float32))
        begins[row, :count], ends[row, :count] = one.window.begins, one.window.ends
    return torch.from_numpy(seen), torch.from_numpy(begins), torch.from_numpy(ends)


KINDS = {"pair-spans": Kind(SpanRecipe, lambda recipe, data, out: Made.of(train_spans(recipe, data, out)))}
