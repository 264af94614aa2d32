"""Every kind of pair index keeps the contract; exact ones find what comparing everything finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Store
from answerable.qapairs.index.build import build_pair_index
from answerable.qapairs.index.opened import open_pair_index
from answerable.qapairs.pair_settings import PairSettings
from tests.contracts.pair_index import PairIndexContract, found
from tests.qapairs.samples import WordMatcher, made


class TestFlat(PairIndexContract):
    settings, tolerance = PairSettings(index="flat"), 1e-3


class TestFlatBytes(PairIndexContract):
    settings, tolerance = PairSettings(index="flat", numbers="i8"), 1e-2


class TestGraph(PairIndexContract):
    settings, tolerance = PairSettings(index="graph"), 1e-3


class TestGraphBytes(PairIndexContract):
    settings, tolerance = PairSettings(index="graph", numbers="i8"), 1e-2


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 60), st.integers(1, 70), st.lists(st.integers(0, 59), max_size=6), st.sampled_from(["f16", "i8"]))
def test_flat_is_brute_force_however_it_came_to_be(
    tmp_path_factory: pytest.TempPathFactory, count: int, k: int, gone: list[int], numbers: str
) -> None:
    """Built at once, or grown and shrunk: the same, and the same as comparing everything."""
    matcher, how = WordMatcher(16), PairSettings(index="flat", numbers=numbers)  # type: ignore[arg-type]
    pairs = made(count)
    left = [pair for n, pair in enumerate(pairs) if n not in gone]
    vectors = matcher.encode_questions(["which lamp of the reef", pairs[0].question])

    def answers(steps: list[list]) -> list[list[tuple[str, float]]]:
        folder = tmp_path_factory.mktemp("w")
        with Store(Path(":memory:")) as store:
            for step in steps:
                with store.write() as transaction:
                    transaction.remove_pairs("public", "made")
                    transaction.put_imported("public", "made", step)
                build_pair_index(store, folder, "public", matcher, how, threads=1)
            index = open_pair_index(store, folder, "public", "words", threads=2)
            return [found(one) for one in index.search(vectors, k)]

    if not left:
        return
    whole = answers([left])
    assert answers([pairs[: count // 2 + 1], pairs, left]) == whole
    rows = matcher.encode_questions([pair.question for pair in left]).astype(np.float16).astype(np.float32)
    if numbers == "i8":
        rows = np.rint(rows * (127 / np.abs(rows).max(axis=1, keepdims=True))).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for vector, matched in zip(vectors, whole, strict=True):
        scores = (rows.astype(np.float64) @ vector.astype(np.float64)).astype(np.float32)
        named = zip([pair.id for pair in left], scores.tolist(), strict=True)
        truth = sorted(named, key=lambda one: (-one[1], one[0]))
        assert [id for id, _ in matched] == [id for id, _ in truth[:k]]
        assert np.allclose([score for _, score in matched], [score for _, score in truth[:k]], atol=1e-6)
