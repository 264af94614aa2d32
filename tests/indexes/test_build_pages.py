"""Pages that names are linked to: of which passages they are made, when, and by whom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Store
from answerable.corpora.units import codes, units
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes import build as module
from answerable.types import Document, Passage
from tests.indexes.building import ENCODER, PAGES, answers, builder, folders, fresh, linked, opened
from tests.indexes.samples import passage, put, texts


def long(id: str) -> tuple[Document, list[Passage]]:
    """A document of two passages."""
    document = Document(id, "public", f"About {id}", "A lamp is lit. A horn is blown.", id)
    return document, [passage(document, 0, 15), passage(document, 16, 31)]


def test_only_the_first_passage_of_a_document_is_its_page(store: Store) -> None:
    with store.write() as transaction:
        for id in ("tower", "reef"):
            transaction.put(*long(id))
    builder(store).refresh("public")
    assert (opened(store).vector_count, opened(store).entity_count) == (4, 2)
    assert store.vectors("public", PAGES, 64)[1] == ["tower@0-15", "reef@0-15"]
    expected = units(codes(ENCODER.encode_entities([("About tower", "A lamp is lit.")])))
    np.testing.assert_array_equal(store.vectors("public", PAGES, 64)[2][:1], expected)


def test_pages_are_indexed_only_when_asked_for_and_can_be_added_later(store: Store, tmp_path: Path) -> None:
    first, more, most = texts(60), {"more": "a lamp of more"}, {"most": "a lamp of most"}
    put(store, first)
    builder(store, exact_limit=50, linking=False).refresh("public")
    assert opened(store).entity_count == 0 and linked(store, "About doc00007") == []
    assert folders(store) == ["ann", "lexical"]
    builder(store, exact_limit=50).refresh("public")
    assert linked(store, "About doc00007") == ["doc00007"]
    put(store, more)
    builder(store, exact_limit=50, linking=False).refresh("public")  # off again: what there is stays and is found
    assert linked(store, "About doc00007") == ["doc00007"] and opened(store).entity_count == 60
    builder(store, exact_limit=50, linking=False).delete("public", ["doc00007"])
    assert "doc00007" not in linked(store, "About doc00007", 60) and opened(store).entity_count == 59
    put(store, most)
    builder(store, exact_limit=50).refresh("public")
    left = first | more | most
    del left["doc00007"]
    assert answers(store) == fresh(tmp_path, left, 50)


def test_pages_go_on_where_they_stopped_in_the_same_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Neighbours(HashedEncoder):
        """A vector depends a little on its neighbours, as with int8."""

        def encode_entities(self, texts):
            rows = super().encode_entities(texts)
            return rows + 0.1 * rows.mean(0)

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "entities" and done in (16, 32):
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "BLOCK", 16)
    found = []
    for stops in (0, 2):
        (tmp_path / str(stops)).mkdir()
        with Store(tmp_path / str(stops) / "store.sqlite") as store:
            put(store, texts(50))
            for _ in range(stops):
                with pytest.raises(KeyboardInterrupt):
                    builder(store, encoder=Neighbours(64)).refresh("public", stop)
            assert store.vector_counts("public").get(PAGES, 0) == 16 * stops
            builder(store, encoder=Neighbours(64)).refresh("public")
            found.append(store.vectors("public", PAGES, 64)[2])
    np.testing.assert_array_equal(*found)


def test_an_encoder_that_does_not_link_makes_no_pages(store: Store) -> None:
    class Plain:
        name, dimension = ENCODER.name, ENCODER.dimension
        encode_query, encode_passages = ENCODER.encode_query, ENCODER.encode_passages

    put(store, texts(5))
    builder(store, encoder=Plain()).refresh("public")
    assert store.vector_counts("public") == {ENCODER.name: 5}
