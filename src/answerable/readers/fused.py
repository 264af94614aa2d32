"""The reader of many passages at once: Fusion-in-Encoder (Kedia et al. 2022; Chain-of-Skills, appendix C.1).

All passages of a question are read together, each once, whatever chains hold it, and one softmax goes over all spans
of all of them. So scores of different passages compare, and an answer that several give is the likelier for it. It is
the encoder's expert of reading with a few global tokens (`answerable.training.fusion.model`), trained by
`recipes/fusion.toml` and run as int8 ONNX.

Privacy: a candidate's score depends on every passage read, private ones included, also where the candidate stands in a
public one. That is allowed for an answer, whose label is the union over all hits consulted, and the same asker may read
all of them. It would not be for a query: nothing here is searched with, and after reading nothing is sent anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from answerable.encoders.session import Session
from answerable.encoders.shipped import Shipped
from answerable.encoders.wordpieces import pad
from answerable.errors import ModelError
from answerable.readers.layout import Laid
from answerable.readers.path_layout import PathLayout
from answerable.text import is_polar, normalise_answer
from answerable.types import Candidate, Chain

FUSED, GRAPH = "fused", "fused.onnx"
"""What the manifest calls it, and the file that makes a folder of skills one of a reader of many passages too."""
MOST = 32
"""Sequences read together: memory grows with them, and training has seen ten. More are read in several groups."""
LOOKED, GIVEN = 200, 20
"""The best spans that are looked at, and the best answers that are given."""

Floats = NDArray[np.float32]
Run = Callable[[Sequence[Sequence[int]]], tuple[Floats, float]]
"""Token ids of p sequences of one question to the scores (p, n, longest) of their spans, and that of none of them.

`[i, j, k]` is the score of tokens j to j + k of sequence i, n the longest sequence; others are not looked at.
"""
Place = tuple[int, int, int]
"""A passage by its number, and the first and last of its text's tokens."""


class FusedReader:
    """Reads the passages of all chains at once, however the model is run."""

    name = FUSED

    def __init__(self, layout: PathLayout, run: Run) -> None:
        """Each passage is laid out as a path of its own."""
        self._layout, self._run = layout, run

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """Up to `GIVEN` answers, each once, best first; of a polar question yes and no.

        A score is the log-odds of the answer against "in none of the passages", all spans that say it counted. The
        candidate stands where the best of them does, in the first chain given that holds the passage: the engine gives
        chains best first.
        """
        held: dict[tuple[str, str], tuple[Chain, int]] = {}
        for chain in chains:
            for number, hit in enumerate(chain.hits):
                held.setdefault((hit.passage.enclave, hit.passage.id), (chain, number))
        if not held or not question.strip():
            return []
        places = [held[key] for key in sorted(held)]  # so that the order of chains changes no score
        passages = [chain.hits[number].passage for chain, number in places]
        texts = [text for one in passages for text in (self._layout.head(one.title), one.text)]
        asked, *tokens = self._layout.tokens([question, *texts])
        parts = list(zip(tokens[::2], tokens[1::2], strict=True))
        polar = is_polar(question)
        odds: dict[str, dict[Place, float]] = {}
        for place, score, word in self._spans(asked, parts, polar):
            said = word or passages[place[0]].text[slice(*_characters(parts[place[0]][1], place))]
            one = odds.setdefault(normalise_answer(said), {})
            one[place] = max(score, one.get(place, score))  # windows of a long passage share spans
        odds.pop("", None)
        found = []
        for words, spans in odds.items():
            which = max(spans, key=lambda place: (spans[place], *(-number for number in place)))
            (chain, number), passage = places[which[0]], passages[which[0]]
            start, end = (0, len(passage.text)) if polar else _characters(parts[which[0]][1], which)
            said = words if polar else passage.text[start:end]
            score = float(np.logaddexp.reduce(list(spans.values())))
            found.append(Candidate(said, score, chain, number, passage.start + start, passage.start + end))
        return sorted(found, key=lambda c: (-c.score, c.text, c.chain.key))[:GIVEN]

    def _spans(
        self, asked: Encoding, parts: Sequence[tuple[Encoding, Encoding]], polar: bool
    ) -> Iterator[tuple[Place, float, str]]:
        """The best spans of each group of sequences as log-odds against none; with yes or no, where it was said."""
        laid = [(number, one) for number, part in enumerate(parts) for one in self._layout.windows(asked, [part])]
        for begin in range(0, len(laid), MOST):
            group = laid[begin : begin + MOST]
            scores, none = self._run([one.ids for _, one in group])
            for row, (number, one) in enumerate(group if polar else ()):
                for word, at in zip(("yes", "no"), self._layout.polar(one), strict=True):
                    yield (number, 0, 0), float(scores[row, at, 0]) - none, word
            if not polar:
                yield from _best(scores, none, group)


def _best(scores: Floats, none: float, group: Sequence[tuple[int, Laid]]) -> Iterator[tuple[Place, float, str]]:
    """The `LOOKED` best spans that lie within one passage's text."""
    inside = np.full(scores.shape, -np.inf, np.float32)
    for row, (_, one) in enumerate(group):
        ((place, _, shown),) = one.places
        for extra in range(min(scores.shape[2], shown)):
            span = slice(place, place + shown - extra)
            inside[row, span, extra] = scores[row, span, extra]
    flat = inside.ravel()
    best = np.argsort(-flat, kind="stable")[:LOOKED]
    for at in best[np.isfinite(flat[best])]:
        row, token, extra = np.unravel_index(at, scores.shape)
        number, one = group[row]
        first = int(token) - one.places[0][0] + one.places[0][1]
        yield (number, first, first + int(extra)), float(flat[at]) - none, ""


def _characters(text: Encoding, place: Place) -> tuple[int, int]:
    """Where a span stands in its passage's text."""
    return text.offsets[place[1]][0], text.offsets[place[2]][1]


def reads_fused(shipped: Shipped) -> bool:
    """Whether a folder of weights has what a reader of many passages needs."""
    return GRAPH in shipped.about["files"]


def open_fused(shipped: Shipped, threads: int = 0) -> FusedReader:
    """The reader in a folder that `training.export_fusion` wrote, on `threads` processors (0: all).

    Raises `ModelError` when it has no such reader, or is damaged.
    """
    from tokenizers import Tokenizer

    hint = "export it again"
    if not reads_fused(shipped):
        raise ModelError(f"the model in {shipped.folder} does not read many passages", hint=hint)
    try:
        layout = PathLayout(Tokenizer.from_file(str(shipped.file("tokenizer.json"))), shipped.about[FUSED]["tokens"])
        session = Session(shipped.file(GRAPH), threads)
    except ModelError:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise bare exceptions of their own
        raise ModelError(f"the model in {shipped.folder} cannot be run", hint=hint) from error

    def run(rows: Sequence[Sequence[int]]) -> tuple[Floats, float]:
        scores, none = session.run(dict(zip(("ids", "mask"), pad(rows), strict=True)))
        return scores, float(none)

    return FusedReader(layout, run)
