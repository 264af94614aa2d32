"""What every index of pairs must keep to; a test class inherits this and says which settings make one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import IndexMismatch, ModelError
from answerable.indexes.build import IndexBuilder
from answerable.indexes.manifest import finished
from answerable.indexes.sources import Matched, SearchablePairs
from answerable.qapairs.index.build import build_pair_index
from answerable.qapairs.index.opened import open_pair_index
from answerable.qapairs.pair_settings import PairSettings
from tests.indexes.samples import occurs
from tests.qapairs.samples import WordMatcher, bring, made, of_passages, opened


def found(matched: Matched) -> list[tuple[str, float]]:
    return [(pair.id, score) for pair, score in matched]


class PairIndexContract:
    """Inherit and define `settings`, how far scores may be from those of whole vectors, and what is searched."""

    settings: PairSettings
    tolerance: float
    count = 160

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with opened(tmp_path) as store:
            yield store

    def build(self, store: Store, matcher: WordMatcher | None = None) -> SearchablePairs:
        matcher = matcher or WordMatcher()
        built = build_pair_index(store, store.path.parent, "public", matcher, self.settings, threads=1)
        index = self.open(store, matcher.name)
        assert built.pairs == built.of == index.count == store.pair_count("public")
        return index

    def open(self, store: Store, matcher: str = "words") -> SearchablePairs:
        return open_pair_index(store, store.path.parent, "public", matcher, threads=2)

    def ask(self, index: SearchablePairs, *questions: str, k: int = 10) -> list[Matched]:
        return index.search(WordMatcher().encode_questions(questions), k)

    def test_a_pair_is_found_by_its_question_and_comes_back_whole(self, store: Store) -> None:
        pairs = made(self.count)
        bring(store, pairs)
        answers = self.ask(self.build(store), *[pair.question for pair in pairs], k=1)
        assert [matched[0][0] for matched in answers] == pairs

    def test_scores_are_finite_best_first_and_those_of_the_vectors(self, store: Store) -> None:
        pairs = {pair.id: pair for pair in made(self.count)}
        bring(store, list(pairs.values()))
        index, matcher = self.build(store), WordMatcher()
        asked = ["which lamp of the reef", "which horn number7 of 1"]
        vectors = matcher.encode_questions(asked)
        for k in (1, 3, 60, self.count, 3 * self.count):
            for vector, matched in zip(vectors, index.search(vectors, k), strict=True):
                assert 0 < len(matched) <= min(k, self.count)
                assert all(math.isfinite(score) for _, score in matched)
                assert all((-a[1], a[0].id) < (-b[1], b[0].id) for a, b in pairwise(matched))
                for pair, score in matched[:20]:
                    true = matcher.encode_questions([pairs[pair.id].question])[0] @ vector
                    assert abs(score - true) < self.tolerance

    def test_fewer_are_the_first_of_more(self, store: Store) -> None:
        bring(store, made(self.count))
        index = self.build(store)
        most = self.ask(index, "which lamp of the reef", k=30)[0]
        for k in (0, 1, 2, 29):
            assert self.ask(index, "which lamp of the reef", k=k)[0] == most[:k]

    def test_together_is_as_alone_and_no_question_is_no_answer(self, store: Store) -> None:
        bring(store, made(self.count))
        index = self.build(store)
        asked = [pair.question for pair in made(150, seed=2)]
        assert self.ask(index, *asked) == [self.ask(index, one)[0] for one in asked]
        assert index.search(np.empty((0, 32), np.float32), 5) == []

    def test_ties_break_by_id(self, store: Store) -> None:
        first, *others = made(self.count)
        same = [replace(first, id=f"same{n:03d}") for n in reversed(range(120))]
        bring(store, [*others[:100], *same, *others[100:]])
        matched = self.ask(self.build(store), first.question, k=7)[0]
        assert [pair.id for pair, _ in matched] == [f"same{n:03d}" for n in range(7)]
        assert len({score for _, score in matched}) == 1

    def test_one_pair_is_an_index(self, store: Store) -> None:
        bring(store, made(1))
        assert [pair for pair, _ in self.ask(self.build(store), "which lamp", k=5)[0]] == made(1)

    def test_needs_nothing_but_its_folder(self, store: Store) -> None:
        bring(store, made(self.count))
        index = self.build(store)
        before = self.ask(index, "which lamp")
        store.close()
        assert self.ask(index, "which lamp") == before

    def test_refuses_what_it_was_not_made_for(self, store: Store) -> None:
        with pytest.raises(IndexMismatch, match=r"no index.*answerable pairs index"):
            self.open(store)
        bring(store, made(20))
        index = self.build(store)
        with pytest.raises(IndexMismatch, match=r"'words', not by 'other'.*answerable pairs index"):
            self.open(store, "other")
        for wrong in (np.zeros((1, 31)), np.zeros(32), np.full((1, 32), np.nan)):
            with pytest.raises(IndexMismatch, match="32 dimensions"):
                index.search(wrong.astype(np.float32), 1)
        bring(store, made(1, seed=3))
        with pytest.raises(IndexMismatch, match=r"changed.*answerable pairs index"):
            self.open(store)

    def test_only_new_questions_are_encoded(self, store: Store) -> None:
        first, second = made(self.count), made(40, seed=2)
        bring(store, first)
        matcher = WordMatcher()
        self.build(store, matcher)
        assert sorted(matcher.encoded) == sorted(pair.question for pair in first)
        matcher.encoded.clear()
        self.build(store, matcher)
        assert matcher.encoded == []
        bring(store, second, "second")
        index = self.build(store, matcher)
        assert matcher.encoded == [pair.question for pair in second]
        answers = self.ask(index, *[pair.question for pair in first + second], k=1)
        assert [matched[0][0] for matched in answers] == first + second
        matcher.encoded.clear()
        with store.write() as transaction:
            transaction.remove_pairs("public", "second")
        answers = self.ask(self.build(store, matcher), *[pair.question for pair in first], k=1)
        assert matcher.encoded == [] and [matched[0][0] for matched in answers] == first

    def test_what_is_deleted_is_in_no_index(self, store: Store) -> None:
        pairs = of_passages(store, 60)
        index = self.build(store)
        assert self.ask(index, "which number is text 7", k=1)[0][0][0] == pairs[7]
        folder = store.path.parent
        builder = IndexBuilder(store, folder, HashedEncoder(16))
        builder.delete("public", ["d7"])
        assert finished(folder, "public", "pairs") == []
        remaining = self.ask(self.build(store), "which number is text 7", k=60)[0]
        assert len(remaining) == 59 and all(pair.id != "p7" for pair, _ in remaining)
        builder.delete("public", None)
        build_pair_index(store, folder, "public", WordMatcher(), self.settings)
        assert occurs(folder / "public", b"") == []

    def test_a_build_that_fails_leaves_what_was_there(self, store: Store) -> None:
        bring(store, made(100))
        self.build(store)
        before = finished(store.path.parent, "public", "pairs")
        bring(store, made(20, seed=2), "second")
        failing = WordMatcher()
        failing.encode_questions = lambda questions: np.full((len(questions), 32), np.nan, np.float32)  # type: ignore[method-assign]
        with pytest.raises(ModelError, match="unusable vectors"):
            self.build(store, failing)
        assert [path for path in before[0].parent.iterdir() if path.name.startswith("pairs")] == before
        with store.write() as transaction:
            transaction.remove_pairs("public", "second")
        assert self.open(store).count == 100

    def test_several_threads_may_search_at_once(self, store: Store) -> None:
        bring(store, made(self.count))
        index = self.build(store)
        asked = WordMatcher().encode_questions([pair.question for pair in made(40, seed=2)])
        alone = [found(one) for one in index.search(asked, 5)]
        with ThreadPoolExecutor(4) as pool:
            for together in pool.map(lambda _: [found(one) for one in index.search(asked, 5)], range(8)):
                assert together == alone

    def test_a_damaged_index_is_refused(self, store: Store) -> None:
        bring(store, made(50))
        self.build(store)
        (folder,) = finished(store.path.parent, "public", "pairs")
        for file in sorted(folder.iterdir()):
            data = file.read_bytes()
            if file.name == "texts.dictionary":
                continue
            file.write_bytes(data[: len(data) // 2])
            with pytest.raises(IndexMismatch):
                self.open(store)
            file.write_bytes(data)
        self.open(store)
