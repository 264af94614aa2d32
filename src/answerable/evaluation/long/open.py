"""The walk as a system among others, with the paper's ablations of it and with its pairs of evidence reranked; and all
systems opened by the names of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from answerable.documents.reader import Guide, Ranker, Shelved
from answerable.documents.walk import Walked
from answerable.documents.weights import WalkWeights
from answerable.encoders.choose import HASHED, SKILLS, encoder_folder, open_encoder
from answerable.encoders.pretrained import called
from answerable.encoders.sentences import WALK
from answerable.encoders.shipped import open_shipped
from answerable.errors import UsageError
from answerable.evaluation.long.conversations import Conversing
from answerable.evaluation.long.systems import Answered, Bm25, Opened, Passages, Sequential, System
from answerable.workspace.models import open_decider, open_navigator, open_reader, reader_folder
from answerable.workspace.opened import OpenedRanker

SPARSE = 0.3
"""Lambda 2 of the ablation with the sparse feature, where the walk has none."""
RANKED = 16
"""So many sentences are told as evidence."""


@dataclass(frozen=True, slots=True)
class Walking(System):
    """`Guide.read`, as it is, as an ablation has it, or with a ranker that puts its pairs of evidence in order."""

    name: str
    guide: Guide

    def open(self, shelf: Shelved, seconds: float) -> Opened:
        """The vectors of all sentences and paragraphs are kept."""
        size = shelf.book.sentences.nbytes + shelf.book.wholes.nbytes
        return Opened(shelf, seconds, size)

    def answer(self, opened: Opened, question: str, pieces: int = 0) -> Answered:
        """Walk and read. What takes a single step has no last piece of evidence: all its sentences are ranked by it."""
        found = self.guide.read(opened.shelf, question, pieces)
        evidence = last_pieces(found.walked, () if self.guide.walking.single else found.pairs)
        return Answered(found.candidates, evidence, found.pairs)


def last_pieces(walked: Walked | None, pairs: Sequence[tuple[int, int, float]]) -> tuple[tuple[int, float], ...]:
    """`ranked` of an `Answered`: of two pieces of evidence the last, by these pairs; of one the best sentences."""
    if walked is None:
        return ()
    if not pairs:
        return tuple(walked.first.best(RANKED))
    found: dict[int, float] = {}
    for _, second, score in pairs:
        found.setdefault(second, score)
    return tuple(found.items())


def reranked(guide: Guide, ranker: Ranker) -> Walking:
    """The walk whose pairs of evidence a reader of paths ranks, and of which the best are answered from (section 4.2).

    A question that needs one piece is answered as the walk does.
    """
    return Walking("reranked", replace(guide, ranker=ranker))


def walks(guide: Guide) -> list[Walking]:
    """The walk, and its ablations, all with the same weights."""
    settings = guide.walking
    other = "no-sparse" if guide.weights.sparse.any() else "sparse"
    value = 0.0 if guide.weights.sparse.any() else SPARSE
    return [
        Walking("walk", guide),
        Walking("single-hop", replace(guide, walking=replace(settings, single=True))),
        Walking("sentence-only", replace(guide, walking=replace(settings, paragraphs=False))),
        Walking("no-update", replace(guide, walking=replace(settings, update=False))),
        Walking(other, replace(guide, weights=with_sparse(guide.weights, value))),
    ]


def with_sparse(weights: WalkWeights, value: float) -> WalkWeights:
    """The same weights with another lambda 2, of the longest run, and none of BM25."""
    return replace(weights, sparse=np.array([value, 0.0], np.float32))


Named = TypeVar("Named", bound=System | Conversing)


def open_guide(navigator: str, reader: str, threads: int = 0) -> tuple[Guide, dict[str, str]]:
    """A guide by the names of its navigator and its reader, as for `chosen`; and what they are called.

    Raises `UsageError` for an unknown name and `ModelError` where one cannot be opened or does not walk.
    """
    encoder, weights = open_navigator(navigator, threads)
    folder = reader_folder(reader)
    named = called(folder) if folder.is_dir() else reader
    walk = "plain" if navigator == HASHED else str(open_shipped(encoder_folder(navigator)).about["files"][WALK])[:8]
    about = {"navigator": encoder.name, "walk": walk, "reader": named}
    return Guide(encoder, weights, open_reader(reader, threads)[0], decider=open_decider(navigator, threads)), about


def navigating(guide: Guide, names: Sequence[str], twice: bool, threads: int = 0) -> list[System]:
    """The systems of these names, in their order; without any, all: `reranked` where all questions want two pieces of
    evidence. Raises `UsageError` for an unknown name."""
    retrieving = Bm25(guide.reader, guide.settings.windows, guide.settings.wide // 2)
    made: list[System] = [*walks(guide), retrieving, Sequential(guide.reader)]
    if not names or "passages" in names:
        made.append(Passages(guide.reader, open_encoder(SKILLS, threads)))
    if "reranked" in names or (twice and not names):
        made.insert(1, reranked(guide, OpenedRanker(threads)))
    return chosen(made, names, ("passages", "reranked"))


def chosen(made: Sequence[Named], names: Sequence[str], further: Sequence[str] = ()) -> list[Named]:
    """Those of the names given, each once, in the order given; without names, all. Raises `UsageError` for others.

    `further` are names that are there when asked for.
    """
    by_name: dict[str, Named] = {one.name: one for one in made}
    for name in names:
        if name not in by_name:
            known = ", ".join(dict.fromkeys([*by_name, *further]))
            raise UsageError(f"there is no system `{name}`", hint=f"one of {known}")
    return [by_name[name] for name in dict.fromkeys(names or by_name)]
