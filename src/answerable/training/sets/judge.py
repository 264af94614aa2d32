"""How well constraints are judged: development constraints over documents that fit, look alike, or are any."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import torch

from answerable.encoders.constraints import Laid, feeding
from answerable.encoders.wordpieces import WordPieces, plan_batches
from answerable.evaluation.metrics.ranking import average_precision
from answerable.training.sets.batch import laid
from answerable.training.sets.constraint_sets import ConstraintSet
from answerable.training.sets.draw import Alike, Lesson
from answerable.training.sets.model import FitModel

_TOKENS = 8192
FITS, ALIKE, OTHERS = 15, 40, 10
"""The most documents a constraint is judged on in an evaluation: of those that fit, of BM25's others, and of all."""


def examined(held: ConstraintSet, alike: Alike, most: int, seed: int) -> list[tuple[str, list[Lesson]]]:
    """Up to `most` constraints of a set, each with the documents that are judged by it, one lesson a document."""
    rng = random.Random(f"{seed} {held.name}")
    chosen = [one for one in held.constraints if one.fits and one.whole]
    found = []
    for one in rng.sample(chosen, min(most, len(chosen))):
        fits = set(one.fits)
        near = [document for document in alike.get(one.text, ()) if document not in fits][:ALIKE]
        any_ = [n for n in (rng.randrange(len(held.documents)) for _ in range(OTHERS)) if n not in fits]
        asked = [(n, 1.0) for n in rng.sample(one.fits, min(FITS, len(one.fits)))] + [(n, 0.0) for n in near + any_]
        found.append((held.name, [Lesson(held.name, held.documents[n], ((one.text, y),)) for n, y in asked]))
    return found


def judge(
    model: FitModel, pieces: WordPieces, held: Sequence[tuple[str, Sequence[Lesson]]], tokens: int
) -> dict[str, float]:
    """Average precision (0 to 1) of the ranking of each constraint's documents, its mean for each set."""
    model.eval()
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, lessons in held:
        scores = logits(model, laid(pieces, lessons, tokens))
        ranking = sorted(range(len(lessons)), key=lambda number: (-scores[number], number))
        fits = {str(number): 1 for number, one in enumerate(lessons) if one.asked[0][1] > 0}
        values[name].append(average_precision([str(number) for number in ranking], fits))
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
