"""Several skills at one hop: what they found is aligned, promoted and reranked (Ma et al. 2023, appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.types import Hit

Identity = tuple[str, str]


def identity(hit: Hit) -> Identity:
    """Which passage a hit is: two enclaves may hold passages of one id."""
    return (hit.passage.enclave, hit.passage.id)


def merged(retrieved: Sequence[Hit], linked: Sequence[Hit], alpha: float) -> list[Hit]:
    """The hits of retrieval and of linking in one list, best first, each passage once.

    Equation 6 scales linking scores down so that the best of them is not above the best retrieved, and never up: names
    that are linked with little confidence mostly do not matter. What both found gets `alpha` times the higher of its
    scores (equation 7), and counts as retrieved.
    """
    right = _best_scores(retrieved)
    left = _best_scores(linked)
    if left and right:
        highest = max(hit.score for hit in right.values())
        scale = highest / max(highest, *(hit.score for hit in left.values())) if highest > 0 else 1.0
        left = {key: replace(hit, score=hit.score * scale) for key, hit in left.items()}
    both = {
        key: replace(hit, score=alpha * max(hit.score, left[key].score)) if key in left else hit
        for key, hit in right.items()
    }
    return sorted({**left, **both}.values(), key=lambda hit: (-hit.score, hit.passage.id, hit.passage.enclave))


def reranked(hit: Hit, score: float, beta: float) -> Hit:
    """The hit with `beta` times its reranking score added to its own (equation 8)."""
    return replace(hit, score=hit.score + beta * score)


def _best_scores(hits: Sequence[Hit]) -> dict[Identity, Hit]:
    best: dict[Identity, Hit] = {}
    for hit in hits:
        if identity(hit) not in best or hit.score > best[identity(hit)].score:
            best[identity(hit)] = hit
    return best
