"""Which way a chain goes through the lattice of labels: what its path says, in any workspace, of its answer.

PAIR (Arora et al. 2022, figure 4) finds that confidence means different things for different domains of the hops. There
the domains are two enclaves with names; here only how the labels of the hits compare counts, so that what is learned on
one workspace holds on another.
"""

from __future__ import annotations

from itertools import pairwise

from answerable.types import Chain

PATHS = ("public", "private", "rising", "falling", "crossing")
"""public: every passage is public; private: all have one label, which is not; rising: labels only grow (wiki, then
mail); falling: they only shrink (mail, then wiki); crossing: any other way (mail, then clinic; wiki, mail, wiki)."""


def path_of(chain: Chain) -> str:
    """One of `PATHS`, by the labels of the chain's hits in the order they were found; "public" for an empty chain."""
    labels = [hit.label for hit in chain.hits]
    if not any(labels):
        return "public"
    if len(set(labels)) == 1:
        return "private"
    if all(before <= after for before, after in pairwise(labels)):
        return "rising"
    if all(before >= after for before, after in pairwise(labels)):
        return "falling"
    return "crossing"
