"""How well paths are read: what development questions say, measured through the reader that runs without torch."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from answerable.encoders.wordpieces import pad, plan_batches
from answerable.evaluation.metrics.answers import f1
from answerable.evaluation.metrics.hotpot import answer_scores, supporting_scores
from answerable.evaluation.metrics.paths import path_recall
from answerable.readers.path_layout import PathLayout, Span
from answerable.readers.paths import Floats, Heads, PathReader, ReadPath
from answerable.training.paths.draw import Asked, Part, split
from answerable.training.paths.model import PathModel
from answerable.training.skills.supervised import MULTI_HOP
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

_TOKENS = 8192
"""Tokens encoded at once."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with paths to choose among, the gold one first; the id of a passage is its number in `parts`."""

    asked: Asked
    parts: tuple[Part, ...]
    chains: tuple[Chain, ...]


def candidates(asked: Asked, most: int, rng: random.Random) -> Judged:
    """The gold path and `most - 1` others of the same length, drawn from the question's passages.

    A question with fewer than two right passages is only asked over the one it came with.
    """
    parts = (*asked.right, *asked.wrong)
    gold = tuple(range(max(1, len(asked.right))))
    paths = {gold: None}
    for _ in range(4 * most if len(asked.right) > 1 and asked.wrong else 0):
        if len(paths) < most:
            paths[tuple(sorted(rng.sample(range(len(parts)), len(gold))))] = None
    return Judged(asked, parts, tuple(_chain(parts, path) for path in paths))


def _chain(parts: Sequence[Part], path: Sequence[int]) -> Chain:
    hits = []
    for number in path:
        part = parts[number]
        passage = Passage(str(number), str(number), "given", part.title, part.text, 0, len(part.text))
        hits.append(Hit(passage, 1.0, PUBLIC, Skill.READ))
    return Chain(tuple(hits), 1.0, PUBLIC)


def reader_of(model: PathModel, layout: PathLayout, spans: Mapping[str, Sequence[Span]]) -> PathReader:
    """The reader that a model in training is, as it would be exported, in bf16. `spans` are texts' sentences."""
    weights = (model.passages.weight[0], model.sentences.weight[0], model.span.weight, model.span.bias)
    heads = Heads(*(weight.detach().cpu().float().numpy() for weight in weights))

    def run(rows: Sequence[Sequence[int]]) -> list[Floats]:
        found: dict[int, Floats] = {}
        device = model.span.weight.device
        for batch in plan_batches([len(row) for row in rows], _TOKENS):
            ids, mask = (torch.from_numpy(array).to(device) for array in pad([rows[i] for i in batch]))
            with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
                hidden = model.encoder.trunk(ids, mask, Skill.READ).float().cpu().numpy()
            found |= {i: hidden[row, : len(rows[i])] for row, i in enumerate(batch)}
        return [found[i] for i in range(len(rows))]

    return PathReader(layout, heads, run, lambda text: spans[text] if text in spans else split(text))


def judge(model: PathModel, layout: PathLayout, questions: Sequence[Judged]) -> dict[str, float]:
    """Means over the questions of each source, each 0 to 1.

    `passages`: whether the path ranked first is the gold one (of questions with several right passages). `sentences`:
    F1 of those found in the gold path, where they are known. `answer`: F1 of the best answer of the path ranked first;
    over one passage, where perhaps nothing answers, none is given unless it scores above 0.
    """
    model.eval()
    spans = {part.text: part.sentences for one in questions for part in one.parts if part.sentences}
    reader = reader_of(model, layout, spans)
    values: dict[str, list[float]] = defaultdict(list)
    for one in questions:
        source = one.asked.source
        found = reader.look(one.asked.question, one.chains)
        best = min(found, key=lambda path: (-path.score, path.chain.key))
        if len(one.chains) > 1:
            values[f"{source} passages"].append(path_recall([best.chain.key], found[0].chain.key, 1))
        said = max(best.candidates, key=lambda c: (c.score, c.text), default=None)
        if source in MULTI_HOP:
            values[f"{source} answer"].append(answer_scores(said.text if said else "", one.asked.answers).f1)
        else:
            gold = one.asked.answers if one.asked.right else ()
            values[f"{source} answer"].append(f1(said.text if said and said.score > 0 else "", gold))
        if one.asked.right and all(part.supporting is not None for part in one.asked.right):
            values[f"{source} sentences"].append(_sentences(one, found[0]))
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}


def _sentences(one: Judged, gold: ReadPath) -> float:
    """F1 of the sentences said to support the answer, in the gold path."""
    said = [(str(support.hit), support.start) for support in gold.supporting]
    wanted = [
        (str(number), part.sentences[i][0])
        for number, part in enumerate(one.asked.right)
        for i in part.supporting or ()
    ]
    return supporting_scores(said, wanted).f1
