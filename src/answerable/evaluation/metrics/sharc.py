"""Decisions and follow-up questions of ShARC, as its evaluator scores them, with DocHopper's Easy.

A reply is "yes", "no", "irrelevant" (the rule does not apply), or the follow-up question to ask next. Any other text
is a question, so that its decision is "more"; the evaluator takes a missing reply for the question "missing".

    micro accuracy   share of the decisions that are right
    macro accuracy   that share for each of the four decisions, averaged over those that occur in the gold replies.
                     The evaluator averages over four always, and has no figure when one of them does not occur
    BLEU n           over all turns where both replies are questions, together: geometric mean of the smoothed
                     precisions of 1- to n-grams, (matches + 1) / (n-grams said + 1), times the brevity penalty
                     exp(1 − gold length / said length) when less is said than wanted; 0 without such turns
    Easy             the decision is right

The evaluator cuts questions into tokens with spaCy (Honnibal et al. 2020), as is done here, by the extra `evaluate`. It
also rounds to four places.

Sources: Saeidi et al. 2018, sections 4.3 and 5; the evaluator that comes with the data; Papineni et al. 2002; Lin and
Och 2004 (smoothing); Sun, Cohen and Salakhutdinov 2021 (DocHopper), section 4.3 and table 3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from answerable.errors import MissingExtraError

DECISIONS = ("yes", "no", "more", "irrelevant")


def decision(reply: str) -> str:
    """The decision of a reply: itself when it is yes, no or irrelevant, in whatever case, else "more"."""
    said = reply.strip().lower()
    return said if said in DECISIONS else "more"


def micro_accuracy(said: Sequence[str], gold: Sequence[str]) -> float:
    """Share of the replies whose decision is right."""
    pairs = _decisions(said, gold)
    return sum(ours == theirs for ours, theirs in pairs) / len(pairs)


def macro_accuracy(said: Sequence[str], gold: Sequence[str]) -> float:
    """Mean over the decisions that are right for some turn of the share of these turns that are decided rightly."""
    pairs = _decisions(said, gold)
    due = Counter(theirs for _, theirs in pairs)
    right = Counter(theirs for ours, theirs in pairs if ours == theirs)
    return sum(right[d] / due[d] for d in DECISIONS if due[d]) / len(due)


def easy(said: str, gold: str) -> float:
    """1.0 when the decision is right, else 0.0."""
    return float(decision(said) == decision(gold))


@cache
def tokenizer() -> Callable[[str], Iterable[Any]]:
    """spaCy's for English, without a model. Raises `MissingExtraError`."""
    try:
        from spacy.lang.en import English
    except ImportError as error:
        raise MissingExtraError("measuring follow-up questions", "evaluate") from error
    return English().tokenizer


def words(text: str) -> list[str]:
    """Lower-case words, parts of contractions ("do", "n't"), numbers ("5,000") and marks, in order."""
    return [token.lower_ for token in tokenizer()(" ".join(text.split()))]


def follow_up_bleu(said: Sequence[str], gold: Sequence[str], order: int = 4) -> float:
    """BLEU, 0 to 1, of the turns where both replies are follow-up questions, cut by `words`."""
    both = [pair for pair in zip(said, gold, strict=True) if not any(one.strip().lower() in DECISIONS for one in pair)]
    return bleu([words(ours) for ours, _ in both], [words(theirs) for _, theirs in both], order)


def bleu(said: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], order: int = 4) -> float:
    """Smoothed BLEU, 0 to 1, of token lists against one reference each, counted over all of them together.

    0.0 when nothing is said or nothing wanted.
    """
    length, wanted = sum(map(len, said)), sum(map(len, gold))
    if not length or not wanted:
        return 0.0
    logs = 0.0
    for n in range(1, order + 1):
        matches = sum((_grams(s, n) & _grams(g, n)).total() for s, g in zip(said, gold, strict=True))
        possible = sum(max(0, len(s) - n + 1) for s in said)
        logs += (1 / order) * math.log((matches + 1) / (possible + 1))
    ratio = length / wanted
    return math.exp(logs) * (1.0 if ratio > 1 else math.exp(1 - 1 / ratio))


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def _decisions(said: Sequence[str], gold: Sequence[str]) -> list[tuple[str, str]]:
    return [(decision(ours), decision(theirs)) for ours, theirs in zip(said, gold, strict=True)]
