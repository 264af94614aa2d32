"""The way of a walk, as it is told."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.walk import WalkSettings, share, walk, walked_path
from tests.documents.worlds import WIDTH, book, unit, weights

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@given(SIZES, st.integers(1, 2), st.integers(0, 99))
def test_a_step_to_a_paragraph_and_one_to_a_sentence_for_each_piece(sizes: list[int], pieces: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    held, learned = book(rng, sizes), weights(rng)
    walked = walk(held, unit(rng.normal(size=(4, WIDTH))), learned, None, WalkSettings(), pieces)
    path = walked_path(held, walked)
    alone = sum(sizes) == 1  # a second sentence is another one
    assert [stop.sentence for stop in path] == [False, True] * (1 if pieces == 1 or alone else 2)
    first = held.paragraphs[walked.first.paragraph]
    assert (path[0].start, path[0].end, path[0].headings) == (first.start, first.end, first.path)
    assert (path[1].start, path[1].end) == held.span(walked.first.best(1)[0][0])
    assert all(0.0 < stop.share <= 1.0 + 1e-6 for stop in path)
    assert len({(stop.start, stop.end) for stop in path if stop.sentence}) == len(path) // 2


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=6))
def test_shares_are_of_one_whole(scores: list[float]) -> None:
    found = [share(np.array(scores, np.float32), one) for one in range(len(scores))]
    assert abs(sum(found) - 1.0) < 1e-3 and max(found) == found[int(np.argmax(scores))]
