"""How well many passages are read: development questions, answered by the reader that runs without torch."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import torch

from answerable.encoders.wordpieces import pad
from answerable.evaluation.metrics.answers import f1
from answerable.evaluation.metrics.hotpot import answer_scores
from answerable.readers.fused import Floats, FusedReader
from answerable.readers.path_layout import PathLayout
from answerable.training.fusion.model import FusedModel
from answerable.training.paths.draw import Asked, Part
from answerable.training.skills.supervised import MULTI_HOP
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill


def chains_of(parts: Sequence[Part]) -> list[Chain]:
    """Each passage as a chain of its own; the id of a passage is its number."""
    found = []
    for number, part in enumerate(parts):
        passage = Passage(str(number), str(number), "given", part.title, part.text, 0, len(part.text))
        found.append(Chain((Hit(passage, 1.0, PUBLIC, Skill.READ),), 1.0, PUBLIC))
    return found


def given(asked: Asked, most: int, rng: random.Random) -> list[Part]:
    """The passages a question is judged with: all right ones, or the one it was asked of, and wrong ones."""
    parts = [*asked.right, *asked.wrong]
    first = max(1, len(asked.right))
    return parts[:first] + rng.sample(parts[first:], max(0, min(most, len(parts)) - first))


def reader_of(model: FusedModel, layout: PathLayout) -> FusedReader:
    """The reader that a model in training is, as it would be exported, in bf16."""

    def run(rows: Sequence[Sequence[int]]) -> tuple[Floats, float]:
        device = model.none.weight.device
        ids, mask = (torch.from_numpy(array)[None].to(device) for array in pad(rows))
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            scores, none = model.scores(ids, mask)
        return scores[0].float().cpu().numpy(), float(none)

    return FusedReader(layout, run)


def judge(model: FusedModel, layout: PathLayout, questions: Sequence[tuple[Asked, Sequence[Part]]]) -> dict[str, float]:
    """Mean F1 of the best answer, over the questions of each source, each with the passages given.

    Over a single right passage, or none, an answer counts only where it scores above 0: perhaps nothing answers.
    """
    model.eval()
    reader = reader_of(model, layout)
    values: dict[str, list[float]] = defaultdict(list)
    for asked, parts in questions:
        said = next(iter(reader.read(asked.question, chains_of(parts))), None)
        if asked.source in MULTI_HOP:
            value = answer_scores(said.text if said else "", asked.answers).f1
        else:
            value = f1(said.text if said and said.score > 0 else "", asked.answers if asked.right else ())
        values[f"{asked.source} answer"].append(value)
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}
