"""Vectors: the contract for both indexes, exact scores, and signs that find nearly what comparing all finds."""

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
from answerable.indexes.vectors import ExactVectors, SignVectors, build_signs, score_rows, signs
from answerable.types import Skill
from tests.contracts.index import TEXTS, IndexContract

ENCODER = HashedEncoder(96)


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


def kept(folder: Path, ids: list[str], rows: np.ndarray, keys: np.ndarray | None = None) -> SignVectors:
    """What is opened of vectors whose signs are written; those of `ids` are what the store would hold."""
    keys = np.arange(1, len(ids) + 1) if keys is None else keys
    build_signs(folder, keys, rows)
    return opened(folder, ids, rows, keys)


def opened(folder: Path, ids: list[str], rows: np.ndarray, keys: np.ndarray) -> SignVectors:
    names, held = dict(zip(keys.tolist(), ids, strict=True)), dict(zip(keys.tolist(), rows, strict=True))
    return SignVectors(
        folder,
        rows.shape[1],
        lambda asked: {key: names[key] for key in asked},
        lambda asked: {key: held[key] for key in asked if key in held},
    )


class TestSignVectors(IndexContract):
    def make(self, folder: Path, texts: Mapping[str, str]) -> SignVectors:
        return kept(folder, *encoded(texts))

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> SignVectors:
        ids, rows = encoded(texts)
        return opened(folder, ids, rows, np.arange(1, len(ids) + 1))

    def ask(self, index: SignVectors, text: str, k: int) -> Ranking:
        return index.search(vector(text), k)


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


def test_signs_find_nearly_all_with_the_same_scores(tmp_path: Path) -> None:
    topics, spread = unit(100, 128, 2), unit(8000, 128, 3)
    rows = units(codes(topics[np.arange(8000) % 100] + spread))
    ids = [f"p{n:05d}" for n in range(len(rows))]
    index, exact = kept(tmp_path, ids, rows), ExactVectors(ids, rows)
    found = 0
    for query in unit(40, 128, 4) + topics[:40]:
        near, nearest = index.search(query, 10), exact.search(query, 400)
        assert set(near) <= set(nearest)
        found += len(dict(near).keys() & dict(nearest[:10]).keys())
    assert found >= 0.97 * 400


@given(st.integers(1, 200), st.integers(1, 150), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_bit_is_set_where_a_number_is_above_zero(count: int, dimension: int, seed: int) -> None:
    rows = unit(count, dimension, seed)
    words = signs(rows)
    assert words.shape == (-(-dimension // 64), count)
    bits = np.unpackbits(np.ascontiguousarray(words.T).view(np.uint8), axis=1)
    assert (bits[:, :dimension] == (rows > 0)).all() and not bits[:, dimension:].any()


def test_signs_are_the_same_when_added_to(tmp_path: Path) -> None:
    rows, keys = unit(800, 16, 5).astype(np.float16), np.arange(800)
    ids = [f"{key:03d}" for key in keys]
    for name in ("whole", "first", "both"):
        (tmp_path / name).mkdir()
    build_signs(tmp_path / "whole", keys, rows)
    build_signs(tmp_path / "first", keys[:700], rows[:700])
    build_signs(tmp_path / "both", keys[700:], rows[700:], base=tmp_path / "first")
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "both" / path.name).read_bytes()
    grown = opened(tmp_path / "both", ids, rows, keys)
    assert len(grown) == 800 and grown.search(rows[777].astype(np.float32), 1)[0][0] == "777"


def test_what_the_store_has_no_more_is_left_out(tmp_path: Path) -> None:
    ids, rows = encoded(TEXTS)
    build_signs(tmp_path, np.arange(1, len(ids) + 1), rows)
    fewer = opened(tmp_path, ids[1:], rows[1:], np.arange(2, len(ids) + 1))
    assert {id for id, _ in fewer.search(rows[0].astype(np.float32), len(ids))} == set(ids[1:])


@pytest.mark.parametrize(
    "wrong", [np.zeros(95, np.float32), np.zeros((1, 96), np.float32), np.full(96, np.nan, np.float32)]
)
def test_a_vector_that_does_not_fit_is_refused(tmp_path: Path, wrong: np.ndarray) -> None:
    for index in (TestExactVectors().make(tmp_path, TEXTS), TestSignVectors().make(tmp_path, TEXTS)):
        with pytest.raises(IndexMismatch, match="96 dimensions"):
            index.search(wrong, 3)


@pytest.mark.parametrize("name", ["keys.npy", "signs.npy"])
@pytest.mark.parametrize("keep", [0, 40, 150])
def test_damaged_signs_are_refused_with_the_way_out(tmp_path: Path, keep: int, name: str) -> None:
    TestSignVectors().make(tmp_path, TEXTS)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(IndexMismatch, match="answerable index"):
        TestSignVectors().reopen(tmp_path, TEXTS)
    path.unlink()
    with pytest.raises(IndexMismatch, match="damaged"):
        TestSignVectors().reopen(tmp_path, TEXTS)


def test_several_threads_find_the_same(tmp_path: Path) -> None:
    rows = unit(500, 32, 8).astype(np.float16)
    index = kept(tmp_path, [str(number) for number in range(500)], rows)
    queries = list(unit(20, 32, 9))
    alone = [index.search(query, 5) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: index.search(query, 5), queries * 5)) == alone * 5
