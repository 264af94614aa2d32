"""What the network adds to the scores of programs, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answerable.tables.network import Network


@pytest.fixture
def network(tmp_path: Path) -> Network:
    """Two features of a number each; a question's one number lets it through, or not."""
    arrays = {
        "vectors": np.array([[2], [-4]], np.int8),
        "scale": np.array([0.5], np.float32),
        "bias": np.array([0.0], np.float32),
        "gate": np.array([[0.0], [9.0]], np.float16),
        "hidden": np.array([[0.0], [1.0], [10.0]], np.float32),
        "out": np.array([3.0], np.float32),
    }
    np.savez(tmp_path / "network.npz", allow_pickle=False, **arrays)
    return Network.load(tmp_path / "network.npz", ["op.max", "op.min", "a feature with a weight alone"])


def test_a_part_is_the_sum_of_its_features(network: Network) -> None:
    assert network.part(["op.max"]) == [1.0]
    assert network.part(["op.max", "op.min", "a feature with a weight alone", "unknown"]) == [-1.0]
    assert network.part([]) == [0.0]


def test_a_score_is_of_the_program_and_of_how_it_goes_with_the_question(network: Network) -> None:
    programs = np.stack([network.part(["op.max"]), network.part(["op.min"])])
    plain, wanted, other = (network.scores(programs, np.array([to], np.float32)) for to in (0.0, 1.0, -1.0))
    np.testing.assert_allclose(plain, [3.0, 0.0])
    np.testing.assert_allclose(wanted, [33.0, 0.0], rtol=1e-5)
    np.testing.assert_allclose(other, [0.0, 0.0], atol=1e-5)
