"""Whether the chains found pass through the gold passages: the measures of MDR and of PAIR, for one question.

A chain is the ids of its passages. A plain id stands for a chain of one passage, so that an ordinary ranking may be
given in place of chains. Chains come best first.

    passage EM               every gold passage is there
    path recall at k         one of the k best chains is made of the gold passages exactly, in whatever order
    average passage recall   the share of the gold passages that are in the k best chains

The means over questions are the figures reported. "Avg-PR" of PAIR's tables is not defined in its text: the name is
that of `average_passage_recall`, while the program its authors published prints under "Avg PR" the share of questions
with some gold passage in the k best chains, which is never lower. A comparison with those tables should say which it
takes.

Sources: Xiong et al. 2021 (MDR), section 3.1, and scripts/eval/eval_mhop_retrieval.py of their program, whose p_em,
path_covered and p_recall these are; Arora et al. 2022 (PAIR), tables 4 and 7.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from answerable.errors import UsageError

Chains = Sequence[str | Sequence[str]]


def passage_em(found: Iterable[str], gold: Collection[str]) -> float:
    """1.0 when every gold id is among those found (one chain's, or all met), else 0.0."""
    return float(_wanted(gold) <= set(found))


def path_recall(chains: Chains, gold: Collection[str], k: int) -> float:
    """1.0 when the passages of one of the first k chains are the gold ones, no fewer and no more; else 0.0."""
    wanted = _wanted(gold)
    return float(any(set(_ids(chain)) == wanted for chain in _first(chains, k)))


def average_passage_recall(chains: Chains, gold: Collection[str], k: int) -> float:
    """Share, 0 to 1, of the gold ids that are in the first k chains."""
    wanted = _wanted(gold)
    return len(wanted & met(chains, k)) / len(wanted)


def met(chains: Chains, k: int) -> set[str]:
    """The ids in the first k chains. Raises `UsageError` when k < 1."""
    return {id for chain in _first(chains, k) for id in _ids(chain)}


def _ids(chain: str | Sequence[str]) -> Sequence[str]:
    return (chain,) if isinstance(chain, str) else chain


def _first(chains: Chains, k: int) -> Chains:
    if k < 1:
        raise UsageError(f"the first {k} chains are none", hint="k counts chains, from 1")
    return chains[:k]


def _wanted(gold: Collection[str]) -> set[str]:
    if not gold:
        raise UsageError("a question without gold passages cannot be scored on its passages", hint="leave it out")
    return set(gold)
