"""The walk: a question attends to paragraphs and sentences in turn, and they update it (DocHopper, section 3.4).

A question costs products of a few vectors with those of a book, whatever the document's length. While learning a query
attends softly; here it takes the best entry, as the paper's equations do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf

import numpy as np
from numpy.typing import NDArray

from answerable.documents.encoded import Book
from answerable.documents.weights import WalkWeights
from answerable.encoders.encoder import Vectors
from answerable.types import Stop


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """How to walk. `keep`: sentences of each step that are followed further; 4 and 4 give 16 pairs (section 4.2).

    The rest are the paper's ablations: queries that are not updated, a first step to a sentence instead of a paragraph,
    one step to a sentence and no more.
    """

    keep: int = 4
    update: bool = True
    paragraphs: bool = True
    single: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """A step to a paragraph and one to a sentence. `scores` (n,) float32: equation 8 of every sentence.

    `paragraph`: the one attended to first. `queries` (2, d) float32: the query at the first step and at the second.
    """

    scores: Vectors
    paragraph: int
    queries: Vectors

    def best(self, count: int) -> list[tuple[int, float]]:
        """The numbers of the best sentences with their scores, best first, ties by number."""
        order = np.lexsort((np.arange(len(self.scores)), -self.scores))[:count]
        return [(int(i), float(self.scores[i])) for i in order]


def attend(book: Book, query: Vectors) -> tuple[Vectors, Vectors, Vectors]:
    """Products of a query (d,) with sentences (n,) and paragraphs (p,), and alpha (n,) of equation 3; float32."""
    scores = book.sentences @ query
    starts = book.firsts[:-1]
    sizes = np.diff(book.firsts)
    raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    alpha = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
    return scores, np.add.reduceat(alpha * scores, starts), alpha.astype(np.float32)


def mix(weights: WalkWeights, query: Vectors, sentences: Vectors, alpha: Vectors) -> tuple[Vectors, Vectors]:
    """Equations 4 to 6: what attending to some sentences (m, d) adds to the next query (d,), and k (m, d) of each.

    `alpha` (m,) is that of equation 3, and 1 for a sentence that is attended to by itself.
    """
    mixed = alpha[:, None] * (query @ weights.mix_query)[None] + sentences @ weights.mix_sentence
    toward = mixed @ weights.chosen
    beta = np.exp(toward - toward.max())
    return (beta / beta.sum()) @ mixed, mixed


def stage(
    book: Book,
    asked: Vectors,
    weights: WalkWeights,
    residual: Vectors | None = None,
    sparse: Vectors | None = None,
    settings: WalkSettings = WalkSettings(),
    second: bool = False,
) -> Stage:
    """Two steps: `asked` (2, d) of length 1 attends to a paragraph, and then, updated, to sentences.

    `residual` (d,) is what an earlier step leaves (equation 7), `sparse` (2, p) the sparse features of equation
    8; `second` says that this is the second piece of evidence, which has a lambda of its own.
    """
    query = asked[0] * weights.scale + (0.0 if residual is None else residual)
    scores, paragraphs, alpha = attend(book, query)
    if settings.single:
        found = scores if sparse is None else scores + (weights.sparse @ sparse)[book.paragraph_of]
        return Stage(found.astype(np.float32), int(np.argmax(paragraphs)), np.stack([query, query]))
    chosen = int(np.argmax(paragraphs))
    rows = slice(book.firsts[chosen], book.firsts[chosen + 1])
    if not settings.paragraphs:
        one = int(np.argmax(scores))
        chosen, rows, alpha = int(book.paragraph_of[one]), slice(one, one + 1), np.ones_like(alpha)
    left, _ = mix(weights, query, book.sentences[rows], alpha[rows])
    following = asked[1] * weights.scale + (left if settings.update else 0.0)
    found = book.sentences @ following
    if settings.paragraphs:
        found = found + weights.paragraph[int(second)] * paragraphs[book.paragraph_of]
    if sparse is not None:
        found = found + (weights.sparse @ sparse)[book.paragraph_of]
    return Stage(found.astype(np.float32), chosen, np.stack([query, following]).astype(np.float32))


@dataclass(frozen=True, slots=True)
class Walked:
    """Where a question came to. There is no `second` stage where one piece of evidence is enough.

    `pairs`: (first sentence, second sentence, score) of the combinations that were followed, best first; empty without
    a second. `enough` (0 to 1): how likely two steps were enough.
    """

    first: Stage
    second: Stage | None
    pairs: tuple[tuple[int, int, float], ...]
    enough: float


def walk(
    book: Book,
    asked: Vectors,
    weights: WalkWeights,
    sparse: Vectors | None = None,
    settings: WalkSettings = WalkSettings(),
    pieces: int = 0,
) -> Walked:
    """Walk a book that is not empty; `asked` (4, d): the question and its three dummies, of length 1.

    `pieces` of evidence, 1 or 2: with 0 the walk decides itself whether to go on after the first.
    """
    first = stage(book, asked[:2], weights, None, sparse, settings)
    best = first.best(settings.keep)
    onward = [asked[2] * weights.scale + _left(book, weights, first, one, settings) for one, _ in best]
    logit = float(onward[0] @ weights.stop) + float(weights.stop_bias[0])
    enough = 1.0 / (1.0 + float(np.exp(-logit)))
    if pieces == 1 or (pieces == 0 and enough >= 0.5):
        return Walked(first, None, (), enough)
    if settings.single:
        both = [(a, b, one + other) for i, (a, one) in enumerate(best) for b, other in best[i + 1 :]]
        return Walked(first, first, tuple(both), enough)
    pairs, second = [], None
    for one, score in best:
        residual = _left(book, weights, first, one, settings)
        after = stage(book, asked[2:4], weights, residual, None, settings, second=True)
        second = second or after
        pairs += [(one, other, score + more) for other, more in after.best(settings.keep + 1) if other != one]
    pairs.sort(key=lambda pair: (-pair[2], pair[:2]))
    return Walked(first, second, tuple(pairs[: settings.keep**2]), enough)


def _left(book: Book, weights: WalkWeights, before: Stage, sentence: int, settings: WalkSettings) -> Vectors:
    if not settings.update:
        return np.zeros_like(before.queries[1])
    one = book.sentences[sentence : sentence + 1]
    return mix(weights, before.queries[1], one, np.ones(1, np.float32))[0]


@dataclass(frozen=True, slots=True)
class Turned:
    """What a conversation came to: the probabilities (4,) of `encoders.deciding.DECISIONS`; and for each turn the best
    paragraph, and the best sentence of the book."""

    probabilities: NDArray[np.float32]
    steps: tuple[tuple[int, int], ...]


def converse(book: Book, asked: Vectors, weights: WalkWeights, update: bool = True) -> Turned:
    """Walk a conversation (section 4.3): `asked` (turns, d) of length 1, one step for each.

    A step attends to whichever is best of the paragraphs' null sentences and the sentences.
    """
    residual = np.zeros(book.sentences.shape[1], np.float32)
    kept, steps = [], []
    for turn in asked:
        query = turn * weights.scale + residual
        scores, _, alpha = attend(book, query)
        wholes = book.wholes @ query
        whole, one = int(np.argmax(wholes)), int(np.argmax(scores))
        rows = slice(book.firsts[whole], book.firsts[whole + 1])
        kept.append(mix(weights, query, book.sentences[rows], alpha[rows])[1])
        if wholes[whole] >= scores[one]:
            left = mix(weights, query, book.sentences[rows], alpha[rows])[0]
        else:
            left = mix(weights, query, book.sentences[one : one + 1], np.ones(1, np.float32))[0]
        residual = left if update else residual
        steps.append((whole, one))
    every = np.concatenate(kept)
    toward = every @ weights.classed
    gamma = np.exp(toward - toward.max())
    logits = (gamma / gamma.sum()) @ _gelu(every) @ weights.classes + weights.classes_bias
    raised = np.exp(logits - logits.max())
    return Turned((raised / raised.sum()).astype(np.float32), tuple(steps))


def share(scores: Vectors, chosen: int) -> float:
    """The softmax of one among some scores (m,): how much of its attention a step gives it, 0 to 1."""
    raised = np.exp(scores - scores.max())
    return float(raised[chosen] / raised.sum())


def _gelu(values: Vectors) -> Vectors:
    found: Vectors = 0.5 * values * (1.0 + np.vectorize(erf, otypes=[np.float32])(values / np.sqrt(2.0)))
    return found.astype(np.float32)


def walked_path(book: Book, walked: Walked) -> tuple[Stop, ...]:
    """A paragraph and a sentence; where two pieces of evidence were wanted, then another paragraph and sentence."""
    first = walked.first.best(1)[0][0]
    stops = _two(book, walked.first, first)
    if walked.second:
        after = [one for one, _ in walked.second.best(2) if one != first]
        stops += _two(book, walked.second, after[0]) if after else []
    return tuple(stops)


def _two(book: Book, stage: Stage, sentence: int) -> list[Stop]:
    _, paragraphs, _ = attend(book, stage.queries[0])
    one, around = book.paragraphs[stage.paragraph], book.paragraphs[book.paragraph(sentence)]
    return [
        Stop(one.path, one.start, one.end, share(paragraphs, stage.paragraph), False),
        Stop(around.path, *book.span(sentence), share(stage.scores, sentence), True),
    ]
