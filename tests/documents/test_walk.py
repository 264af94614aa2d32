from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.walk import WalkSettings, attend, converse, mix, stage, walk
from tests.documents.worlds import WIDTH, book, unit, weights

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@given(SIZES, st.integers(0, 999))
def test_a_paragraph_is_its_sentences_weighed_by_the_query(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    held, query = book(rng, sizes), rng.normal(size=WIDTH).astype(np.float32) * 3
    scores, paragraphs, alpha = attend(held, query)
    for number in range(len(sizes)):
        rows = slice(held.firsts[number], held.firsts[number + 1])
        inside = np.exp(held.sentences[rows] @ query)
        expected = (inside / inside.sum()) @ held.sentences[rows]  # equation 3
        assert paragraphs[number] == pytest.approx(expected @ query, abs=1e-4)
        assert alpha[rows].sum() == pytest.approx(1.0, abs=1e-5)
        assert paragraphs[number] <= scores[rows].max() + 1e-4  # why paragraphs and sentences do not compete


def test_a_paragraph_of_one_sentence_is_mixed_as_that_sentence() -> None:
    rng = np.random.default_rng(3)
    held, learned, query = book(rng, [1, 3]), weights(rng), rng.normal(size=WIDTH).astype(np.float32)
    one = held.sentences[:1]
    left, kept = mix(learned, query, one, np.ones(1, np.float32))
    assert left == pytest.approx(kept[0])
    assert left == pytest.approx(query @ learned.mix_query + one[0] @ learned.mix_sentence, rel=1e-5)


def test_scores_are_those_of_equation_8() -> None:
    rng = np.random.default_rng(4)
    held, learned, asked = book(rng, [2, 3, 1]), weights(rng), unit(rng.normal(size=(4, WIDTH)))
    sparse = np.array([[1.0, 0.0, 2.0], [5.0, 6.0, 0.0]], np.float32)
    found = stage(held, asked[:2], learned, None, sparse)
    _, paragraphs, _ = attend(held, asked[0] * 7.0)
    following = found.queries[1]
    of = held.paragraph_of
    words = 0.3 * sparse[0] + 0.1 * sparse[1]
    assert found.scores == pytest.approx(held.sentences @ following + (0.7 * paragraphs + words)[of], abs=1e-4)
    assert found.paragraph == int(np.argmax(paragraphs))


@given(SIZES, st.integers(0, 999))
def test_a_walk_follows_the_best_sentences_to_pairs(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    held, learned, asked = book(rng, sizes), weights(rng), unit(rng.normal(size=(4, WIDTH)))
    found = walk(held, asked, learned, pieces=2)
    assert found.second is not None
    scores = [score for *_, score in found.pairs]
    assert scores == sorted(scores, reverse=True) and np.isfinite(scores).all()
    assert len({pair[:2] for pair in found.pairs}) == len(found.pairs) <= 16
    assert all(first != second for first, second, _ in found.pairs)
    assert {first for first, *_ in found.pairs} <= {one for one, _ in found.first.best(4)}
    assert walk(held, asked, learned, pieces=1).pairs == ()
    decided = walk(held, asked, learned)
    assert (decided.second is None) == (decided.enough >= 0.5)


def test_the_ablations_change_what_they_should() -> None:
    rng = np.random.default_rng(6)
    held, learned, asked = book(rng, [3, 3, 2]), weights(rng), unit(rng.normal(size=(4, WIDTH)))
    plain = stage(held, asked[:2], learned)
    still = stage(held, asked[:2], learned, settings=WalkSettings(update=False))
    assert still.queries[1] == pytest.approx(asked[1] * 7.0)
    assert plain.queries[1] != pytest.approx(asked[1] * 7.0)
    single = stage(held, asked[:2], learned, settings=WalkSettings(single=True))
    assert single.scores == pytest.approx(held.sentences @ (asked[0] * 7.0), abs=1e-5)
    shared = stage(held, asked[:2], learned, None, np.ones((2, 3), np.float32), WalkSettings(single=True))
    assert shared.scores == pytest.approx(single.scores + learned.sparse.sum(), abs=1e-5)  # words count there too
    alone = stage(held, asked[:2], learned, settings=WalkSettings(paragraphs=False))
    best = int(np.argmax(held.sentences @ (asked[0] * 7.0)))
    left, _ = mix(learned, asked[0] * 7.0, held.sentences[best : best + 1], np.ones(1, np.float32))
    assert alone.queries[1] == pytest.approx(asked[1] * 7.0 + left, abs=1e-4)


def test_a_conversation_is_decided_by_all_its_turns() -> None:
    rng = np.random.default_rng(7)
    held, learned, asked = book(rng, [3, 2]), weights(rng), unit(rng.normal(size=(3, WIDTH)))
    turned = converse(held, asked, learned)
    assert turned.probabilities.sum() == pytest.approx(1.0, abs=1e-5) and len(turned.steps) == 3
    shorter = converse(held, asked[:2], learned)
    assert shorter.steps == turned.steps[:2] and shorter.probabilities != pytest.approx(turned.probabilities)
    flat = replace(learned, classes=np.zeros((WIDTH, 4), np.float32), classes_bias=np.zeros(4, np.float32))
    assert converse(held, asked, flat).probabilities == pytest.approx([0.25] * 4)
