"""How far people agree: majority, and Fleiss' kappa (Fleiss 1971), as reported in section 3.3.3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def most(votes: Sequence[bool]) -> bool:
    """Whether more than half of the votes are for it."""
    return 2 * sum(votes) > len(votes)


def fleiss_kappa(rated: Sequence[Sequence[Hashable]]) -> float | None:
    """Agreement beyond chance of the ratings of each thing: 1 where all agree, 0 where they do as by chance.

    κ = (P̄ - P̄_e) / (1 - P̄_e), with P̄ the mean share of agreeing pairs of raters and P̄_e the sum of the squared
    shares of the ratings. Things with another number of ratings than most have (of two or more) are left out. None
    where nothing was rated twice, or only one rating was ever given.
    """
    numbers = Counter(len(ratings) for ratings in rated if len(ratings) > 1)
    if not numbers:
        return None
    raters = max(numbers, key=lambda number: (numbers[number], number))
    counted = [Counter(ratings) for ratings in rated if len(ratings) == raters]
    shares = sum(counted, Counter[Hashable]())
    total = raters * len(counted)
    chance = sum((count / total) ** 2 for count in shares.values())
    if len(shares) < 2:
        return None
    pairs = [sum(count * (count - 1) for count in one.values()) / (raters * (raters - 1)) for one in counted]
    return (sum(pairs) / len(pairs) - chance) / (1 - chance)


def unanimous(rated: Sequence[Sequence[Hashable]]) -> float | None:
    """The share of things rated twice or more whose ratings are all the same, or None where there are none."""
    several = [ratings for ratings in rated if len(ratings) > 1]
    return sum(len(set(ratings)) == 1 for ratings in several) / len(several) if several else None
