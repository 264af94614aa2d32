"""What a trained walk is tuned to on the development parts: its lambdas, what its score is worth, how sure it may be.

Lambda 1 and 2 (DocHopper, equation 8) and `trust` maximise the mean F1 over data sets, then the mean hits@1 of
evidence. Each question is encoded once, and each window that any of them leads to is read once; only the lambdas that
find the evidence most often are read for at all. Lambda 2 is of the longest run of words or of BM25. `confidence` is
then fitted to whether the best answer has an F1 above 0.5.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.documents.reader import Guide, Shelved
from answerable.documents.walk import Walked, walk
from answerable.documents.weights import WalkWeights, open_weights
from answerable.encoders.encoder import Vectors
from answerable.encoders.sentences import HOPS, WALK, SentenceEncoder
from answerable.encoders.shipped import Shipped
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, held_by, pieces
from answerable.evaluation.long.load import load
from answerable.evaluation.long.open import last_pieces
from answerable.evaluation.metrics.answers import f1
from answerable.evaluation.tasks.navigating import TWICE, wanted
from answerable.selective.calibrate import fit as regression
from answerable.text import agree
from answerable.training.add_expert import resealed, tunable
from answerable.training.recipe import Kind, Made, ModelRecipe, setting
from answerable.types import Candidate, Chain
from answerable.workspace.models import open_reader

SETS = (
    "squad",
    "nq",
    "policyqa",
    "covidqa",
    "hybridqa",
    "ottqa",
    "doc2dial",
    "conditionalqa",
    "hotpotqa",
    "2wikimultihopqa",
    "musique",
)
FIRST = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
SECOND = (0.0, 0.25, 0.5, 1.0)
_EITHER = (0.15, 0.3, 0.6, 1.0, 2.0)
SPARSE = ((0.0, 0.0), *((one, 0.0) for one in _EITHER), *((0.0, one) for one in _EITHER))
"""Of the longest run and of BM25: one of them."""
TRUST = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
SHORTLIST = 12
"""So many pairs of lambdas, those that find the evidence most often, are read for."""
ALONE = 8.0
"""The margin of an answer without another."""
_STEEPEST = 4.0
"""No weight of the confidence is larger than this, whatever little data says."""


@dataclass(slots=True)
class Posed:
    """A question with all that does not depend on what is tuned. `evidence`: rows of the sentences that hold the last
    piece. `read`: the reader's candidates of each chain that was read, by its passages."""

    source: str
    shelf: Shelved
    text: str
    asked: Vectors
    sparse: Vectors
    count: int
    answers: tuple[str, ...]
    evidence: frozenset[int]
    read: dict[tuple[str, ...], tuple[Candidate, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was tuned, with the mean F1 and hits@1 over data sets that it gives."""

    first: float
    second: float
    sparse: tuple[float, float]
    trust: float
    f1: float
    hits: float

    def put(self, weights: WalkWeights) -> WalkWeights:
        """Weights with these in place of theirs."""
        return replace(
            weights,
            paragraph=np.array([self.first, self.second], np.float32),
            sparse=np.array(self.sparse, np.float32),
            trust=np.array([self.trust], np.float32),
        )


def pose(guide: Guide, source: str, documents: Sequence[LongDocument], most: int) -> Iterator[Posed]:
    """Up to `most` questions that have an answer to find, drawn with a fixed seed, over documents opened once."""
    every = [(one, asked) for one in documents for asked in one.questions if asked.answers and wanted(asked)]
    kept = every if len(every) <= most else random.Random(f"tune {source}").sample(every, most)
    by_document: dict[int, tuple[LongDocument, list[LongQuestion]]] = {}
    for one, asked in kept:
        by_document.setdefault(id(one), (one, []))[1].append(asked)
    for one, questions in by_document.values():
        shelf = guide.open(one.document, one.paragraphs)
        if not shelf.book.paragraphs:
            continue
        for asked in questions:
            text = asked_of(asked)[0]
            gold = pieces(one, asked) if asked.hops else ()
            rows = frozenset(int(shelf.book.firsts[p]) + s for p, s in held_by(one, gold[-1])) if gold else frozenset()
            vectors = guide.navigator.encode_asked([text], HOPS)
            sparse = shelf.wording.features(text)
            yield Posed(source, shelf, text, vectors, sparse, 2 * (source in TWICE), asked.answers, rows)


def candidates(guide: Guide, posed: Posed, walked: Walked) -> tuple[list[Candidate], dict[tuple[str, ...], Chain]]:
    """What the reader says of the chains that a walk leads to, as it scores it, and these chains by their passages.

    A chain is read once for a question: its score by the walk does not change what is read in it.
    """
    chains = {chain.key: chain for chain in guide.chains(posed.shelf.book, walked)}
    new = {key: chain for key, chain in chains.items() if key not in posed.read}
    read = guide.reader.read(posed.text, list(new.values())) if new else []
    posed.read.update({key: tuple(one for one in read if one.chain.key == key) for key in new})
    return [one for key in chains for one in posed.read[key]], chains


def ranked(
    found: Sequence[Candidate], chains: Mapping[tuple[str, ...], Chain], trust: float
) -> list[tuple[float, str]]:
    """Scores and texts of candidates as `Guide.ranked` has them, best first."""
    scored = [(one.score + trust * chains[one.chain.key].score, one.text) for one in found]
    return sorted(scored, key=lambda one: (-one[0], one[1]))


def tune(guide: Guide, posed: Sequence[Posed], shortlist: int = SHORTLIST) -> Chosen:
    """The best of the grid; of equals the first, the smaller values before larger ones. Lambda 1 of a second piece is
    chosen last, with the rest fixed. Raises `UsageError` without questions."""
    if not posed:
        raise UsageError("there is no question to tune on", hint="name data sets that have a development part")
    grid = [Chosen(first, 0.0, sparse, 0.0, 0.0, 0.0) for first, sparse in product(FIRST, SPARSE)]
    if shortlist < len(grid):
        met = [tried(guide, posed, one, ())[0] for one in grid]
        kept = sorted(range(len(grid)), key=lambda place: (-met[place].hits, place))[:shortlist]
        grid = [grid[place] for place in sorted(kept)]
    best = max((one for lambdas in grid for one in tried(guide, posed, lambdas)), key=_order)
    if any(one.count == 2 for one in posed):
        further = (tried(guide, posed, replace(best, second=second), (best.trust,)) for second in SECOND)
        best = max((one for some in further for one in some), key=_order)
    return best


def _order(one: Chosen) -> tuple[float, float]:
    return round(one.f1, 9), round(one.hits, 9)


def tried(guide: Guide, posed: Sequence[Posed], chosen: Chosen, trusts: Sequence[float] = TRUST) -> list[Chosen]:
    """The same lambdas with each trust, measured; without any trust nothing is read, and one tells the hits alone."""
    weights = chosen.put(guide.weights)
    right: dict[str, list[list[float]]] = {}
    hits: dict[str, list[float]] = {}
    for one in posed:
        walked = walk(one.shelf.book, one.asked, weights, _sparse(one, weights), guide.walking, one.count)
        if one.evidence:
            evidence = last_pieces(walked, walked.pairs)
            hits.setdefault(one.source, []).append(float(evidence[0][0] in one.evidence))
        if trusts:
            found, chains = candidates(guide, one, walked)
            said = [ranked(found, chains, trust)[:1] for trust in trusts]
            right.setdefault(one.source, []).append([f1(best[0][1] if best else "", one.answers) for best in said])
    met = float(np.mean([np.mean(each) for each in hits.values()])) if hits else 0.0
    if not trusts:
        return [replace(chosen, hits=met)]
    means = np.mean([np.mean(each, axis=0) for each in right.values()], axis=0)
    return [replace(chosen, trust=trust, f1=float(mean), hits=met) for trust, mean in zip(trusts, means, strict=True)]


def _sparse(posed: Posed, weights: WalkWeights) -> Vectors | None:
    return posed.sparse if weights.sparse.any() else None


def margins(guide: Guide, posed: Sequence[Posed], chosen: Chosen) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each question that has a candidate: (m, 2) the best one's score and how far it is above the best that says
    something else, and (m,) whether its F1 is above 0.5."""
    weights = chosen.put(guide.weights)
    rows, right = [], []
    for one in posed:
        walked = walk(one.shelf.book, one.asked, weights, _sparse(one, weights), guide.walking, one.count)
        order = ranked(*candidates(guide, one, walked), chosen.trust)
        if not order:
            continue
        score, text = order[0]
        other = next((s for s, said in order if not agree(said, text)), score - ALONE)
        rows.append((score, score - other))
        right.append(float(f1(text, one.answers) > 0.5))
    return np.array(rows, np.float64).reshape(-1, 2), np.array(right, np.float64)


def fit(rows: NDArray[np.float64], right: NDArray[np.float64]) -> Vectors:
    """(3,) float32: logistic regression of `right` (m,) on two features (m, 2) and a constant, with a little ridge; no
    weight is negative, since a better score never makes an answer less likely, or beyond 4."""
    weights, bias = regression(rows, right, 1e-2)
    return np.array([*np.clip(weights, 0.0, _STEEPEST), np.clip(bias, -20.0, 20.0)], np.float32)


def write(shipped: Shipped, weights: WalkWeights) -> Shipped:
    """Put weights in place of those in a model's folder, and their checksum in its manifest; the rest stays."""
    path = shipped.file(WALK)
    part = path.with_name(f"tuned-{WALK}")
    weights.save(part)
    part.replace(path)
    return resealed(shipped, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkTuning(ModelRecipe):
    """A recipe of the kind `navigation-tune`: `start` is an exported model that walks, of which a tuned copy is made.

    Of each of `SETS` up to `most` questions are tuned on; `shortlist` pairs of lambdas are read for, by `reader`, which
    is as `models.reader`.
    """

    most: int = 150
    shortlist: int = SHORTLIST
    reader: str = "span"


def _make(recipe: WalkTuning, data: Path, out: Path) -> Made:
    """Tune a copy of the model."""
    shipped = tunable(recipe.start, out / "model")
    weights = open_weights(shipped.file(WALK))
    guide = Guide(SentenceEncoder(shipped, recipe.threads), weights, open_reader(recipe.reader, recipe.threads)[0])
    documents = ((name, list(load(data, name, "development"))) for name in SETS)
    posed = [one for name, held in documents for one in pose(guide, name, held, recipe.most)]
    chosen = tune(guide, posed, recipe.shortlist)
    confidence = fit(*margins(guide, posed, chosen))
    write(shipped, replace(chosen.put(weights), confidence=confidence))
    found = told(chosen, confidence, posed)
    return Made(found, (json.dumps(found, indent=1),), shipped.name, shipped.folder)


def told(chosen: Chosen, confidence: Vectors, posed: Sequence[Posed]) -> dict[str, Any]:
    """What was chosen, for JSON."""
    counts = {name: sum(one.source == name for one in posed) for name in dict.fromkeys(one.source for one in posed)}
    return {
        "lambda 1": [chosen.first, chosen.second],
        "lambda 2": dict(zip(("longest run", "bm25"), chosen.sparse, strict=True)),
        "trust": chosen.trust,
        "confidence": [round(float(one), 4) for one in confidence],
        "F1": round(chosen.f1, 4),
        "hits@1": round(chosen.hits, 4),
        "questions": counts,
    }


KINDS = {"navigation-tune": Kind(WalkTuning, _make, setting("navigator"))}
