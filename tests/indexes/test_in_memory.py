"""Passages held in memory are ranked as the index of an enclave ranks them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Row
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import IndexMismatch
from answerable.indexes.in_memory import HeldPassages
from answerable.indexes.index import weighed
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.indexes.vectors import ExactVectors
from answerable.types import Passage, Skill

ENCODER = HashedEncoder(96)
RNG = random.Random(3)
WORDS = ["lamp", "lamps", "tower", "Oslo", "granite", "keeper", "the", "of", "café", "1909", "pier", "harbour"]
STORED = [
    Passage(f"p{n:02d}", "d", "wiki", RNG.choice(WORDS), " ".join(RNG.choices(WORDS, k=RNG.randint(1, 30))), 0, 0)
    for n in range(40)
]
IDS = [one.id for one in STORED]
ROWS = ENCODER.encode_passages([(one.heading, one.text) for one in STORED]).astype(np.float16)
HELD = HeldPassages(STORED, dict(zip(IDS, ROWS, strict=True)))
QUERIES = ["Where is the granite lamp?", "cafe of 1909", "the of", "keepers harbour pier Oslo", "nothing here"]


def _vector(text: str) -> np.ndarray:
    return ENCODER.encode_query(text, Skill.SINGLE)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Bm25Index:
    folder: Path = tmp_path_factory.mktemp("bm25")
    rows = [Row(key, one.id, one.title, one.section, one.text) for key, one in enumerate(STORED)]
    build_bm25(rows, folder, lambda *_: None, len(rows))
    return Bm25Index(folder, lambda keys: {key: IDS[key] for key in keys})


@pytest.mark.parametrize("query", QUERIES)
def test_words_are_scored_as_on_disk(words: Bm25Index, query: str) -> None:
    found, expected = HELD.search(query, None, "lexical", 40), words.search(query, 40)
    assert dict(found) == pytest.approx(dict(expected), rel=1e-4)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@pytest.mark.parametrize("query", QUERIES)
def test_vectors_and_both_fused_are_ranked_as_on_disk(words: Bm25Index, query: str) -> None:
    vector, exact = _vector(query), ExactVectors(IDS, ROWS)
    assert HELD.search(query, vector, "dense", 7) == exact.search(vector, 7)
    expected = weighed(HELD.search(query, None, "lexical", 40), dict(exact.search(vector, 40)), 7)
    assert HELD.search(query, vector, "hybrid", 7) == expected


def test_without_vectors_words_alone_rank() -> None:
    held, words = HeldPassages(STORED, {}), HELD.search(QUERIES[0], None, "lexical", 5)
    assert held.search(QUERIES[0], _vector(QUERIES[0]), "dense", 5) == words
    assert held.search(QUERIES[0], _vector(QUERIES[0]), "hybrid", 5) == weighed(words, {}, 5)


def test_passages_without_a_vector_are_found_by_their_words() -> None:
    held = HeldPassages(STORED, dict(zip(IDS[:5], ROWS[:5], strict=True)))
    found = {id for id, _ in held.search("granite", _vector("granite"), "hybrid", 40)}
    assert found == {*IDS[:5], *(id for id, _ in HELD.search("granite", None, "lexical", 40))}


def test_a_vector_of_another_encoder_is_refused() -> None:
    with pytest.raises(IndexMismatch, match="96 dimensions"):
        HELD.search("lamp", np.ones(5, np.float32), "dense", 3)


def test_a_mention_finds_nothing() -> None:
    assert HELD.search("", ROWS[0].astype(np.float32), "entity", 5) == []
