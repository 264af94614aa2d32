"""Whether a thing is so, was so, will be so, may be so or must be so."""

from __future__ import annotations

from collections.abc import Sequence, Set

from answerable.pairs.asking.forms import Word
from answerable.pairs.asking.frames import past
from answerable.pairs.asking.lexicon import AUXILIARIES
from answerable.pairs.asking.weights import MAY, MUST, NEEDED

_TENSES = {
    word: tense
    for tense, words in {"now": "is are am do does", "then": "was were did had", "later": "will shall"}.items()
    for word in words.split()
}


def moods_differ(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether one asks what is so, may be so or must be so, and the other another of these."""
    here, there = {word.low for word in one}, {word.low for word in other}
    must = _must(one, here), _must(other, there)
    if must[0] != must[1]:
        return not NEEDED & (there if must[0] else here)
    if must[0]:
        return False
    return (bool(here & MAY) and not _can(there)) or (bool(there & MAY) and not _can(here))


def _must(words: Sequence[Word], lows: Set[str]) -> bool:
    return bool(lows & MUST) or any(
        word.base == "hav" and n + 1 < len(words) and words[n + 1].low == "to" for n, word in enumerate(words)
    )


def _can(lows: Set[str]) -> bool:
    return bool(lows & MAY) or "can" in lows or any(low.endswith(("able", "ible", "permit", "allow")) for low in lows)


def times_differ(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether one asks of what was and the other of what will be, or, in the same words, of what is.

    Where a number is named it says when, whatever the verb.
    """
    tenses = {_tense(one), _tense(other)}
    if len(tenses) == 1 or "" in tenses:
        return False
    if "later" in tenses:
        return "then" in tenses
    if not all(any(word.low in _TENSES for word in words) for words in (one, other)):
        return False
    left, right = ([word.low for word in words if word.low not in AUXILIARIES] for words in (one, other))
    return left == right and all(word.number is None for word in one)


def _tense(words: Sequence[Word]) -> str:
    helping = next((_TENSES[word.low] for word in words if word.low in _TENSES), "")
    if helping or not words or words[0].low not in ("who", "which", "what"):
        return helping
    return "then" if any(past(word) for word in words[1:4]) else ""
