"""Bytes and rotations: what they lose, what they keep, and that indexes are grown rather than made anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Store
from answerable.corpora.units import codes
from answerable.qapairs.index.budget import Shape
from answerable.qapairs.index.build import build_pair_index
from answerable.qapairs.index.numbers import applied, as_floats, exact, learn, unit
from answerable.qapairs.index.opened import open_pair_index
from answerable.qapairs.pair_settings import PairSettings
from tests.qapairs.samples import WordMatcher, bring, made


def clustered(count: int, dimension: int = 32, seed: int = 0) -> np.ndarray:
    """Unit rows about a hundred centres, most of their length in few directions."""
    chance = np.random.default_rng(seed)
    spread = np.linspace(1.5, 0.1, dimension)
    middle = np.random.default_rng(9).standard_normal((100, dimension)) * spread
    rows = middle[chance.integers(0, 100, count)] + 0.3 * chance.standard_normal((count, dimension)) * spread
    return unit(rows.astype(np.float32))


def test_bytes_read_back_are_unit_rows_near_the_first_and_written_again_the_same() -> None:
    rows = clustered(500)
    rows[3] = 0
    stored = codes(rows)
    back = as_floats(stored)
    assert np.allclose(np.linalg.norm(back[4:], axis=1), 1, atol=1e-6) and not back[3].any()
    assert np.einsum("ij,ij->i", rows, back)[4:].min() > 0.999
    assert np.array_equal(codes(back.astype(np.float16).astype(np.float32)), stored)
    assert np.allclose(exact(stored, rows[0]), back @ rows[0], atol=1e-6)


def test_a_rotation_keeps_what_is_longest() -> None:
    rows = clustered(2000)
    projection = learn(rows, 16)
    assert np.allclose(projection.T @ projection, np.eye(16), atol=1e-5)
    cut = rows @ projection
    assert (cut**2).sum() > 0.85 * (rows**2).sum() > (rows[:, -16:] ** 2).sum()
    turned = applied(learn(rows, 32), rows)
    assert np.allclose(turned @ turned.T, rows @ rows.T, atol=1e-4)


@pytest.mark.parametrize("shape", [Shape("flat", "i8", 16), Shape("graph", "i8", 16)])
def test_small_indexes_grow_by_the_new_questions_until_they_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: Shape
) -> None:
    monkeypatch.setattr("answerable.qapairs.index.build.shape_of", lambda *_: shape)
    matcher, asked = WordMatcher(), WordMatcher().encode_questions(["which lamp of the reef"])
    with Store(Path(":memory:")) as store:

        def grown(count: int, seed: int) -> tuple[int, dict[str, float]]:
            bring(store, made(count, seed), f"from {seed}")
            before = len(matcher.encoded)
            built = build_pair_index(store, tmp_path, "public", matcher, PairSettings(), threads=1)
            found = open_pair_index(store, tmp_path, "public", "words", threads=1).search(asked, 600)[0]
            assert built.encoded == len(matcher.encoded) - before and len(found) == store.pair_count("public")
            return built.encoded, {pair.id: score for pair, score in found}

        first, scores = grown(300, 1)
        second, more = grown(30, 2)
        assert (first, second) == (300, 30)
        assert all(more[id] == pytest.approx(score, abs=1e-6) for id, score in scores.items())
        assert grown(200, 3)[0] == 530
