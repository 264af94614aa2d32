"""Whether what was found holds the gold passages, or an answer.

A chain is the ids of its passages. Chains come best first.

    passage EM               every gold passage is there
    path recall at k         one of the k best chains is made of the gold passages exactly, in whatever order
    average passage recall   the share of the gold passages that are in the k best chains

"Avg-PR" of PAIR's tables is not defined in its text: the name is that of `average_passage_recall`, while its authors'
program prints so the share of questions with some gold passage in the k best chains, which is never lower. Xiong et al.
2021 (MDR), section 3.1 and scripts/eval/eval_mhop_retrieval.py; Arora et al. 2022 (PAIR), tables 4 and 7.

Answer recall at k: whether an answer stands in one of the k best passages, as DPR's script decides it. A text is
brought to Unicode's form NFD and cut into runs of letters, numbers and marks, and each other visible character by
itself. An answer stands in a text when its tokens do, in a row and whatever their case; one without any token stands
everywhere. The script looks at a passage's text without its title. Karpukhin et al. 2020, section 5.1; `has_answer` in
dpr/data/qa_validation.py. Categories are those of Python's Unicode tables: a newer character separates.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence

Chains = Sequence[Sequence[str]]


def passage_em(found: Iterable[str], gold: Collection[str]) -> float:
    """1.0 when every gold id is among those found (one chain's, or all met), else 0.0."""
    return float(set(gold) <= set(found))


def path_recall(chains: Chains, gold: Collection[str], k: int) -> float:
    """1.0 when the passages of one of the first k chains are the gold ones, no fewer and no more; else 0.0."""
    return float(any(set(chain) == set(gold) for chain in chains[:k]))


def average_passage_recall(chains: Chains, gold: Collection[str], k: int) -> float:
    """Share, 0 to 1, of the gold ids that are in the first k chains."""
    return len(set(gold) & met(chains, k)) / len(set(gold))


def met(chains: Chains, k: int) -> set[str]:
    """The ids in the first k chains."""
    return {id for chain in chains[:k] for id in chain}


class _Spacing(dict[int, str]):
    """For `str.translate`: what belongs to words as it is, other visible characters set apart, the rest a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)[0]
        self[code] = character if kind in "LNM" else " " if kind in "ZC" else f" {character} "
        return self[code]


_SPACING = _Spacing()


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order and in lower case."""
    return [token.lower() for token in unicodedata.normalize("NFD", text).translate(_SPACING).split(" ") if token]


def answer_rank(texts: Iterable[str], answers: Iterable[str]) -> int | None:
    """Rank, from 1, of the first text in which an answer stands; None when there is none."""
    rows = _rows(answers)
    return next((rank for rank, text in enumerate(texts, start=1) if _holds(text, rows)), None)


def _rows(answers: Iterable[str]) -> list[str]:
    """Each answer's tokens in a row with a space on either side of each; '' for an answer without tokens."""
    return [f" {' '.join(row)} " if row else "" for row in map(tokens, answers)]


def _holds(text: str, rows: Sequence[str]) -> bool:
    if not rows:
        return False
    row = f" {' '.join(tokens(text))} "  # tokens hold no spaces, so that a row of tokens is a piece of this string
    return any(answer in row for answer in rows)
