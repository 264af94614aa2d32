"""Whether what was found holds the gold passages, or an answer.

Whether the chains found pass through the gold passages: the measures of MDR and of PAIR, for one question.

A chain is the ids of its passages. Chains come best first.

    passage EM               every gold passage is there
    path recall at k         one of the k best chains is made of the gold passages exactly, in whatever order
    average passage recall   the share of the gold passages that are in the k best chains

The means over questions are the figures reported. "Avg-PR" of PAIR's tables is not defined in its text: the name is
that of `average_passage_recall`, while the program its authors published prints under "Avg PR" the share of questions
with some gold passage in the k best chains, which is never lower. A comparison with those tables should say which it
takes.

Sources: Xiong et al. 2021 (MDR), section 3.1, and scripts/eval/eval_mhop_retrieval.py of their program, whose p_em,
path_covered and p_recall these are; Arora et al. 2022 (PAIR), tables 4 and 7.

Answer recall at k: whether an answer stands in one of the k best passages, as DPR's script decides it.

A text is brought to Unicode's form NFD and cut into tokens: runs of letters, numbers and marks, and each other visible
character by itself; blanks and control characters only separate. An answer stands in a text when its tokens do, in a
row and without regard to case. "New York" thus stands in "NEW YORK-born", and "art" does not stand in "party".

An answer without any token stands in every text, since the script finds an empty row everywhere. The script looks at
the text of a passage alone, without its title, unless told otherwise: join them before calling to count the title.

Sources: Karpukhin et al. 2020, section 5.1 (top-k accuracy); `has_answer` in their dpr/data/qa_validation.py with
`match_type="string"`, and the SimpleTokenizer of DrQA. Categories of characters are those of Python's own Unicode
tables, so that a character newer than these separates.
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
