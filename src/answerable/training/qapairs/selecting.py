"""Train the passage selector from a recipe: `recipes/pair-selection.toml` is it.

Lessons are passages that people asked about (PAQ, section 3.1), each in a group with negatives drawn from the same kind
of source, written in the same way and as long as it, so that neither spacing nor length nor the source tells them
apart. Passages of one page are in one part. The encoder is frozen. A positive's probability among its group is made as
likely as can be; then one scale and one shift make probabilities of the scores, on the development pages.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from answerable.datasets.parts import share
from answerable.encoders.choose import encoder_folder
from answerable.encoders.shipped import Shipped
from answerable.encoders.skills import ModularEncoder
from answerable.qapairs.generation.heads import SELECTION, Floats, SelectionHead, passage_vectors, save_head
from answerable.training.corpora import Corpora
from answerable.training.loop import HeadRecipe, Parts, begun, fit
from answerable.training.reading import MULTI_HOP, lines_of, squad
from answerable.training.recipe import Kind, Made
from answerable.training.sets.tune import platt
from answerable.training.skills.example import Text

logger = logging.getLogger(__name__)

DEVELOPMENT = 0.1
"""The share of the pages kept for development."""
_STEP = 100
"""Characters by which lengths are told apart."""
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Group:
    """A passage that was asked about with others, by their numbers. `kind`: where the positive is from and how the
    negatives were drawn, e.g. `nq/easy`."""

    kind: str
    positive: int
    negatives: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Passages and the groups over them to learn from and to develop on, which share no page."""

    passages: tuple[Text, ...]
    learned: tuple[Group, ...]
    held: tuple[Group, ...]


class Pages:
    """The passages of the data by what is known of them: asked about, or not as far as anyone knows."""

    def __init__(self, data: Path, easy: int, rng: random.Random) -> None:
        """Read the data, with `easy` random passages of each pool. Raises as `lines_of`."""
        corpora = Corpora(data)
        self.passages: list[Text] = []
        self._number: dict[Text, int] = {}
        self.report = self._nq(data, "nq-dev.json.gz")
        kept_back = {self.passages[n][0] for n in self.report}
        pool = corpora.corpus("pool")
        # nothing in a passage tells which of them these are about: theirs are left out, right and wrong ones
        known = {id_ for name in MULTI_HOP for id_ in _named(data, name, "train", "gold")}
        known |= {id_ for name in MULTI_HOP for key in ("gold", "context") for id_ in _named(data, name, "dev", key)}
        self.asked = {
            "nq": self._nq(data, "nq-train.json.gz"),
            "boolq": [self._add(text) for text in dict.fromkeys(corpora.corpus("boolq").values())],
        }
        for name, numbers in self.asked.items():
            self.asked[name] = [n for n in dict.fromkeys(numbers) if self.passages[n][0] not in kept_back]
        wanted = kept_back | {self.passages[n][0] for name in ("nq", "boolq") for n in self.asked[name]}
        first = {id_: text for id_, text in corpora.corpus("wiki").items() if id_ not in corpora.withheld}
        wiki = [id_ for id_, text in first.items() if text[0] not in wanted]
        other = [id_ for id_, text in pool.items() if id_ not in known and text[0] not in wanted]
        self.easy = {
            "wiki": [self._add(first[id_]) for id_ in rng.sample(wiki, min(easy, len(wiki)))],
            "pool": [self._add(pool[id_]) for id_ in rng.sample(other, min(easy, len(other)))],
        }

    def _add(self, text: Text) -> int:
        plain = (text[0], joined(text[1]))
        if plain not in self._number:
            self._number[plain] = len(self.passages)
            self.passages.append(plain)
        return self._number[plain]

    def _nq(self, data: Path, name: str) -> list[int]:
        return list(dict.fromkeys(self._add(reading.passages[0]) for _, reading in squad(data / "nq" / name, "nq")))


def _named(data: Path, name: str, part: str, key: str) -> list[str]:
    """Ids of passages that the questions of a multi-hop set name, in order."""
    rows = lines_of(data / name / f"{part}.jsonl")
    return list(dict.fromkeys(id_ for row in rows if row["covered"] for id_ in row[key]))


def drawn(data: Path, most: Mapping[str, int], easy: int, negatives: int, seed: int) -> Drawn:
    """Groups of up to `most` positives of each source (`nq`, `boolq`).

    Each positive has `negatives` easy ones, random passages as long as it. Raises `FormatError`.
    """
    rng = random.Random(seed)
    pages = Pages(data, easy, rng)
    sorted_ = {name: by_length(pages.passages, found) for name, found in pages.easy.items()}
    groups: list[Group] = []
    for source, count in most.items():
        found = pages.asked[source]
        for n in rng.sample(found, min(count, len(found))):
            made = [(f"{source}/{name}", sorted_[name]) for name in (("wiki", "pool") if source == "nq" else ("pool",))]
            groups += [Group(kind, n, _alike(pages.passages, n, held, negatives, rng)) for kind, held in made]
    rng.shuffle(groups)
    return parted(pages.passages, groups)


Shelved = Mapping[tuple[int, bool], Sequence[int]]
"""Passages by their length and by whether they are held out."""


def by_length(passages: Sequence[Text], numbers: Iterable[int]) -> Shelved:
    """Passages by length, in steps of 100 characters, and by part."""
    found: defaultdict[tuple[int, bool], list[int]] = defaultdict(list)
    for n in numbers:
        found[_long(passages[n][1]), is_held(passages[n][0])].append(n)
    return found


def is_held(title: str) -> bool:
    """Whether a page is kept for development."""
    return share(title) < DEVELOPMENT


def _long(text: str) -> int:
    return min(len(text) // _STEP, _LONGEST)


def _alike(passages: Sequence[Text], positive: int, held: Shelved, count: int, rng: random.Random) -> tuple[int, ...]:
    """Passages of other pages, of the positive's part and length or the nearest length there is."""
    title, text = passages[positive]
    long, part = _long(text), is_held(title)
    steps = sorted(range(_LONGEST + 1), key=lambda step: (abs(step - long), step))
    near = next((held[step, part] for step in steps if held.get((step, part))), ())
    others = [n for n in rng.sample(near, min(len(near), count + 1)) if passages[n][0] != title]
    return tuple(others[:count])


def parted(passages: Sequence[Text], groups: Sequence[Group]) -> Drawn:
    """The groups by part, over those passages alone that they name, numbered anew."""
    named = sorted({n for one in groups for n in (one.positive, *one.negatives)})
    anew = {n: i for i, n in enumerate(named)}
    moved = [
        Group(one.kind, anew[one.positive], tuple(anew[n] for n in one.negatives)) for one in groups if one.negatives
    ]
    texts = tuple(passages[n] for n in named)
    held = tuple(one for one in moved if is_held(texts[one.positive][0]))
    return Drawn(texts, tuple(one for one in moved if not is_held(texts[one.positive][0])), held)


_STEPS = (
    (re.compile(r"``\s?|\s?''"), '"'),
    (re.compile(r" -- "), " – "),
    (re.compile(r"-LRB-\s?"), "("),
    (re.compile(r"\s?-RRB-"), ")"),
    (re.compile(r"(?<=\w) (-|–|/) (?=\w)"), r"\1"),
    (re.compile(r" ([,.;:!?%)\]}])"), r"\1"),
    (re.compile(r"([(\[{$£€]) "), r"\1"),
    (re.compile(r" ('(?:s|t|re|ve|ll|d|m)?\b|n't\b)"), r"\1"),
    (re.compile(r"  +"), " "),
)


def joined(text: str) -> str:
    """`text` with the blanks around punctuation as people set them; text that has them already stays as it is."""
    for pattern, by in _STEPS:
        text = pattern.sub(by, text)
    return text.strip()


TOPS = (0.25, 0.5)
"""Shares of a pool that are kept, for which recall is told."""
ASKED = 0.2
"""The share of passages of a pool that were asked about, for which recall is told and probabilities are calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecipe(HeadRecipe):
    """A recipe of the kind `pair-selection`. `sources`: how many positives of each are learned from.

    `easy`: random passages of each pool, among which negatives are; `negatives`: of a positive in each of its groups.
    `dropout` is of the hidden layer too. `groups` are learned together.
    """

    groups: int = 64
    easy: int = 1500
    negatives: int = 4
    sources: Mapping[str, int] = field(default_factory=dict)

    ALLOWED: ClassVar[Collection[str]] = ("nq", "boolq")


class SelectionModel(nn.Module):
    """The head as it is trained; `SelectionHead` is the same in numpy."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.rise, self.out = nn.Linear(width, hidden), nn.Linear(hidden, 1, bias=False)
        self.before, self.between = nn.Dropout(dropout), nn.Dropout(dropout)
        self.scale = width**0.5

    def forward(self, vectors: Tensor) -> Tensor:
        """(..., width) unit rows to (...) scores."""
        out: Tensor = self.out(self.between(torch.relu(self.rise(self.before(vectors * self.scale))))).squeeze(-1)
        return out

    def weights(self) -> dict[str, Floats]:
        """As `SelectionHead` takes them."""
        with torch.no_grad():
            rise, bias, out = self.rise.weight.T * self.scale, self.rise.bias, self.out.weight[0]
            return {"rise": rise.numpy().copy(), "bias": bias.numpy().copy(), "out": out.numpy().copy()}


def train_selection(recipe: SelectionRecipe, data: Path, folder: Path) -> Shipped:
    """Train a selector as a recipe says; the head stands in `folder`/model. Raises `UsageError`, `FormatError`."""
    begun(recipe.threads, recipe.loop.seed)
    encoder = ModularEncoder(encoder_folder(recipe.start), recipe.threads)
    made = drawn(data, recipe.sources, recipe.easy, recipe.negatives, recipe.loop.seed)
    logger.info("%d passages, %d groups, %d held out", len(made.passages), len(made.learned), len(made.held))
    vectors = passage_vectors(encoder, made.passages)
    model = SelectionModel(encoder.dimension, recipe.hidden, recipe.dropout)
    learn(model, made, vectors, recipe, folder)
    scores = SelectionHead(model.weights()).scores(vectors)
    logger.info("held out: %s", json.dumps(recalls(made.held, scores)))
    scale, shift = calibrated(made.held, scores)
    about = {"encoder": encoder.name, "scale": scale, "shift": shift}
    return save_head(folder / "model", SELECTION, "selection", model.weights(), about)


def learn(model: SelectionModel, made: Drawn, vectors: Floats, recipe: SelectionRecipe, folder: Path) -> None:
    """The weights of the epoch with the highest recall at a quarter, on average over kinds of development groups."""
    rng, seen = random.Random(recipe.loop.seed), torch.from_numpy(vectors)
    batches: list[list[int]] = []
    for _ in range(recipe.epochs):
        order = rng.sample(range(len(made.learned)), len(made.learned))
        batches += [order[begin : begin + recipe.groups] for begin in range(0, len(order), recipe.groups)]

    def loss(numbers: list[int]) -> Tensor:
        return selection_loss(model, seen, [made.learned[i] for i in numbers])

    def judge() -> dict[str, float]:
        found = recalls(made.held, SelectionHead(model.weights()).scores(vectors))
        return {kind: shares[0] for kind, shares in found.items()}

    fit(recipe.looped(batches), Parts(model, batches, loss, judge=judge), folder)


def selection_loss(model: Callable[[Tensor], Tensor], vectors: Tensor, groups: Sequence[Group]) -> Tensor:
    """Minus the log probability of positives, each among its group, on average."""
    most = max(len(one.negatives) for one in groups)
    places = torch.tensor([[one.positive, *one.negatives] + [0] * (most - len(one.negatives)) for one in groups])
    there = torch.tensor([[True] * (1 + len(one.negatives)) + [False] * (most - len(one.negatives)) for one in groups])
    scores = model(vectors[places]).masked_fill(~there, -1e4)
    return -scores.log_softmax(1)[:, 0].mean()


def pools(groups: Sequence[Group]) -> dict[str, tuple[list[int], list[int]]]:
    """For each kind of group the numbers of its positives and of its negatives, each once."""
    found: defaultdict[str, tuple[dict[int, None], dict[int, None]]] = defaultdict(lambda: ({}, {}))
    for one in groups:
        found[one.kind][0][one.positive] = None
        found[one.kind][1].update(dict.fromkeys(one.negatives))
    return {kind: (list(right), [n for n in wrong if n not in right]) for kind, (right, wrong) in sorted(found.items())}


def recalls(groups: Sequence[Group], scores: Sequence[float] | Floats) -> dict[str, tuple[float, ...]]:
    """For each kind of group: shares of its positives (in per cent) in the best quarter and half of its pool."""
    return {kind: recall_at(right, wrong, scores) for kind, (right, wrong) in pools(groups).items()}


def recall_at(right: Sequence[int], wrong: Sequence[int], scores: Sequence[float] | Floats) -> tuple[float, ...]:
    """Shares of `right` (in per cent) in the best quarter and half of a pool; ties by number.

    Of the pool one passage in five is right, whatever the numbers here: each counts for as much as it takes.
    """
    ranking = sorted([*right, *wrong], key=lambda n: (-scores[n], n))
    wanted = set(right)
    taken = np.array([n in wanted for n in ranking])
    pool = np.cumsum(np.where(taken, ASKED / len(right), (1 - ASKED) / max(1, len(wrong))))
    return tuple(round(100 * float(taken[pool <= top + 1e-9].sum()) / len(right), 1) for top in TOPS)


def calibrated(groups: Sequence[Group], scores: Floats) -> tuple[float, float]:
    """Scale and shift that make a score the log-odds of having been asked about, in pools as `recall_at` has them."""
    every = list(pools(groups).values())
    right, wrong = ([n for pool in every for n in pool[part]] for part in (0, 1))
    weights = np.repeat([ASKED / len(right), (1 - ASKED) / len(wrong)], [len(right), len(wrong)])
    return platt(np.asarray(scores[[*right, *wrong]], np.float64), np.arange(len(weights)) < len(right), weights)


KINDS = {"pair-selection": Kind(SelectionRecipe, lambda recipe, data, out: Made.of(train_selection(recipe, data, out)))}
