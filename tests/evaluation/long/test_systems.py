"""What every system that reads long documents promises, and what each does besides."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.paragraphs import Paragraph
from answerable.documents.reader import Shelved
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.long.open import Walking, reranked, walks, with_sparse
from answerable.evaluation.long.systems import (
    Answered,
    Bm25,
    Passages,
    Sequential,
    System,
    densest,
    packed,
    rarity,
    where_answered,
)
from answerable.readers.overlap import OverlapReader
from answerable.types import Candidate, Document, Passage

from .stand_ins import EMPTY, TEXT, LongestFirst, blocks, guide, harbour, span

GUIDE = guide()
SYSTEMS: list[System] = [
    *walks(GUIDE),
    reranked(GUIDE, LongestFirst()),
    Bm25(OverlapReader()),
    Sequential(OverlapReader()),
    Passages(OverlapReader(), HashedEncoder()),
]
NAMES = ["walk", "single-hop", "sentence-only", "no-update", "no-sparse", "reranked", "bm25", "sequential", "passages"]
SHELF = GUIDE.open(harbour().document, harbour().paragraphs)


def ask(system: System, question: str, pieces: int = 0, shelf: Shelved = SHELF) -> Answered:
    return system.answer(system.open(shelf, 0.5), question, pieces)


def sentences(answered: Answered) -> list[str]:
    return [TEXT[slice(*SHELF.book.span(row))] for row, _ in answered.ranked]


def test_all_systems_are_there() -> None:
    assert [one.name for one in SYSTEMS] == NAMES


@pytest.mark.parametrize("system", SYSTEMS, ids=NAMES)
class TestEverySystem:
    @pytest.mark.parametrize("pieces", [0, 1, 2])
    @pytest.mark.parametrize(
        "question", ["Who was the first keeper of the harbour of Elm?", "Was Ada Moor born in Kelby?", "zzz", "?"]
    )
    def test_answers_are_ranked_and_finite(self, system: System, question: str, pieces: int) -> None:
        answered = ask(system, question, pieces)
        said = [(-one.score, one.text) for one in answered.candidates]
        assert said == sorted(said)
        scores = [score for _, score in answered.ranked]
        assert scores == sorted(scores, reverse=True)
        rows = [row for row, _ in answered.ranked]
        assert len(set(rows)) == len(rows)
        assert all(0 <= row < len(SHELF.book.sentences) for row in rows)
        pairs = [score for *_, score in answered.pairs]
        assert pairs == sorted(pairs, reverse=True)
        assert all(math.isfinite(one) for one in [*scores, *pairs, *(score for score, _ in said)])
        for one in answered.candidates:
            if one.text not in ("yes", "no"):
                assert TEXT[one.start : one.end] == one.text

    def test_asked_again_it_says_the_same(self, system: System) -> None:
        assert ask(system, "When did the station close?") == ask(system, "When did the station close?")

    def test_an_empty_document_is_ordinary(self, system: System) -> None:
        shelf = GUIDE.open(EMPTY.document, EMPTY.paragraphs)
        answered = ask(system, "Who kept the harbour?", 2, shelf)
        assert (answered.candidates, answered.ranked, answered.pairs, answered.together) == ((), (), (), None)

    def test_it_answers_where_the_words_agree(self, system: System) -> None:
        answered = ask(system, "When did the station of Elm close?", 1)
        assert answered.candidates[0].text == "1964"
        assert sentences(answered)[0] == "The station of Elm closed in 1964."


def test_what_is_kept_of_a_document() -> None:
    opened = {one.name: one.open(SHELF, 0.5) for one in SYSTEMS}
    vectors = SHELF.book.sentences.nbytes + SHELF.book.wholes.nbytes
    assert (opened["walk"].seconds, opened["walk"].size) == (0.5, vectors)
    assert (opened["bm25"].size, opened["sequential"].size) == (0, 0)
    assert opened["passages"].size == opened["passages"].vectors.nbytes > 0  # type: ignore[union-attr]


def test_two_pieces_are_pairs_of_the_walk_and_the_best_two_of_a_single_step() -> None:
    question = "Where was the first keeper of the harbour born?"
    walked = GUIDE.walk(SHELF, question, 2)
    assert walked is not None
    walking = ask(Walking("walk", GUIDE), question, 2)
    assert walking.pairs == walked.pairs
    assert walking.together == walked.pairs[0][:2]
    assert walking.ranked[0] == (walked.pairs[0][1], walked.pairs[0][2])
    single = ask(SYSTEMS[1], question, 2)
    assert single.together == (single.ranked[0][0], single.ranked[1][0])
    assert ask(SYSTEMS[1], question, 1).pairs == ()


def test_reranked_pairs_are_those_of_the_walk_in_another_order() -> None:
    question = "Where was the first keeper of the harbour born?"
    walking, ranked = ask(Walking("walk", GUIDE), question, 2), ask(reranked(GUIDE, LongestFirst()), question, 2)
    assert {pair[:2] for pair in ranked.pairs} <= {pair[:2] for pair in walking.pairs}
    assert ranked.pairs[0][2] == max(score for *_, score in ranked.pairs)
    assert len({one.chain.key for one in ranked.candidates}) <= GUIDE.settings.windows
    assert ask(reranked(GUIDE, LongestFirst()), question, 1) == ask(Walking("walk", GUIDE), question, 1)


def test_the_sparse_feature_is_left_out_or_put_in() -> None:
    names = [one.name for one in walks(replace(GUIDE, weights=with_sparse(GUIDE.weights, 0.0)))]
    assert names[-1] == "sparse"
    assert "no-sparse" not in names


def test_a_long_paragraph_is_read_where_most_of_the_words_stand() -> None:
    text = " ".join([*["Nothing is said of it here."] * 30, "The mill of Arle burned in 1702.", *["So it was."] * 30])
    document = Document("d", "public", "", text, "made")
    shelf = GUIDE.open(document, blocks(text))
    rare = rarity(shelf, "When did the mill of Arle burn?")
    found = densest(shelf.book, 0, rare, 120)
    assert "Arle burned in 1702" in found.text
    assert found.text == text[found.start : found.end]
    assert len(found.text) <= 120
    assert densest(shelf.book, 0, rare, len(text)).text == text


@given(st.lists(st.integers(1, 2000), max_size=12))
def test_packed_passages_keep_their_order_and_fit(sizes: list[int]) -> None:
    passages = [Passage(f"p{i}", "d", "public", "", "x" * size, 0, size) for i, size in enumerate(sizes)]
    chains = packed(passages)
    assert [hit.passage for chain in chains for hit in chain.hits] == passages
    for chain in chains:
        assert len(chain.hits) == 1 or sum(len(hit.passage.text) for hit in chain.hits) <= 1300


def test_a_candidate_is_found_in_its_sentence_and_a_yes_in_the_fullest() -> None:
    rare = rarity(SHELF, "Was Ada Moor born in Kelby?")
    chain = GUIDE.chains(SHELF.book, GUIDE.walk(SHELF, "Elm", 1))[0]  # type: ignore[arg-type]
    for part in ("Ada Moor was", "1871", "Sundays", "1964"):
        ((row, _),) = where_answered(SHELF.book, [Candidate(part, 0.0, chain, 0, *span(part))], rare)
        assert part in TEXT[slice(*SHELF.book.span(row))]
    whole = Paragraph(*span("Ada Moor was born in Kelby. She painted lamps in winter."), (), ())
    ((row, _),) = where_answered(SHELF.book, [Candidate("yes", 0.0, chain, 0, whole.start, whole.end)], rare)
    assert TEXT[slice(*SHELF.book.span(row))] == "Ada Moor was born in Kelby."
