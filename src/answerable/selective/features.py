"""What the engine knows of its own answer before it decides to give it.

The paper takes the softmax over the scores of the k chains (PAIR, section 6.1) and, in appendix E, sums it over
chains that give the same answer. Both are features here, beside what they leave out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from answerable.text import agree, asks_for_reasons, mail_head, normalise_answer, words
from answerable.types import Candidate, Chain


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer with all that supports it, and the features of its confidence. `path`: one of `PATHS`."""

    text: str
    candidate: Candidate
    features: tuple[float, ...]
    path: str = "public"


OWN = ("score", "softmax", "grouped", "margin", "agreeing", "rank", "covered", "polar")
NAMES = (*OWN, "hops", "apart", "reasons", "headed")
"""The features, in order:
score: the reader's log-odds of the best candidate, squashed to (0, 1).
softmax: of that score over the best candidate of each chain.
grouped: the same, summed over the chains that give this answer.
margin: score difference to the best answer that does not agree with it, squashed to (0, 1).
agreeing: share of chains that give this answer.
rank: 1 / (1 + rank of the candidate's chain in retrieval).
covered: share of the question's words that stand in the chain.
polar: 1 for a yes or a no.
hops: passages of the chain beyond the first.
apart: how far the best passage that was read scores above the sixth, or above the last of fewer.
reasons: 1 for a question that asks why or how.
headed: 1 for words of the lines over a mail (from, to, date, subject), which are seldom what is asked for, but for its
date where somebody asks when its sender did something.
`OWN` are those that a single passage has too."""
_POLAR = NAMES.index("polar")
_SQUASHED = 4
"""What log-odds are divided by before they are squashed."""
_RANKED = 5
"""The place of the passage, from 0, that the best one is compared with."""


def choices(question: str, candidates: Sequence[Candidate], chains: Sequence[Chain]) -> list[Choice]:
    """Equal answers (after normalisation) grouped, best first by `score` with ties by text.

    `candidates` are the reader's, best first; `chains` those it read, in retrieval order.
    """
    if not candidates:
        return []
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(normalise_answer(candidate.text) or candidate.text, []).append(candidate)
    best_of_chain: dict[tuple[str, ...], Candidate] = {}
    for candidate in candidates:
        best_of_chain.setdefault(candidate.chain.key, candidate)
    top = max(c.score for c in candidates)
    weights = {key: math.exp(c.score - top) for key, c in best_of_chain.items()}
    total = math.fsum(weights.values())  # exact, so that what all chains agree on is 1.0, whatever their order
    ranks = {chain.key: rank for rank, chain in enumerate(chains)}
    asked, reasons, apart = set(words(question)), float(asks_for_reasons(question)), _apart(chains)
    heads = sorted(((group[0], group) for group in groups.values()), key=lambda g: (-g[0].score, g[0].text))
    made = []
    for head, group in heads:
        others = [other.score for other, _ in heads if not agree(head.text, other.text)]
        margin = head.score - max(others) if others else 8.0
        agreeing = {c.chain.key for c in group if best_of_chain[c.chain.key] in group}
        read = {w for hit in head.chain.hits for w in words(f"{hit.passage.title} {hit.passage.text}")}
        own = (
            squash(head.score / _SQUASHED),
            math.exp(head.score - top) / total,
            math.fsum(weights[key] for key in agreeing) / total,
            squash(margin / _SQUASHED),
            len(agreeing) / len(best_of_chain),
            1 / (1 + ranks.get(head.chain.key, len(ranks))),
            len(asked & read) / len(asked) if asked else 0.0,
            1.0 if head.text in ("yes", "no") else 0.0,
            float(len(head.chain.hits) - 1),
            apart,
            reasons,
            float(_headed(head, asked)),
        )
        made.append(Choice(head.text, head, own, path_of(head.chain)))
    return made


def _headed(candidate: Candidate, asked: Set[str]) -> bool:
    """Whether an answer stands over a mail, and is not its date where the question is when its sender did something."""
    passage = candidate.chain.hits[candidate.hit].passage
    head, at = passage.text[: mail_head(passage.text)], candidate.start - passage.start
    if at >= len(head) or candidate.text in ("yes", "no"):
        return False
    dated = head[head.rfind("\n", 0, at) + 1 :].startswith("Date: ")
    return not (dated and "when" in asked and not asked.isdisjoint(words(head.partition("\n")[0])))


def _apart(chains: Sequence[Chain]) -> float:
    scores = {(hit.passage.enclave, hit.passage.id): hit.score for chain in chains for hit in chain.hits}
    ranked = sorted(scores.values(), reverse=True)
    return ranked[0] - ranked[min(_RANKED, len(ranked) - 1)] if ranked else 0.0


def squash(value: float) -> float:
    """The logistic function, safe at both ends."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, value))))


def is_polar(features: Sequence[float]) -> bool:
    """Whether features, in the order of `NAMES`, are those of a yes or a no."""
    return len(features) > _POLAR and features[_POLAR] == 1.0


def reader_log_odds(features: Sequence[float]) -> float:
    """The reader's log-odds of the candidate that has these features."""
    score = min(max(features[0], 1e-9), 1 - 1e-9)
    return _SQUASHED * math.log(score / (1 - score))


PATHS = ("public", "private", "rising", "falling", "crossing")
"""public: every passage is public; private: all have one label, which is not; rising: labels only grow (wiki, then
mail); falling: they only shrink (mail, then wiki); crossing: any other way (mail, then clinic; wiki, mail, wiki)."""


def path_of(chain: Chain) -> str:
    """One of `PATHS`, by the labels of the chain's hits in the order they were found; "public" for an empty chain.

    PAIR (Arora et al. 2022, figure 4) finds that confidence means different things for different domains of the hops:
    there two enclaves with names, here only how labels compare, so that what is learned holds in any workspace.
    """
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
