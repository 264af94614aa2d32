"""Walks of a graph: short where something alike is found, wide where nothing is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answerable.errors import MissingExtraError
from answerable.qapairs.index import graph
from answerable.qapairs.index.budget import Shape
from answerable.qapairs.index.graph import GraphVectors, write_graph
from answerable.qapairs.index.numbers import unit

COUNT, DIMENSION = 6000, 48


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[np.ndarray, Path]:
    """Rows of which none is like another."""
    folder = tmp_path_factory.mktemp("graph")
    rows = unit(np.random.default_rng(0).standard_normal((COUNT, DIMENSION)).astype(np.float32))
    write_graph(folder, rows.astype(np.float16), Shape("graph", "f16", DIMENSION), 1, lambda *_: None)
    return rows, folder


def breadths(opened: GraphVectors, asked: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """How many questions each walk was for, and how wide it was."""
    told: list[tuple[int, int]] = []
    walked = GraphVectors._walked

    def listening(self: GraphVectors, part: np.ndarray, wanted: int, breadth: int) -> object:
        told.append((len(part), breadth))
        return walked(self, part, wanted, breadth)

    monkeypatch.setattr(GraphVectors, "_walked", listening)
    opened.search(asked, 1)
    return told


def test_what_is_like_nothing_is_walked_for_again(written, monkeypatch):
    rows, folder = written
    opened = GraphVectors(folder, Shape("graph", "f16", DIMENSION), 1)
    unlike = unit(np.random.default_rng(1).standard_normal((40, DIMENSION)).astype(np.float32))
    asked = np.concatenate([rows[:10], unlike])
    assert breadths(opened, asked, monkeypatch) == [(50, graph._BREADTH), (40, graph._WIDE)]
    assert breadths(opened, rows[:10], monkeypatch)[:1] == [(10, graph._BREADTH)]


def test_the_best_of_many_unlike_ones_is_found(written, monkeypatch):
    rows, folder = written
    opened = GraphVectors(folder, Shape("graph", "f16", DIMENSION), 1)
    asked = unit(np.random.default_rng(2).standard_normal((200, DIMENSION)).astype(np.float32))
    truth = (asked @ rows.T).argmax(axis=1)

    def recall() -> float:
        best = [nodes[scores.argmax()] for nodes, scores in opened.search(asked, 1)]
        return float(np.mean(np.array(best) == truth))

    wide = recall()
    monkeypatch.setattr(graph, "_ALIKE", -1.0)
    assert wide > 0.97 and wide > recall()


def test_without_its_library_a_graph_says_what_to_install(written, monkeypatch):
    monkeypatch.setattr("answerable.qapairs.index.graph.graphs", lambda: False)
    with pytest.raises(MissingExtraError) as refused:
        GraphVectors(written[1], Shape("graph", "f16", DIMENSION), 1)
    assert "answerable[pairs]" in str(refused.value.hint)
