"""How well documents are walked: development questions over whole documents, by the walk that runs without torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch

from answerable.documents.encoded import open_book
from answerable.documents.walk import WalkSettings, converse, walk
from answerable.documents.weights import DECISIONS
from answerable.encoders.encoder import Vectors
from answerable.encoders.sentences import HOPS, Laid, SentenceLayout
from answerable.evaluation.long.asked import LongDocument, asked_of, held_by, pieces
from answerable.training.documents.batch import encode
from answerable.training.documents.model import Walker, weights_of


class TrainedNavigator:
    """The encoder of a walk in training, as it would be exported, in bf16."""

    name = "in training"

    def __init__(self, walker: Walker, layout: SentenceLayout) -> None:
        self._walker, self._layout = walker, layout
        self.dimension = walker.model.trunk.shape.width

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """As `Navigator`."""
        windows = self._layout.paragraphs(paragraphs)
        vectors = self._run([row for paragraph in windows for row in paragraph])
        found, done = [], 0
        for paragraph in windows:
            mine = []
            for one in paragraph:
                mine.append(vectors[done : done + len(one.roles)])
                done += len(one.roles)
            whole = np.sum([one[-1] for one in mine], axis=0)
            found.append((np.concatenate([one[:-1] for one in mine]), whole / np.linalg.norm(whole)))
        return found

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """As `Navigator`."""
        return self._run(self._layout.asked([(sentences, nulls)]))

    def _run(self, rows: Sequence[Laid]) -> Vectors:
        with torch.no_grad():
            vectors: Vectors = encode(self._walker.encoder, rows, self._walker.scale.device).cpu().numpy()
        return vectors


def judge(
    walker: Walker,
    layout: SentenceLayout,
    sources: Sequence[tuple[str, Sequence[LongDocument]]],
    walking: WalkSettings = WalkSettings(),
) -> dict[str, float]:
    """For each source, how often the best sentence is evidence, or a conversation is decided as it was.

    Of two pieces of evidence both have to be in the best pair, in whichever order.
    """
    walker.eval()
    navigator, weights = TrainedNavigator(walker, layout), weights_of(walker)
    right: dict[str, list[float]] = defaultdict(list)
    for source, documents in sources:
        for one in documents:
            book = open_book(one.document, one.paragraphs, navigator)
            for question in one.questions:
                sentences = asked_of(question)
                if question.kind in DECISIONS:
                    turned = converse(book, navigator.encode_asked(sentences, 0), weights, walking.update)
                    said = DECISIONS[int(np.argmax(turned.probabilities))]
                    right[f"{source} decided"].append(float(said == question.kind))
                    continue
                if not question.hops or not question.hops[-1]:
                    continue
                evidence = pieces(one, question)
                found = walk(book, navigator.encode_asked(sentences, HOPS), weights, None, walking, len(evidence))
                gold = [{int(book.firsts[p]) + s for p, s in held_by(one, hop)} for hop in evidence]
                if len(evidence) == 1:
                    right[f"{source} first"].append(float(found.first.best(1)[0][0] in gold[-1]))
                else:
                    a, b, _ = found.pairs[0]
                    met = (a in gold[0] and b in gold[1]) or (b in gold[0] and a in gold[1])
                    right[f"{source} both"].append(float(met))
    return {name: sum(each) / len(each) for name, each in sorted(right.items())}
