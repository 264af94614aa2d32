from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.reader import Guide, ReadSettings, window
from answerable.documents.weights import plain_weights
from answerable.encoders.encoder import Vectors
from answerable.readers.overlap import OverlapReader
from answerable.types import Document
from tests.documents.worlds import book

KEYS = "harbour tide keeper wall boat lamp storm rope".split()
TEXT = "\n\n".join(
    [
        "The harbour lies in the north. It was dug by hand.",
        "The tide rises four metres. Boats wait for it.",
        "Its first keeper was Ada Moor. She lit the lamp for thirty years.",
        "The wall fell in a storm. It was built again with new stone.",
    ]
)


class KeyNavigator:
    """Sentences as the keys they hold."""

    name, dimension = "keys", len(KEYS)

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        return [(np.stack([self._of(one) for one in some]), self._of(" ".join(some))) for _, some in paragraphs]

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        every = " ".join(sentences)
        return np.stack([*(self._of(one) for one in sentences), *[self._of(every)] * nulls])

    def _of(self, text: str) -> Vectors:
        held = np.array([float(key in text.lower()) for key in KEYS], np.float32) + 0.01
        vector: Vectors = held / np.linalg.norm(held)
        return vector


GUIDE = Guide(KeyNavigator(), plain_weights(len(KEYS)), OverlapReader(), ReadSettings(windows=2, room=80, wide=1000))


def test_a_question_is_answered_from_where_the_walk_leads() -> None:
    shelf = GUIDE.open(Document("d", "notes", "Notes", TEXT, "notes.txt"))
    found = GUIDE.read(shelf, "Who was the first keeper?", pieces=1)
    assert found.walked and "keeper" in TEXT[slice(*shelf.book.span(found.walked.first.best(1)[0][0]))]
    best = found.candidates[0]
    assert "keeper" in best.chain.hits[best.hit].passage.text and TEXT[best.start : best.end] == best.text
    assert found.chains[0].score == 0.0
    assert all(chain.score <= 0.0 for chain in found.chains)
    assert all(hit.passage.text == TEXT[hit.passage.start : hit.passage.end] for c in found.chains for hit in c.hits)


def test_two_pieces_are_read_together() -> None:
    shelf = GUIDE.open(Document("d", "notes", "Notes", TEXT, "notes.txt"))
    found = GUIDE.read(shelf, "Did the keeper see the storm?", pieces=2)
    assert any(len(chain.hits) == 2 for chain in found.chains)


def test_a_document_without_text_has_no_answer() -> None:
    shelf = GUIDE.open(Document("d", "notes", "Notes", " \n\n ", "notes.txt"))
    found = GUIDE.read(shelf, "Who was the first keeper?")
    assert found.candidates == found.chains == () and found.walked is None


def test_more_is_read_around_a_sentence_of_a_wide_paragraph() -> None:
    held = book(np.random.default_rng(1), [40, 3])
    narrow, wide = GUIDE.window(held, 41), GUIDE.window(held, 20)
    assert narrow.text == held.document.text[narrow.start : narrow.end] and narrow.end - narrow.start <= 80
    assert held.paragraphs[0].end - held.paragraphs[0].start > 1000 and 300 < wide.end - wide.start <= 500


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 400), st.data())
def test_a_window_is_whole_sentences_of_one_paragraph(sizes: list[int], room: int, data: st.DataObject) -> None:
    held = book(np.random.default_rng(1), sizes)
    sentence = data.draw(st.integers(0, sum(sizes) - 1))
    passage = window(held, sentence, room)
    start, end = held.span(sentence)
    spans = held.paragraphs[held.paragraph(sentence)].sentences
    assert passage.start <= start < end <= passage.end
    assert passage.start in [a for a, _ in spans] and passage.end in [b for _, b in spans]
    assert passage.text == held.document.text[passage.start : passage.end]
    assert passage.end - passage.start <= max(room, end - start)
