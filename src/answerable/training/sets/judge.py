"""How well constraints are judged: development constraints over documents that fit, look alike, or are any."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch

from answerable.encoders.constraint_layout import Laid, feeding
from answerable.encoders.wordpieces import WordPieces, plan_batches
from answerable.training.sets.batch import laid
from answerable.training.sets.draw import Alike, Lesson
from answerable.training.sets.grounds import Ground
from answerable.training.sets.model import FitModel

_TOKENS = 8192
FITS, ALIKE, OTHERS = 15, 40, 10
"""The most documents a constraint is judged on in an evaluation: of those that fit, of BM25's others, and of all."""


def examined(ground: Ground, alike: Alike, most: int, seed: int) -> list[tuple[str, list[Lesson]]]:
    """Up to `most` constraints of a ground, each with the documents that are judged by it, one lesson a document."""
    rng = random.Random(f"{seed} {ground.name}")
    chosen = [one for one in ground.constraints if one.fits and one.whole]
    found = []
    for one in rng.sample(chosen, min(most, len(chosen))):
        fits = set(one.fits)
        near = [document for document in alike.get(one.text, ()) if document not in fits][:ALIKE]
        any_ = [n for n in (rng.randrange(len(ground.documents)) for _ in range(OTHERS)) if n not in fits]
        asked = [(n, 1.0) for n in rng.sample(one.fits, min(FITS, len(one.fits)))] + [(n, 0.0) for n in near + any_]
        found.append((ground.name, [Lesson(ground.name, ground.documents[n], ((one.text, y),)) for n, y in asked]))
    return found


def judge(
    model: FitModel, pieces: WordPieces, held: Sequence[tuple[str, Sequence[Lesson]]], tokens: int
) -> dict[str, float]:
    """Average precision (0 to 1) of the ranking of each constraint's documents, its mean for each ground."""
    model.eval()
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, lessons in held:
        scores = logits(model, laid(pieces, lessons, tokens))
        values[name].append(average_precision(scores, [one.asked[0][1] for one in lessons]))
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}


@torch.no_grad()
def logits(model: FitModel, rows: Sequence[Laid]) -> list[float]:
    """The logit of each row's first constraint, in bf16."""
    device = model.head.weight.device
    found: dict[int, float] = {}
    for batch in plan_batches([len(row.ids) for row in rows], _TOKENS):
        fed = feeding([rows[i] for i in batch])
        inputs = (torch.from_numpy(one).to(device) for one in (fed.ids, fed.segments, fed.places, fed.heads))
        with torch.autocast(device.type, torch.bfloat16):
            out = model(*inputs)[:, 0].float().cpu().tolist()
        found |= dict(zip(batch, out, strict=True))
    return [found[i] for i in range(len(rows))]


def average_precision(scores: Sequence[float], labels: Sequence[float]) -> float:
    """The mean over right ones of the precision down to their rank; ties stand in the order given."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    right = np.asarray(labels)[order] > 0.5
    ranks = np.flatnonzero(right) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).mean()) if len(ranks) else 0.0
