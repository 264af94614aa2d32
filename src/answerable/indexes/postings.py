"""BM25 over postings that an engine keeps: the words, the statistics and the scores of `indexes.lexical`.

What a query weighs is worked out here, once for every engine; what stands where is the engine's to look up and add up.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from answerable.indexes.index import Ranking, Statistics, best
from answerable.indexes.terms import Term, asked, is_joined
from answerable.languages import ENGLISH

K1, B = 1.2, 0.75
MAX_TERMS = 32
"""A longer query is cut to its most informative words: time grows with the words, the ranking hardly changes."""
MISSPELT = 4
"""Letters from which a word that nobody writes may be a slip; from twice as many two of them may be wrong."""
SPARE = 16
"""Hits fetched beyond k, so that equal scores at the border can be ordered by id."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one word of a query adds to a passage: of its `forms`, by (word, weight), the best; or, where no passage has
    any, `near` once, for a passage with one of the words that are spelt nearly so."""

    forms: Sequence[tuple[str, float]]
    like: Sequence[str] = ()
    near: float = 0.0


class Postings(Protocol):
    """One state of an engine's postings."""

    languages: Sequence[str]
    """Those that passages were analysed in."""
    paired: bool
    """Whether scripts without blanks are indexed by pairs."""

    def having(self, words: Sequence[str]) -> tuple[Mapping[str, int], int, int]:
        """In how many passages each of these stands, those in none left out; how many passages there are, and the words
        in all of them."""
        ...

    def like(self, term: str, slips: int) -> Iterable[str]:
        """Words that may be spelt like this one but for so many letters, others among them."""
        ...

    def best(self, parts: Sequence[Part], k: int, slope: float) -> Ranking:
        """Passages by the sum of what the parts add: the k best, and all that are as good as the last of them.

        `slope`: what a word more of length counts for (`slope_of`).
        """
        ...


class PostingWords(ABC):
    """A `LexicalIndex` over postings. Nothing is held: a search sees what is indexed now."""

    @abstractmethod
    def seen(self) -> AbstractContextManager[Postings]:
        """The postings as they are for the length of the block."""

    def search(self, text: str, k: int, shared: Statistics | None = None) -> Ranking:
        """The k best passages by BM25; none when no word of `text` is in any. `shared`: as `LexicalIndex.search`."""
        with self.seen() as postings:
            terms = asked(text, (shared or postings).languages or (ENGLISH,), (shared or postings).paired)
            if not terms or k <= 0:
                return []
            own = _statistics(postings, [form for term in terms for form in term])
            known = shared or own
            terms = cut(terms, known.having, known.passages)
            parts = [_part(postings, term, known, own.having) for term in terms]
            parts = [part for part in parts if part.forms or part.like]
            found = postings.best(parts, k, slope_of(known)) if own.passages else []
        return best(shares(found, terms, known), k)

    def statistics(self, words: Sequence[str]) -> Statistics:
        """As `LexicalIndex.statistics`."""
        with self.seen() as postings:
            return _statistics(postings, words)

    def rarity(self, word: str) -> float:
        """The idf of a word as it is indexed."""
        known = self.statistics([word])
        return idf(known.having.get(word, 0), known.passages)


def shares(scored: Iterable[tuple[str, float]], terms: Sequence[Term], known: Statistics) -> Ranking:
    """Scores of BM25 as shares (0 to 1) of the most that any passage could have for the words of a query; unordered."""
    most = sum((K1 + 1) * worth(term, known.having, known.passages) for term in terms)
    return [(id, rounded(score / most)) for id, score in scored]


def slope_of(known: Statistics) -> float:
    """What a word more of a passage's length counts for: a word that stands there n times adds its weight times
    n / (n + K1 (1 - B) + slope length)."""
    return K1 * B * known.passages / max(1, known.length)


def idf(having: int, passages: int) -> float:
    """What a word is worth that so many of the passages have."""
    return math.log1p((passages - having + 0.5) / (having + 0.5))


def worth(term: Term, having: Mapping[str, int], passages: int) -> float:
    """The greatest idf of a word's forms that are there, or else that of the first."""
    there = [form for form in term if having.get(form)] or term[:1]
    return max(idf(having.get(form, 0), passages) for form in there)


def cut(terms: Sequence[Term], having: Mapping[str, int], passages: int) -> list[Term]:
    """The words of a query without the names that nobody writes; of many, those that can add most to a score, in the
    order they came."""
    terms = [term for term in terms if not is_joined(term[0]) or having.get(term[0])]
    if len(terms) <= MAX_TERMS:
        return terms
    there = [term for term in terms if any(map(having.get, term))]
    kept = {form for form, _ in best([(term[0], worth(term, having, passages)) for term in there], MAX_TERMS)}
    return [term for term in terms if term[0] in kept]


def _statistics(postings: Postings, words: Sequence[str]) -> Statistics:
    having, passages, length = postings.having(words)
    return Statistics(passages, length, tuple(postings.languages), postings.paired, having)


def _part(postings: Postings, term: Term, known: Statistics, here: Mapping[str, int]) -> Part:
    """A word by what is known of all passages; `here`: what stands in these."""
    there = [(form, (K1 + 1) * idf(known.having[form], known.passages)) for form in term if known.having.get(form)]
    slips = slips_in(term[0])
    if there or not slips:
        return Part([one for one in there if here.get(one[0])])
    like = [word for word in postings.like(term[0], slips) if distance(word, term[0]) <= slips]
    return Part((), like, idf(0, known.passages) / 2)


def slips_in(term: str) -> int:
    """How many letters of a word that nobody writes may be wrong."""
    return 0 if len(term) < MISSPELT or not term.isalpha() else 1 + (len(term) >= 2 * MISSPELT)


def distance(one: str, other: str) -> int:
    """Letters to put in, leave out, change, or swap with the next (Damerau 1964, none of them twice)."""
    before, last = list[int](), list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            least = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]


def rounded(score: float) -> float:
    """Five digits: sums over the same numbers in another order differ, and equal passages should tie."""
    return float(f"{score:.5g}")
