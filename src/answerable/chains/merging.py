"""What several searches found put together: scores of different queries and skills do not compare as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from answerable.types import Chain, Hit

Identity = tuple[str, str]


def identity(hit: Hit) -> Identity:
    """Which passage a hit is, by what it says: it and its copies, in whatever enclaves, are one."""
    return (hit.passage.heading, hit.passage.text)


def merged(retrieved: Sequence[Hit], linked: Sequence[Hit], alpha: float) -> list[Hit]:
    """The hits of retrieval and of linking in one list, best first, each passage once.

    Equation 6 scales linking scores down so that the best of them is not above the best retrieved, and never up: names
    that are linked with little confidence mostly do not matter. What both found gets `alpha` times the higher of its
    scores (equation 7), and counts as retrieved.
    """
    right = _best_scores(retrieved)
    left = _best_scores(linked)
    if left and right:
        scale = _scale(*(max(hit.score for hit in side.values()) for side in (right, left)))
        left = {key: replace(hit, score=hit.score * scale) for key, hit in left.items()}
    both = {
        key: replace(hit, score=alpha * max(hit.score, left[key].score)) if key in left else hit
        for key, hit in right.items()
    }
    return best_hits({**left, **both}.values())


def best_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Hits by score, ties by passage id, then by enclave."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id, hit.passage.enclave))


def _best_scores(hits: Sequence[Hit]) -> dict[Identity, Hit]:
    best: dict[Identity, Hit] = {}
    for hit in hits:
        if identity(hit) not in best or hit.score > best[identity(hit)].score:
            best[identity(hit)] = hit
    return best


def besides(
    own: Sequence[Chain], others: Iterable[Sequence[Chain]], most: int, among: int | None = None
) -> list[Chain]:
    """The best of what each other query found in turn, at most `most`, without the chains there are.

    Scores are scaled as in equation 6, so that none is above the best of these. `among`: so many paths of enclaves
    share the places, since scores of two enclaves do not compare either; None: all compete.
    """
    if among is not None:
        found = [[*some] for some in others]
        paths = sorted({enclaves_of(one) for some in found for one in some})
        groups = ((_of(path, own), [_of(path, some) for some in found]) for path in paths)
        return [one for mine, rest in groups for one in besides(mine, rest, -(-most // among))]
    highest = max((chain.hits[-1].score for chain in own), default=None)
    known = {tuple(map(identity, chain.hits)) for chain in own}
    new: dict[tuple[Identity, ...], Chain] = {}
    for chain in in_turn(sorted(_below(some, highest), key=rank) for some in others):
        if tuple(map(identity, chain.hits)) not in known:
            new.setdefault(tuple(map(identity, chain.hits)), chain)
    return [*islice(new.values(), most)]


def _of(path: tuple[str, ...], chains: Iterable[Chain]) -> list[Chain]:
    return [one for one in chains if enclaves_of(one) == path]


def _below(chains: Sequence[Chain], highest: float | None) -> list[Chain]:
    """The chains with the scores of their last hits scaled, so that the best of these is not above the highest."""
    if highest is None or not chains:
        return [*chains]
    scale = _scale(highest, max(chain.hits[-1].score for chain in chains))
    scaled = (replace(chain.hits[-1], score=chain.hits[-1].score * scale) for chain in chains)
    return [
        Chain((*chain.hits[:-1], hit), chain.score - chain.hits[-1].score + hit.score, chain.label)
        for chain, hit in zip(chains, scaled, strict=True)
    ]


def _scale(highest: float, best: float) -> float:
    """Equation 6: what other scores are multiplied by, the best of which is `best`; scores that are no shares stay."""
    return highest / max(highest, best) if highest > 0 else 1.0


def in_turn(groups: Iterable[Iterable[Chain]]) -> Iterator[Chain]:
    """The first of each group, then the second of each, and so on."""
    return (chain for turn in zip_longest(*groups) for chain in turn if chain is not None)


def rank(chain: Chain) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
    """Best first; ties by passage ids, then by enclaves (two enclaves may hold passages of one id)."""
    return (-chain.score, chain.key, enclaves_of(chain))


def enclaves_of(chain: Chain) -> tuple[str, ...]:
    """The enclaves of its passages, in order."""
    return tuple(hit.passage.enclave for hit in chain.hits)
