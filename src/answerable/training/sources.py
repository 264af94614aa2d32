"""What a reader learns from, source by source, and which part of each is kept for development and for the report."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from answerable.datasets.parts import share, squad_part
from answerable.training import more_sources
from answerable.training.cloze import cloze
from answerable.training.negatives import neighbours, swapped
from answerable.training.reading import NONE, SPAN, PoolPassage, Reading, boolq, fever, multihop, squad

SOURCES = more_sources.READERS.keys() | frozenset(
    """
    squad1 squad2 nq policyqa covidqa subjqa boolq fever hotpotqa 2wikimultihopqa musique distractors neighbours swapped
    cloze
    """.split()
)
"""The names `load_source` knows."""


def load_source(name: str, data: Path, pool: dict[str, PoolPassage], part: str) -> list[Reading]:
    """The readings of one source, `part` being `train`, `development` or `report`; parts never share an article."""
    if name in ("squad1", "squad2"):
        if name == "squad1" and part == "train":
            return [r for _, r in _squad1_train(data)]
        dev = data / "squad" / ("squad1.1.json.gz" if name == "squad1" else "squad2.0.json.gz")
        rows = [r for title, r in squad(dev, "squad") if squad_part(title) == part]
        if name == "squad2" and part == "train":
            rows = [r for r in rows if r.kind == NONE]  # its answerable questions are squad1's
        return rows
    if name == "nq":
        return [r for _, r in squad(data / f"nq/nq-{'train' if part == 'train' else 'dev'}.json.gz", "nq")]
    if name == "policyqa":
        return [r for _, r in squad(data / f"policyqa/{'dev' if part == 'train' else 'test'}.json.gz", "policyqa")]
    if name in ("covidqa", "subjqa"):
        rows = [r for _, r in squad(data / f"{name}/{name}.json.gz", name)]
        held = {"covidqa": 0.3, "subjqa": 0.1}[name]
        return [r for r in rows if (share(r.passages[0][1]) < held) == (part != "train")]
    if name == "boolq":
        return list(boolq(data / f"boolq/{'train' if part == 'train' else 'dev'}.jsonl"))
    if name in ("hotpotqa", "2wikimultihopqa", "musique"):
        split = "train" if part == "train" else "dev"
        return [r for r, _ in multihop(data / name / f"{split}.jsonl", pool, name)]
    if name == "distractors":
        return _unrelated(data, pool)
    if name == "fever":
        rows = list(fever(data / "fever/claims.jsonl.gz"))
        return [r for r in rows if (share(r.passages[0][0] or r.passages[0][1]) < 0.1) == (part != "train")]
    if name == "neighbours":
        return list(neighbours(_squad1_train(data), seed=1))
    if name == "swapped":
        asked = [r for _, r in _squad1_train(data)] + load_source("nq", data, pool, "train")
        return list(swapped(asked, seed=1))
    if name == "cloze":
        return list(cloze(pool, 40000, seed=1))
    return more_sources.load(name, data, part)


def _squad1_train(data: Path) -> list[tuple[str, Reading]]:
    """(article, reading) of all SQuAD 1.1 questions to train on."""
    rows = [pair for pair in squad(data / "squad/squad1.1.json.gz", "squad") if squad_part(pair[0]) == "train"]
    return rows + list(squad(data / "squad/squad-train-part.json.gz", "squad"))


def _unrelated(data: Path, pool: dict[str, PoolPassage]) -> list[Reading]:
    """Multi-hop questions over two passages given with them that hold neither the evidence nor the answer."""
    rows = []
    for name in ("hotpotqa", "2wikimultihopqa"):
        for reading, others in multihop(data / name / "train.jsonl", pool, name):
            answer = reading.answers[0].lower()
            wrong = [o for o in others if reading.kind == SPAN and answer not in pool[o].text.lower()]
            for a, b in zip(wrong[0::2], wrong[1::2], strict=False):
                passages = tuple((pool[p].title, pool[p].text) for p in (a, b))
                rows.append(replace(reading, passages=passages, kind=NONE, answer=None, source="distractors"))
    return rows


def widen(rows: list[Reading], seed: int) -> list[Reading]:
    """Some readings become chains (another passage beside the right one), some get the wrong passage and no answer."""
    rng = random.Random(seed)
    out = []
    for row in rows:
        drawn = rng.random()
        if row.source in ("squad", "nq", "cloze") and row.kind == SPAN and drawn < 0.34:
            other = rows[rng.randrange(len(rows))].passages[0]
            if drawn < 0.24 and len(other[1]) < 1200:
                _, start, end = row.answer or (0, 0, 0)
                after = rng.random() < 0.5
                passages = (row.passages[0], other) if after else (other, row.passages[0])
                out.append(replace(row, passages=passages, answer=(0 if after else 1, start, end)))
                continue
            if drawn > 0.28 and row.source != "cloze" and row.answers[0].lower() not in other[1].lower():
                out.append(replace(row, passages=(other,), kind=NONE, answer=None))
                continue
        if len(row.passages) == 2 and row.kind == SPAN and row.answer and rng.random() < 0.5:
            which, start, end = row.answer
            row = replace(row, passages=row.passages[::-1], answer=(1 - which, start, end))
        out.append(row)
    return out
