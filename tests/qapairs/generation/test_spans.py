from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.encoders.choose import SHIPPED
from answerable.encoders.segments import Segments
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.qapairs.generation.heads import (
    LONGEST,
    MARKS,
    PAIRS,
    SHARED,
    SPANS,
    SpanExtractor,
    SpanHead,
    inside,
    likeliest,
    open_head,
    windows,
)
from tests.contracts.extractor import LIGHT, ExtractorContract, passage

WIDTH, HIDDEN = 6, 5
SEGMENTS = Segments(SHIPPED / "tokenizer.json")


@pytest.fixture(scope="module")
def encoder() -> ModularEncoder:
    return ModularEncoder(SHIPPED / "skills", 1)


class TestShipped(ExtractorContract):
    @pytest.fixture(autouse=True)
    def _open(self, encoder: ModularEncoder) -> None:
        self.extractor = SpanExtractor(encoder)

    def test_finds_what_is_asked_for(self) -> None:
        found = {one.text: one.score for one in self.extractor.extract([passage(LIGHT)])[0]}
        assert {"Alan Stevenson", "1844"} <= set(found)

    def test_gives_no_more_than_asked_and_the_likeliest(self, encoder: ModularEncoder) -> None:
        (many,) = SpanExtractor(encoder, most=8).extract([passage(LIGHT)])
        (few,) = SpanExtractor(encoder, most=2).extract([passage(LIGHT)])
        assert sorted(many, key=lambda one: -one.score)[:2] == sorted(few, key=lambda one: -one.score)
        assert sum(one.score for one in many) <= 1 + 1e-9

    def test_the_end_of_a_long_passage_is_read_too(self) -> None:
        long = "The weather was mild and nothing happened. " * 60 + LIGHT
        (found,) = self.extractor.extract([passage(long)])
        assert found[-1].start > 60 * 40


class Fixed:
    """An encoder of another name."""

    name = "skills-00000000"


def test_a_head_of_another_encoder_is_refused_with_the_way_out() -> None:
    with pytest.raises(ModelError) as error:
        open_head(PAIRS / "spans", SPANS, Fixed.name)
    assert "skills-52921aa5" in str(error.value) and "answerable train" in str(error.value)


def test_a_damaged_or_foreign_head_is_refused(encoder: ModularEncoder, tmp_path: Path) -> None:
    shutil.copytree(PAIRS / "spans", tmp_path / "damaged")
    (tmp_path / "damaged" / SPANS).write_bytes(b"nothing")
    with pytest.raises(ModelError, match="damaged"):
        SpanExtractor(encoder, tmp_path / "damaged")
    shutil.copytree(PAIRS / "spans", tmp_path / "foreign")
    about = json.loads((tmp_path / "foreign" / "manifest.json").read_text())
    (tmp_path / "foreign" / "manifest.json").write_text(json.dumps({**about, "expert": "poet"}))
    with pytest.raises(ModelError, match="no extractor"):
        SpanExtractor(encoder, tmp_path / "foreign")


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet="ab Z9.,-(é\n’%$", max_size=300), title=st.sampled_from(["", "A title"]))
def test_windows_hold_every_token_once_and_spans_have_whole_words(text: str, title: str) -> None:
    found = windows(SEGMENTS, title, text, most=40)
    _, offsets = SEGMENTS.words(text, 4098)
    assert [tuple(pair) for window in found for pair in window.offsets.tolist()] == offsets
    for window in found:
        assert len(window.row.ids) <= 40 and len(window.marks) == len(window.offsets) <= len(window.row.ids) - 2
        for at in np.flatnonzero(window.begins):
            start = int(window.offsets[at, 0])
            assert start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
        for at in np.flatnonzero(window.ends):
            end = int(window.offsets[at, 1])
            assert end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())


def _head(seed: int) -> SpanHead:
    rng = np.random.default_rng(seed)
    shapes = {"first": (WIDTH + MARKS, HIDDEN), "last": (WIDTH + MARKS, HIDDEN), "long": (LONGEST, HIDDEN)}
    shapes |= {"bias": (HIDDEN,), "out": (HIDDEN,)}
    return SpanHead({name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()})


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), count=st.integers(1, 60))
def test_scores_are_those_of_an_mlp_over_both_ends_side_by_side(seed: int, count: int) -> None:
    text = " ".join(["Word", "seen", "7", "un-", "of,"][(seed + i) % 5] for i in range(count))
    (window,) = windows(SEGMENTS, "", text)
    head, size = _head(seed), len(window.offsets)
    hidden = np.random.default_rng(seed + 1).normal(size=(len(window.row.ids), WIDTH)).astype(np.float32)
    seen = inside(window, hidden)
    scores = head.scores(window, seen)
    weights = np.concatenate([head.first, head.last])
    for i in range(size):
        for d in range(LONGEST):
            if i + d < size and window.begins[i] and window.ends[i + d]:
                ends = np.concatenate([seen[i], seen[i + d]])
                wanted = np.maximum(ends @ weights + head.bias + head.long[d], 0) @ head.out
                assert scores[i, d] == pytest.approx(wanted, rel=1e-3, abs=1e-3)
            else:
                assert scores[i, d] == -np.inf


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), most=st.integers(1, 12))
def test_the_likeliest_spans_share_little_and_their_probabilities_are_over_all(seed: int, most: int) -> None:
    (window,) = windows(SEGMENTS, "", "Alan Stevenson built Skerryvore in 1844, and many others after it.")
    rng = np.random.default_rng(seed)
    scores = np.full((len(window.offsets), LONGEST), -np.inf, np.float32)
    for i, j in combinations(range(len(window.offsets)), 2):
        if window.begins[i] and window.ends[j] and j - i < LONGEST:
            scores[i, j - i] = rng.normal()
    found = likeliest([window], [scores], most)
    assert 0 < len(found) <= most
    assert [p for *_, p in found] == sorted((p for *_, p in found), reverse=True)
    for (a, b, _), (c, d, _) in combinations(found, 2):
        assert max(0, min(b, d) - max(a, c)) <= SHARED * (max(b, d) - min(a, c))
    best = np.unravel_index(np.argmax(scores), scores.shape)
    likely = np.exp(scores[np.isfinite(scores)].astype(np.float64))
    assert found[0][2] == pytest.approx(float(np.exp(np.float64(scores[best])) / likely.sum()), rel=1e-6)
    assert found[0][0] == window.offsets[best[0], 0]
