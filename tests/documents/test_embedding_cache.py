"""Books as they are kept: the same again, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.paragraphs import paragraphs
from answerable.documents.encoded import digest, keep, open_book, reopen
from answerable.encoders.hashed import HashedNavigator
from answerable.types import Document, Section

NAVIGATOR = HashedNavigator(16)
TEXTS = st.lists(st.text("ab. \n", min_size=1, max_size=40), min_size=1, max_size=5).map("\n\n".join)


def document(text: str, title: str = "Lamps") -> Document:
    return Document("d", "notes", title, text, "d.md", sections=(Section("Oil", 1, 0, len(text)),))


@given(TEXTS)
def test_a_kept_book_is_the_book_at_half_the_precision(text: str) -> None:
    one = document(text)
    book = open_book(one, paragraphs(one), NAVIGATOR)
    again = reopen(one, paragraphs(one), keep(book))
    assert again is not None and again.paragraphs == book.paragraphs
    np.testing.assert_array_equal(again.firsts, book.firsts)
    for kept, made in ((again.sentences, book.sentences), (again.wholes, book.wholes)):
        assert kept.dtype == np.float32
        np.testing.assert_allclose(kept, made, atol=1e-3)


@given(TEXTS, TEXTS)
def test_another_text_has_another_digest(one: str, other: str) -> None:
    first, second = document(one), document(other)
    assert (digest(first, paragraphs(first)) == digest(second, paragraphs(second))) == (one == other)


def test_what_is_of_another_title_text_or_structure_is_refused() -> None:
    one = document("Oil\n\nColza burns.\n\nParaffin burns longer. It is cheaper.")
    structure = paragraphs(one)
    kept = keep(open_book(one, structure, NAVIGATOR))
    assert reopen(one, structure, kept)
    assert reopen(replace(one, title="Wicks"), structure, kept) is None
    assert reopen(replace(one, text=one.text.replace("Colza", "Whale")), structure, kept) is None
    elsewhere = (replace(structure[0], path=("Wicks",)), *structure[1:])
    assert reopen(one, elsewhere, kept) is None
    assert reopen(one, structure, replace(kept, wholes=kept.wholes[:0])) is None


def test_a_long_document_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    one = document("\n\n".join(f"Lamp {number} burns {'long ' * 60}." for number in range(7)))
    structure = paragraphs(one)
    whole, told = open_book(one, structure, NAVIGATOR, lambda *_: pytest.fail("it is short")), []
    monkeypatch.setattr("answerable.documents.encoded.AT_ONCE", 2)
    parts = open_book(one, structure, NAVIGATOR, lambda done, total: told.append((done, total)))
    np.testing.assert_array_equal(parts.sentences, whole.sentences)
    count = len(structure)
    assert count > 4 and told == [(min(done, count), count) for done in range(2, count + 2, 2)]
