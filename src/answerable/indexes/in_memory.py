"""What one ask holds in memory: passages fetched ahead and ranked, and what was encoded and found for it.

Under document privacy a query that quotes private text may not go to a public enclave. Queries made of the question and
of public text may, and may ask for many more passages than are read. Those lie here then, and a query that is refused
there is searched among them instead. So what an enclave is sent is settled as before: a larger number, always the same.

A passage was fetched by some query, and that it is here tells of that query. So a query is given only what was fetched
by queries whose labels its own label contains. Held for one ask, and never on disk; as private as the texts it came
from.

Passages are ranked by words and vectors as the index of an enclave ranks its own: BM25 (Robertson and Zaragoza
2009) with the statistics of these passages alone, unless they are a part of more: words that all of
them share, such as those of the query that found them, count for little.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Span, Vectors
from answerable.indexes.index import Ranking, SearchMode, best, weighed
from answerable.indexes.sources import SearchableEnclave
from answerable.indexes.terms import Term, asked, is_joined, tokens
from answerable.indexes.vectors import checked, score_rows
from answerable.languages import ENGLISH, language
from answerable.privacy.audit_log import new_ask
from answerable.types import Asker, Hop, Label, Passage, Privacy, Query, Skill

_K1, _B = 1.2, 0.75


class HeldPassages(SearchableEnclave):
    """Passages of one enclave, some or all of them with a vector, none of which a mention finds. Never changes."""

    def __init__(
        self,
        passages: Sequence[Passage],
        vectors: Mapping[str, HalfVectors],
        rarity: Callable[[str], float] | None = None,
    ) -> None:
        """`vectors`: (d,) float16 unit vectors by passage id, all by the encoder of the queries. `rarity`: the idf of a
        word, where these are a part of more; None: that among these."""
        self._passages = {passage.id: passage for passage in passages}
        self._ids = [id for id in self._passages if id in vectors]
        self._rows = np.stack([vectors[id] for id in self._ids]) if self._ids else None
        self._rarity = rarity

    def __len__(self) -> int:
        """How many passages there are."""
        return len(self._passages)

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages, by the ranking that the mode names; by words where none of them has a vector."""
        if mode == "entity":
            return []
        if mode == "lexical" or vector is None or self._rows is None:
            words = self._by_words(query_text)
            return weighed(words, {}, k) if mode == "hybrid" else best(words, k)
        scores = score_rows(self._rows, checked(vector, self._rows.shape[1]))
        by_vector = list(zip(self._ids, scores, strict=True))
        return best(by_vector, k) if mode == "dense" else weighed(self._by_words(query_text), dict(by_vector), k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in that order."""
        return [self._passages[id] for id in ids if id in self._passages]

    def _by_words(self, text: str) -> Ranking:
        """Every passage that shares a word with the text, with its share of the most that one could have; unordered."""
        words = self._words
        terms = [one for one in asked(text, words.languages) if not is_joined(one[0]) or words.weights(one[0])]
        scores: defaultdict[str, float] = defaultdict(float)
        most = sum((_K1 + 1) * words.worth(term) for term in terms)
        for term in terms:
            best_form: dict[str, float] = {}
            for id, weight in (one for form in term for one in words.weights(form)):
                best_form[id] = max(weight, best_form.get(id, 0.0))
            for id, weight in best_form.items():
                scores[id] += weight / most
        return list(scores.items())

    @cached_property
    def _words(self) -> _Words:
        return _Words({id: f"{one.heading}\n{one.text}" for id, one in self._passages.items()}, self._rarity)


class _Words:
    """The words of all passages."""

    def __init__(self, texts: Mapping[str, str], rarity: Callable[[str], float] | None) -> None:
        own = {id: language(text) for id, text in texts.items()}
        self.languages = sorted({ENGLISH, *own.values()})
        self._counts = {id: Counter(tokens(text, own[id])) for id, text in texts.items()}
        self._lengths = {id: counts.total() for id, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(texts))
        self._weights: dict[str, Ranking] = {}
        self.rarity = cache(rarity or self._rarity)

    def weights(self, word: str) -> Ranking:
        """What a word adds to the score of each passage that has it; worked out once."""
        if word not in self._weights:
            found = [(id, counts[word]) for id, counts in self._counts.items() if word in counts]
            self._weights[word] = [(id, self.rarity(word) * self._saturated(id, count)) for id, count in found]
        return self._weights[word]

    def worth(self, term: Term) -> float:
        """The greatest idf of a word's forms that are there, or else that of the first."""
        return max(map(self.rarity, [form for form in term if self.weights(form)] or term[:1]))

    def _rarity(self, word: str) -> float:
        having = sum(word in counts for counts in self._counts.values())
        return math.log1p((len(self._counts) - having + 0.5) / (having + 0.5))

    def _saturated(self, id: str, count: int) -> float:
        return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * self._lengths[id] / self._mean))


@dataclass(slots=True)
class _Fetched:
    """What queries of one label fetched of one enclave."""

    passages: dict[str, Passage] = field(default_factory=dict)
    vectors: dict[str, HalfVectors] = field(default_factory=dict)


class Prefetched:
    """What one ask has fetched, by enclave and by the label of the queries that fetched it."""

    def __init__(self) -> None:
        self._fetched: dict[str, dict[Label, _Fetched]] = {}
        self._within: dict[tuple[str, Label], HeldPassages] = {}

    def add(self, enclave: str, label: Label, passages: Iterable[Passage], vectors: Mapping[str, HalfVectors]) -> None:
        """Hold what a query of that label found in an enclave."""
        fetched = self._fetched.setdefault(enclave, {}).setdefault(label, _Fetched())
        fetched.passages.update((passage.id, passage) for passage in passages)
        fetched.vectors.update(vectors)
        self._within.clear()

    def within(self, enclave: str, label: Label) -> HeldPassages | None:
        """What is held of an enclave and a query of that label may see; None when that is nothing."""
        if (enclave, label) not in self._within:
            parts = [held for fetched_by, held in self._fetched.get(enclave, {}).items() if fetched_by <= label]
            passages = {id: passage for part in parts for id, passage in part.passages.items()}
            vectors = {id: vector for part in parts for id, vector in part.vectors.items()}
            if not passages:
                return None
            self._within[enclave, label] = HeldPassages([passages[id] for id in sorted(passages)], vectors)
        return self._within[enclave, label]


Texts = tuple[tuple[str, str], ...]
VectorKey = tuple[str, Skill, Texts, Span | None]


@dataclass(frozen=True, slots=True)
class RequestCache:
    """What was encoded and found during one ask: each depends on nothing else, so it is worked out once."""

    vectors: dict[VectorKey, Vectors] = field(default_factory=dict)
    unreachable: dict[tuple[str, Label], str] = field(default_factory=dict)
    """Enclaves on other machines that failed during this ask, at a query of which label, and why."""
    lost: dict[tuple[str, Label], dict[str, str]] = field(default_factory=dict)
    """The same of servers that hold an enclave with others, by their addresses."""
    proposed: dict[str, list[tuple[Span, float]]] = field(default_factory=dict)
    found: dict[tuple[Query, Skill, str, int, int], Hop] = field(default_factory=dict)
    """Searches that were made, by the query, the skill, the enclave, how many were to be read and how many to be held:
    none is made twice."""
    ahead: Prefetched = field(default_factory=Prefetched)
    """What was fetched, to be searched among where a query is refused."""
    outgrown: dict[tuple[Asker, Label, str, Privacy], bool] = field(default_factory=dict)
    """What `privacy.flow.outgrown` says, by all that it depends on but the table."""
    ask: str = field(default_factory=new_ask)

    def given_up(self, enclave: str, label: Label) -> str | None:
        """Why an enclave is left alone by a query of that label, if it is: it failed at one of no more private a label.

        It may have failed because of what it was sent: a failure at other private text must not show in this query's.
        """
        failed = self.unreachable.items()
        return next((why for (name, own), why in failed if name == enclave and own <= label), None)

    def lost_to(self, enclave: str, label: Label) -> dict[str, str]:
        """The servers of an enclave that are left alone so, with the reasons."""
        parts = [lost for (name, own), lost in self.lost.items() if name == enclave and own <= label]
        return {shard: why for lost in parts for shard, why in lost.items()}
