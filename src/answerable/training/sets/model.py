"""The judge of constraints as it is trained: an expert of the encoder of skills and a head.

The paper's classifier reads query and document as one text (Malaviya et al. 2023, section 4.3). Ours lets the text
attend to itself alone and constraints to both, so that one reading of a text serves many constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from answerable.encoders.constraints import CONSTRAINT_TOKENS, FIRST, FIT, GRAPH, TEXT, Laid, feeding, lay
from answerable.encoders.modular import SkillModel
from answerable.encoders.shipped import open_shipped
from answerable.encoders.wordpieces import WordPieces, passage_text
from answerable.errors import ModelError
from answerable.training.experts import ExpertSpec, named
from answerable.training.loop import tensors
from answerable.training.restore import expert_state
from answerable.training.sets.draw import Lesson
from answerable.types import Skill

_HIDDEN = -10000.0


class FitModel(nn.Module):
    """Rows of a text and its constraints to a logit for each: how likely the text fits it."""

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        self.model = model
        self.mark = nn.Parameter(torch.zeros(model.trunk.shape.width))
        """What tells the tokens of a constraint from those of the text."""
        self.head = nn.Linear(2 * model.trunk.shape.width, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor, heads: Tensor) -> Tensor:
        """(b, n) int64 three times and (b, k) int64, as `constraints.feeding`, to (b, k) float32 logits.

        A constraint is judged by the vector of its [CLS] and the mean over its tokens.
        """
        trunk = self.model.trunk
        marks = (segments >= FIRST)[:, :, None] * self.mark
        hidden = trunk.dropout(trunk.embedded(ids, places, marks))
        hidden = trunk.through(hidden, seen(segments).to(hidden.dtype), Skill.FIT).float()
        numbers = torch.arange(heads.shape[1], device=ids.device) + FIRST
        own = (segments[:, None, :] == numbers[None, :, None]).float()
        means = (own / own.sum(-1, keepdim=True).clamp(min=1.0)) @ hidden
        first = torch.gather(hidden, 1, heads[:, :, None].expand(-1, -1, hidden.shape[-1]))
        out: Tensor = self.head(torch.cat([first, means], dim=-1)).squeeze(-1)
        return out


def seen(segments: Tensor) -> Tensor:
    """(b, n) segments to a (b, 1, n, n) float32 bias: 0 where a token attends to another, very negative elsewhere."""
    real = (segments != 0)[:, None, :].expand(-1, segments.shape[1], -1)
    same = segments[:, :, None] == segments[:, None, :]
    allowed = real & (same | (segments == TEXT)[:, None, :])
    return (1.0 - allowed[:, None].float()) * _HIDDEN


JUDGING = ExpertSpec(
    Skill.FIT,
    "fitting",
    FitModel,
    "judge of constraints",
    lambda judge, _: {FIT: {"name": named("fit", judge)}},
    graph=GRAPH,
    inputs=("ids", "segments", "places", "heads"),
    outputs=("logits",),
    axes={name: {0: "rows", 1: "constraints"} for name in ("heads", "logits")},
    part="judge",
)
"""A judge of constraints: `fit.onnx`, which gives logits; its expert begins as that of reading."""


def restore_judge(model: FitModel, folder: Path) -> None:
    """Give a model the weights of the judge that was exported to `folder`, no finer than they are there.

    Raises `ModelError` where there is none of this shape.
    """
    shipped = open_shipped(folder)
    held = expert_state(shipped.file(GRAPH), JUDGING.part)
    own = {"judge.mark": "mark", "judge.head.weight": "head.weight", "judge.head.bias": "head.bias"}
    state = {f"model.{name}": one for name, one in held.items() if name.startswith("trunk.")}
    try:
        model.load_state_dict(model.state_dict() | state | {name: held[kept] for kept, name in own.items()})
    except (KeyError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no judge to go on from", hint="train one from its recipe") from error


def laid(pieces: WordPieces, lessons: Sequence[Lesson], tokens: int) -> list[Laid]:
    """The rows of lessons; at most `tokens` of each text."""
    texts = pieces.ids([passage_text(*one.text) for one in lessons], tokens)
    words = list(dict.fromkeys(text for one in lessons for text, _ in one.asked))
    said = dict(zip(words, pieces.ids(words, CONSTRAINT_TOKENS), strict=True))
    return [lay(ids, [said[text] for text, _ in one.asked]) for one, ids in zip(lessons, texts, strict=True)]


def collate(
    rows: Sequence[Laid], labels: Sequence[Sequence[float]], device: torch.device
) -> tuple[list[Tensor], Tensor, Tensor]:
    """Rows side by side as `FitModel.forward` takes them, labels (b, k) float32, and (b, k) bool: which are real."""
    fed = feeding(rows)
    wanted = pad_sequence([torch.tensor(values) for values in labels], batch_first=True)
    there = torch.arange(wanted.shape[1]) < torch.tensor([len(values) for values in labels])[:, None]
    return tensors(fed, device), wanted.to(device), there.to(device)
