"""Vectors: the contract for both indexes, exact scores, and a graph that finds nearly what comparing all finds."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.units import codes, units
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import IndexMismatch
from answerable.indexes.index import Ranking, best
from answerable.indexes.vectors import ExactVectors, HnswVectors, build_graph, score_rows
from answerable.types import Skill
from tests.contracts.index import TEXTS, IndexContract

ENCODER = HashedEncoder(96)


def silent(*_: object) -> None:
    pass


def encoded(texts: Mapping[str, str]) -> tuple[list[str], np.ndarray]:
    ids = sorted(texts)
    return ids, units(codes(ENCODER.encode_passages([("", texts[id]) for id in ids])))


def vector(text: str) -> np.ndarray:
    return ENCODER.encode_query(text, Skill.SINGLE)


class TestExactVectors(IndexContract):
    def make(self, folder: Path, texts: Mapping[str, str]) -> ExactVectors:
        return ExactVectors(*encoded(texts))

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> ExactVectors:
        return self.make(folder, texts)

    def ask(self, index: ExactVectors, text: str, k: int) -> Ranking:
        return index.search(vector(text), k)


def test_vectors_take_four_bytes_a_number() -> None:
    assert ExactVectors(["a", "b"], np.zeros((2, 96), np.float16))._rows.nbytes == 4 * 2 * 96


class TestHnswVectors(IndexContract):
    def make(self, folder: Path, texts: Mapping[str, str]) -> HnswVectors:
        ids, matrix = encoded(texts)
        build_graph(folder, np.arange(1, len(ids) + 1), matrix, silent)
        return self.reopen(folder, texts)

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> HnswVectors:
        names = dict(enumerate(sorted(texts), start=1))
        return HnswVectors(folder, 96, lambda keys: {key: names[key] for key in keys})

    def ask(self, index: HnswVectors, text: str, k: int) -> Ranking:
        return index.search(vector(text), k)

    def test_ties_break_by_id(self, tmp_path: Path) -> None:
        """Among the candidates of a graph: which of many equal passages those are, a graph does not promise."""
        same = {f"copy{n:03d}": "a petroleum lamp" for n in range(20)}
        ranking = self.ask(self.make(tmp_path, same), "petroleum lamp", 20)
        assert [id for id, _ in ranking] == sorted(same)


def unit(rows: int, dimension: int, seed: int) -> np.ndarray:
    matrix = np.random.default_rng(seed).standard_normal((rows, dimension)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 120), st.integers(1, 40), st.integers(1, 60), st.integers(0, 10**6))
def test_parts_merged_are_the_whole(count: int, dimension: int, k: int, seed: int) -> None:
    """The law behind several enclaves giving what one merged index gives."""
    rows = unit(count, dimension, seed).astype(np.float16)
    rows[: count // 3] = rows[0]  # equal passages
    query = unit(1, dimension, seed + 1)[0]
    ids = [f"p{(7 * n) % count:03d}-{n}" for n in range(count)]
    side = np.random.default_rng(seed).random(count) < 0.5
    whole = ExactVectors(ids, rows).search(query, k)
    parts = [
        ExactVectors([id for id, s in zip(ids, side, strict=True) if s == which], rows[side == which]).search(query, k)
        for which in (True, False)
    ]
    assert best(parts[0] + parts[1], k) == whole


def test_exact_finds_what_comparing_one_by_one_finds() -> None:
    rows, query = unit(3000, 64, 1).astype(np.float16), unit(1, 64, 2)[0]
    ids = [f"p{n:04d}" for n in range(3000)]
    expected = best(list(zip(ids, score_rows(rows.astype(np.float32), query), strict=True)), 25)
    assert ExactVectors(ids, rows).search(query, 25) == expected


def test_a_graph_finds_nearly_all_with_the_same_scores(tmp_path: Path) -> None:
    rows = units(codes(unit(3000, 32, 3)))
    ids = [f"p{n:04d}" for n in range(3000)]
    build_graph(tmp_path, np.arange(3000), rows, silent)
    graph = HnswVectors(tmp_path, 32, lambda keys: {key: ids[key] for key in keys})
    exact = ExactVectors(ids, rows)
    found = 0
    for query in unit(40, 32, 4):
        near, all_of_it = dict(graph.search(query, 10)), dict(exact.search(query, 3000))
        assert all(all_of_it[id] == score for id, score in near.items())
        found += len(near.keys() & dict(exact.search(query, 10)).keys())
    assert found >= 0.97 * 400


def test_a_graph_is_the_same_each_time_and_can_be_added_to(tmp_path: Path) -> None:
    rows, keys = unit(800, 16, 5).astype(np.float16), np.arange(800)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        build_graph(tmp_path / name, keys[:700] if name == "c" else keys, rows[:700] if name == "c" else rows, silent)
    assert (tmp_path / "a" / "vectors.usearch").read_bytes() == (tmp_path / "b" / "vectors.usearch").read_bytes()
    for name in ("d", "e"):
        (tmp_path / name).mkdir()
        build_graph(tmp_path / name, keys[700:], rows[700:], silent, base=tmp_path / "c")
    assert (tmp_path / "d" / "vectors.usearch").read_bytes() == (tmp_path / "e" / "vectors.usearch").read_bytes()
    grown = HnswVectors(tmp_path / "d", 16, lambda keys: {key: f"{key:03d}" for key in keys})
    assert len(grown) == 800
    assert grown.search(rows[777].astype(np.float32), 1)[0][0] == "777"


@pytest.mark.parametrize(
    "wrong", [np.zeros(95, np.float32), np.zeros((1, 96), np.float32), np.full(96, np.nan, np.float32)]
)
def test_a_vector_that_does_not_fit_is_refused(tmp_path: Path, wrong: np.ndarray) -> None:
    for index in (TestExactVectors().make(tmp_path, TEXTS), TestHnswVectors().make(tmp_path, TEXTS)):
        with pytest.raises(IndexMismatch, match="96 dimensions"):
            index.search(wrong, 3)


@pytest.mark.parametrize("keep", [0, 40, 500])
def test_a_damaged_graph_is_refused_with_the_way_out(tmp_path: Path, keep: int) -> None:
    TestHnswVectors().make(tmp_path, TEXTS)
    path = tmp_path / "vectors.usearch"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(IndexMismatch, match="answerable index"):
        HnswVectors(tmp_path, 96, lambda _: {})
    path.unlink()
    with pytest.raises(IndexMismatch, match="damaged"):
        HnswVectors(tmp_path, 96, lambda _: {})


def test_several_threads_find_the_same(tmp_path: Path) -> None:
    rows = unit(500, 32, 8).astype(np.float16)
    build_graph(tmp_path, np.arange(500), rows, silent)
    graph = HnswVectors(tmp_path, 32, lambda keys: {key: str(key) for key in keys})
    queries = list(unit(20, 32, 9))
    alone = [graph.search(query, 5) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: graph.search(query, 5), queries * 5)) == alone * 5
