"""The path reader as it is trained: the encoder's expert of reading with four heads, its batches and its loss.

The paper has two models, a path reranker and a reader that sees gold paths alone (Ma et al. 2023, appendix C.1). Here
one does both, since the answers of several paths are compared with each other and have to be read anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from answerable.encoders.modular import SkillModel
from answerable.encoders.wordpieces import pad
from answerable.readers.paths import HEADS
from answerable.training.experts import ExpertSpec
from answerable.training.export import Heads, save_tensors
from answerable.training.paths.draw import EncodedPath
from answerable.types import Skill

_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


@dataclass(frozen=True, slots=True)
class PathWeights:
    """What each loss counts for. The defaults are equation 10; `passages = 0` is equation 11, the paper's reader."""

    passages: float = 1.0
    answer: float = 1.0
    sentences: float = 0.5


def list_mle(scores: Tensor, relevance: Tensor, there: Tensor) -> Tensor:
    """Equation 9, ListMLE (Xia et al. 2008) as the paper writes it: the mean over lists of the sum over their items.

    `scores`, `relevance` (b, m) float and `there` (b, m) bool, false for what only fills up a list. Each item stands
    against those of its list with a lower relevance, never against its equals, whose order is therefore free; those of
    the lowest relevance add nothing. The loss is 0 where every score is far above all that are less relevant.
    """
    lower = (relevance[:, None, :] < relevance[:, :, None]) & there[:, None, :]
    against = torch.logsumexp(scores[:, None, :].expand_as(lower).masked_fill(~lower, _NEVER), dim=2)
    each = torch.logaddexp(scores, against) - scores
    return (each * (there & lower.any(2))).sum(1).mean()


def pointing(start: Tensor, end: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """L_a: the mean of the cross-entropies of where the answer begins and ends (Devlin et al. 2019, section 4.2).

    `start`, `end` (b, n) logits over tokens, `first`, `last` (b,) int64; 0, [CLS], where the path holds no answer.
    """
    loss: Tensor = (F.cross_entropy(start, first) + F.cross_entropy(end, last)) / 2
    return loss


_BLOCKED = -10000.0


class PathScores(NamedTuple):
    """Scores of a batch: passages (b, 1 + m) and sentences (b, 1 + s), [CLS] first; start and end (b, n) logits."""

    passages: Tensor
    sentences: Tensor
    start: Tensor
    end: Tensor


@dataclass(frozen=True, slots=True)
class PathBatch:
    """Paths, padded to the longest. Labels are 1 for what is right, 0.5 for the threshold, 0 for what is wrong."""

    ids: Tensor
    mask: Tensor
    pointable: Tensor
    """(b, n) bool: where an answer can begin and end, [CLS] included."""
    marks: Tensor
    """(b, 1 + m) int64: [CLS], then each passage's [P]; 0 fills up."""
    passage_labels: Tensor
    passages_there: Tensor
    sentences: Tensor
    """(b, 1 + s, 2) int64: [CLS], then the tokens [start, end) of each sentence."""
    sentence_labels: Tensor
    sentences_there: Tensor
    start: Tensor
    end: Tensor


class PathModel(nn.Module):
    """An encoder with W_p, a W_s of its own for sentences, and where the answer begins and ends."""

    def __init__(self, encoder: SkillModel) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.trunk.shape.width
        self.passages = nn.Linear(width, 1, bias=False)
        self.sentences = nn.Linear(width, 1, bias=False)
        self.span = nn.Linear(width, 2)

    def forward(self, batch: PathBatch) -> PathScores:
        """The scores of all paths of a batch, float32."""
        hidden = self.encoder.trunk(batch.ids, batch.mask, Skill.READ).float()
        with torch.autocast(hidden.device.type, enabled=False):
            return self._scores(hidden, batch)

    def _scores(self, hidden: Tensor, batch: PathBatch) -> PathScores:
        rows = torch.arange(len(hidden), device=hidden.device)[:, None]
        passages = self.passages(hidden[rows, batch.marks]).squeeze(-1)
        summed = torch.cat([torch.zeros_like(hidden[:, :1]), hidden.cumsum(1)], dim=1)
        first, last = batch.sentences.unbind(-1)
        means = (summed[rows, last] - summed[rows, first]) / (last - first).clamp_min(1)[..., None]
        start, end = (self.span(hidden) + (~batch.pointable)[..., None] * _BLOCKED).unbind(-1)
        return PathScores(passages, self.sentences(means).squeeze(-1), start, end)

    @property
    def model(self) -> SkillModel:
        """The encoder of skills whose expert of reading reads."""
        return self.encoder


def heads_of(model: PathModel) -> Heads:
    """The heads, by the names in `reading.npz`."""
    tensors = {
        "passages": model.passages.weight[0],
        "sentences": model.sentences.weight[0],
        "span": model.span.weight,
        "bias": model.span.bias,
    }
    return {HEADS: partial(save_tensors, tensors=tensors)}


PATHS = ExpertSpec(
    Skill.READ,
    "reading",
    PathModel,
    "path reader",
    lambda _, tokens: {"reading": {"tokens": tokens}},
    heads=heads_of,
)
"""The reader of paths, for `readers.paths.open_paths`: an expert of reading, its heads in `reading.npz`."""


def path_loss(scores: PathScores, batch: PathBatch, weights: PathWeights) -> Tensor:
    """Equation 10, or with `weights.passages = 0` equation 11."""
    passages = list_mle(scores.passages, batch.passage_labels, batch.passages_there)
    sentences = list_mle(scores.sentences, batch.sentence_labels, batch.sentences_there)
    answer = pointing(scores.start, scores.end, batch.start, batch.end)
    return weights.passages * passages + weights.answer * answer + weights.sentences * sentences


def collate(paths: Sequence[EncodedPath], device: torch.device | str = "cpu") -> PathBatch:
    """Pad to the longest path, and to the most passages and sentences."""
    ids, mask = (torch.from_numpy(array) for array in pad([path.ids.tolist() for path in paths]))
    count, length = ids.shape
    able = torch.zeros(count, length, dtype=torch.bool)
    for row, path in enumerate(paths):
        able[row, [0, *path.polar]] = True
        for begin, end in path.texts:
            able[row, begin:end] = True
    marks, passages, passages_there = _listed([[0, *path.marks] for path in paths], [p.right for p in paths])
    known = [[(a, b, bool(supports)) for a, b, supports in path.sentences if supports is not None] for path in paths]
    right = [[supports for _, _, supports in row] for row in known]
    first, sentences, there = _listed([[0, *(a for a, _, _ in row)] for row in known], right)
    last, _, _ = _listed([[1, *(b for _, b, _ in row)] for row in known], right)
    spans = torch.stack([first, last], dim=-1)
    starts, ends = torch.tensor([path.answer for path in paths]).unbind(-1)
    made = (ids, mask, able, marks, passages, passages_there, spans, sentences, there, starts, ends)
    return PathBatch(*(tensor.to(device) for tensor in made))


def _listed(places: Sequence[Sequence[int]], right: Sequence[Sequence[bool]]) -> tuple[Tensor, Tensor, Tensor]:
    """Places (b, 1 + m) int64, their labels, the threshold's first, and which of them are there."""
    at = pad_sequence([torch.tensor(mine) for mine in places], batch_first=True)
    labels = pad_sequence([torch.tensor([0.5, *map(float, good)]) for good in right], batch_first=True)
    there = torch.arange(at.shape[1]) < torch.tensor([len(mine) for mine in places])[:, None]
    return at, labels, there
