"""The path reader: a question and a whole path of passages in one sequence (Chain-of-Skills, appendix C.1).

One pass gives the answers that stand in the path, the sentences that support them, and how good the path is: by the
encoder's expert of reading with four small heads (`recipes/paths.toml`), as int8 ONNX. A path is read alone, since int8
activations are scaled over a batch.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from answerable.encoders.session import Session
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import pad, tokenizer_in
from answerable.errors import ModelError
from answerable.readers.layout import MAX_QUESTION, MAX_TOKENS, Laid, Layout
from answerable.readers.span import best_spans
from answerable.text import is_polar, sentences
from answerable.types import Candidate, Chain, Label

Span = tuple[int, int]
MARK = "[unused0]"
"""[P]: a token of BERT's vocabulary that no text has, so that marking passages adds no weights."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence `number` of passage `passage`, as far as it is shown: tokens [start, end) of the layout."""

    passage: int
    number: int
    start: int
    end: int


class PathLayout(Layout):
    """Lays paths out with a WordPiece tokenizer, in at most `most` tokens (the paper: 512).

    `[CLS] question [SEP] yes no [P] title . text [P] title . text [SEP]`: the vector of a passage's [P] stands for the
    passage, the mean over a sentence's tokens for the sentence, [CLS] for the thresholds of both. An answer is a span
    of a text, or the word yes or no, or [CLS] where the path does not hold it.
    """

    def __init__(self, tokenizer: Tokenizer, most: int = MAX_TOKENS) -> None:
        """Raises `ModelError` when the tokenizer has no yes, no or token that no text has."""
        super().__init__(tokenizer, most)
        yes, no, mark = (tokenizer.token_to_id(token) for token in ("yes", "no", MARK))
        if yes is None or no is None or mark is None:
            raise ModelError(f"the tokenizer has no yes, no and {MARK}", hint="use that of a BERT model")
        self._polar, self.mark = [yes, no], mark
        self.before, self.after, self.end = [self.mark], [], [self.sep]

    def opening(self, question: Encoding) -> list[int]:
        """The question, and the two answers that no text need hold."""
        return [self.cls, *question.ids[:MAX_QUESTION], self.sep, *self._polar]

    def marks(self, laid: Laid) -> list[int]:
        """Where each passage's [P] stands."""
        return [place for place, token in enumerate(laid.ids) if token == self.mark]

    def polar(self, laid: Laid) -> tuple[int, int]:
        """Where yes and no stand."""
        first = self.marks(laid)[0]
        return first - 2, first - 1


def sentences_in(laid: Laid, offsets: Sequence[Sequence[Span]], sentences: Sequence[Sequence[Span]]) -> list[Sentence]:
    """The sentences that a layout shows, in order, where at least one token of each is shown.

    `offsets` are, for each passage, the characters of its text's tokens, `sentences` those of its sentences.
    """
    found = []
    for passage, ((place, first, shown), ends, spans) in enumerate(zip(laid.places, offsets, sentences, strict=True)):
        begins, stops = [a for a, _ in ends], [b for _, b in ends]
        for number, (start, stop) in enumerate(spans):
            low = max(first, bisect_right(stops, start))
            high = min(first + shown, bisect_left(begins, stop))
            if low < high:
                found.append(Sentence(passage, number, place - first + low, place - first + high))
    return found


HEADS = "reading.npz"
"""The file that makes a folder of skills one of a reader of paths too."""
SEARCHED = 2.0
"""Chosen on 95 development questions; from 1.5 to 4 it is as good (`docs/models.md`)."""
WEIGHT = 2.0
"""What a path's score counts for beside an answer's; on the same questions the best path alone answers as well."""
Floats = NDArray[np.float32]
Run = Callable[[Sequence[Sequence[int]]], list[Floats]]
"""Token ids of several paths to the vectors (n, width) of each, which depend on that path alone."""


@dataclass(frozen=True, slots=True)
class Heads:
    """W_p and W_s (width,), and the weights (2, width) and biases (2,) of an answer's begin and end; float32."""

    passages: Floats
    sentences: Floats
    span: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Support:
    """Characters [start, end) of the document of the chain's passage `hit`: a sentence that supports the answer.

    `score` is how far it is above the path's own threshold, as log-odds.
    """

    hit: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class ReadPath:
    """What reading one chain gave: how good a path it is, its answers and the sentences that support them."""

    chain: Chain
    score: float
    candidates: tuple[Candidate, ...]
    supporting: tuple[Support, ...]


class PathReader:
    """Reads chains with the expert of reading, however that is run."""

    def __init__(
        self, layout: PathLayout, heads: Heads, run: Run, split: Callable[[str], Sequence[Span]] = sentences
    ) -> None:
        """`split` gives the sentences of a passage's text."""
        self._layout, self._heads, self._run, self._split = layout, heads, run, split

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        """The chains, given as the search ranked them, with their scores as paths (`ranked`), best first."""
        return [(path.chain, score) for path, score in ranked(self.look(question, chains))]

    def look(self, question: str, chains: Sequence[Chain]) -> list[ReadPath]:
        """Read each chain that has passages once, for all of these. Nothing to read is an ordinary outcome.

        A chain too long for one sequence is read in windows: its score, and that of a sentence, is the highest.
        """
        chains = [chain for chain in chains if chain.hits]
        if not chains or not question.strip():
            return []
        texts = [question]
        for chain in chains:
            for hit in chain.hits:
                texts += [self._layout.head(hit.passage.title), hit.passage.text]
        tokens = iter(self._layout.tokens(texts))
        asked = next(tokens)
        windows, offsets = [], []
        for chain in chains:
            parts = [(next(tokens), next(tokens)) for _ in chain.hits]
            windows.append(self._layout.windows(asked, parts))
            offsets.append([text.offsets for _, text in parts])
        hidden = iter(self._run([laid.ids for found in windows for laid in found]))
        polar = is_polar(question)
        return [
            self._whole(chain, [self._window(chain, laid, ends, next(hidden), polar) for laid in found])
            for chain, found, ends in zip(chains, windows, offsets, strict=True)
        ]

    def _window(self, chain: Chain, laid: Laid, offsets: list[Any], hidden: Floats, polar: bool) -> ReadPath:
        """What one sequence gives; all its sentences, whatever their scores."""
        heads = self._heads
        above = (hidden[self._layout.marks(laid)] - hidden[0]) @ heads.passages
        # `@` wakes threads, which spin for long after it.
        start, end = np.einsum("hw,nw->hn", heads.span, hidden) + heads.bias[:, None]
        if polar:
            null, last = float(start[0] + end[0]), len(chain.hits) - 1
            whole = chain.hits[last].passage
            candidates = [
                Candidate(text, float(start[place] + end[place]) - null, chain, last, whole.start, whole.end)
                for text, place in zip(("yes", "no"), self._layout.polar(laid), strict=True)
            ]
        else:
            candidates = best_spans(chain, laid, offsets, start, end)
        spans = [self._split(hit.passage.text) for hit in chain.hits]
        supporting = []
        for one in sentences_in(laid, offsets, spans):
            first, stop = spans[one.passage][one.number]
            begin = chain.hits[one.passage].passage.start
            score = float((hidden[one.start : one.end].mean(0) - hidden[0]) @ heads.sentences)
            supporting.append(Support(one.passage, begin + first, begin + stop, score))
        return ReadPath(chain, float(above.sum()), tuple(candidates), tuple(supporting))

    def _whole(self, chain: Chain, windows: Sequence[ReadPath]) -> ReadPath:
        """A chain's windows as one: the best score, all answers, each sentence once and only if it supports."""
        best: dict[tuple[int, int, int], Support] = {}
        for window in windows:
            for one in window.supporting:
                key = one.hit, one.start, one.end
                best[key] = max(one, best.get(key, one), key=lambda support: support.score)
        kept = tuple(best[key] for key in sorted(best) if best[key].score > 0)
        candidates = tuple(candidate for window in windows for candidate in window.candidates)
        return ReadPath(chain, max(window.score for window in windows), candidates, kept)


def ranked(found: Sequence[ReadPath]) -> list[tuple[ReadPath, float]]:
    """What was read, given as the search ranked it, with scores, best first, ties by passage ids.

    A path's score is the sum of its passages', each less the threshold. What a passage is above the threshold is the
    log-odds of its being needed, so that paths of different lengths compare: a passage that is not needed makes a path
    worse. From it goes `SEARCHED` times the logarithm of the path's place in the search, which knows of more wrong
    passages than the reader has seen. A place is one among paths of the same length and label: only these compare.
    """
    costs = searched([path.chain for path in found])
    scored = [(path, path.score - cost) for path, cost in zip(found, costs, strict=True)]
    return sorted(scored, key=lambda one: (-one[1], one[0].chain.key))


def searched(chains: Sequence[Chain]) -> list[float]:
    """What goes from the score of each path for its place in the search, of chains as the search ranked them."""
    places: Counter[tuple[int, Label]] = Counter()
    costs = []
    for chain in chains:
        group = len(chain.hits), chain.label
        places[group] += 1
        costs.append(SEARCHED * math.log(places[group]))
    return costs


def behind(order: Sequence[tuple[object, float]], score: float) -> float:
    """What the answers of a path with that score lose to those of the best in `order`."""
    return WEIGHT * (order[0][1] - score)


def open_paths(shipped: Shipped, threads: int = 0) -> PathReader:
    """The path reader in a folder that `training.experts.export_expert` wrote, on `threads` processors (0: all).

    Raises `ModelError` when it has no heads of a reader, or is damaged.
    """
    hint = "export it again"
    try:
        expert, most = str(shipped.about["routing"]["read"]), int(shipped.about["reading"]["tokens"])
        if HEADS not in shipped.about["files"]:
            raise KeyError(HEADS)
        with np.load(shipped.file(HEADS)) as arrays:
            heads = Heads(*(arrays[name] for name in ("passages", "sentences", "span", "bias")))
    except KeyError as error:
        raise ModelError(f"the model in {shipped.folder} does not read paths", hint=hint) from error
    layout = PathLayout(tokenizer_in(shipped.file("tokenizer.json")), most)
    with opening(shipped):
        session = Session(shipped.file(f"{expert}.onnx"), threads)

    def run(rows: Sequence[Sequence[int]]) -> list[Floats]:
        feeds = [dict(zip(("ids", "mask"), pad([row]), strict=True)) for row in rows]
        return [hidden[0] for (hidden,) in session.run_all(feeds)]

    return PathReader(layout, heads, run)
