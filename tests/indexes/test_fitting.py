"""Searching what fits a filter finds what the whole index finds of it, held in memory or cut from a deeper search."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.fields import Filter
from answerable.corpora.store import Store
from answerable.indexes import fitting as module
from answerable.indexes.enclave import EnclaveIndex
from answerable.indexes.fitting import ByFields, narrowed
from answerable.types import Document, Skill
from tests.indexes.building import ENCODER, QUERIES, builder, opened
from tests.indexes.samples import passage, sentences

FROM_KIM = Filter(sender="kim")


@pytest.fixture
def index(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as store:
        with store.write() as transaction:
            for number, text in enumerate(sentences(120)):
                meta = {"from": "kim@x.example" if number % 8 == 0 else "lee@x.example", "to": [], "date": ""}
                one = Document(f"d{number:03}", "public", "A mail", text, "m.mbox", "mail", (), meta)
                transaction.put(one, [passage(one)])
        builder(store).refresh("public")
        yield opened(store)


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid", "entity"])
def test_it_is_the_whole_ranking_without_what_does_not_fit(
    index: EnclaveIndex, monkeypatch: pytest.MonkeyPatch, mode, few: int
) -> None:
    monkeypatch.setattr(module, "FEW", few)
    part = index.fitting(FROM_KIM)
    fit = set(index._store.passages_of("public", FROM_KIM.fitting(index.fields()) or ()))
    assert len(fit) == 15
    for query in QUERIES:
        vector = ENCODER.encode_query(query, Skill.SINGLE)
        found = part.search(query, vector, mode, 5)
        expected = [row for row in index.search(query, vector, mode, 120) if row[0] in fit][:5]
        assert len(found) == len(expected)
        for (_, score), (_, other) in zip(found, expected, strict=True):
            assert score == pytest.approx(other, rel=0.05)  # held in memory, lengths are held against their own mean
        assert few or found == expected
        assert [one.id for one in part.passages([id for id, _ in found])] == [id for id, _ in found]


def test_nothing_fits_and_everything_fits(index: EnclaveIndex) -> None:
    vector = ENCODER.encode_query("lamp", Skill.SINGLE)
    nobody = index.fitting(Filter(sender="nobody"))
    assert nobody.search("lamp", vector, "hybrid", 5) == [] == nobody.search("lamp", vector, "entity", 5)
    assert nobody.fetch("lamp", vector, "hybrid", 5) == ([], {})
    whole = index.fitting(Filter(after="2001"))  # no mail here has a date
    assert whole.search("lamp", vector, "hybrid", 5) == index.search("lamp", vector, "hybrid", 5)
    found = whole.fetch("lamp", vector, "dense", 5)
    assert found[0] == index.search("lamp", vector, "dense", 5) and len(found[1]) == 5
    part = index.fitting(FROM_KIM).fetch("lamp", vector, "dense", 5)
    assert {id for id, _ in part[0]} == set(part[1]) and len(part[1]) == 5


def test_what_fits_a_part_of_a_filter_alone_does_not_fit_it(index: EnclaveIndex) -> None:
    """Two fields are asked for, and nothing here has a day: what is from Kim is searched, and cannot answer alone."""
    both = Filter(sender="kim", after="2001")
    assert [row[2][:3] for row in index.fitting(both).fields()] == ["kim"] * 15
    assert index.fitting(FROM_KIM).restricts and not index.fitting(both).restricts
    assert not index.fitting(Filter(after="2001")).restricts and index.fitting(Filter(kinds="mail")).restricts


def test_a_part_of_a_part_has_the_fields_of_what_is_left(index: EnclaveIndex) -> None:
    part = index.fitting(FROM_KIM)
    ids = [row[0] for row in part.fields()]
    assert len(ids) == 15 and all("kim" in row[2] for row in part.fields())
    fewer = part.among(ids[:3])
    assert [row[0] for row in fewer.fields()] == ids[:3]
    found = fewer.search("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "dense", 9)
    assert {one.document_id for one in fewer.passages([id for id, _ in found])} == set(ids[:3])
    assert [fewer.openings(ids)[id].document_id for id in ids] == ids


def test_what_fields_choose_is_found_in_their_order(index: EnclaveIndex) -> None:
    chosen = ByFields(index, lambda rows: [row[0] for row in rows[::-1]])
    ranking = chosen.search("whatever", None, "lexical", 3)
    assert [one.document_id for one in chosen.passages([id for id, _ in ranking])] == ["d119", "d118", "d117"]
    assert [score for _, score in ranking] == sorted({score for _, score in ranking}, reverse=True)
    assert chosen.fetch("whatever", None, "lexical", 3) == (ranking, {})


def test_a_document_without_a_passage_opens_with_all_of_it(index: EnclaveIndex) -> None:
    head = Document("head", "public", "Hello", "From: kim", "m.mbox", "mail")
    with index._store.write() as transaction:
        transaction.put(head, [])
    (one,) = index.openings(["head", "gone"]).values()
    assert (one.document_id, one.title, one.text, one.start, one.end) == ("head", "Hello", "From: kim", 0, 9)


class Foreign:
    """An index that knows no fields."""

    def search(self, *_: object) -> list[tuple[str, float]]:
        raise AssertionError("it is not to be asked")

    fetch = passages = search


def test_what_knows_no_fields_is_left_out_under_a_filter_by_them_alone(index: EnclaveIndex) -> None:
    both = {"mail": index, "wiki": Foreign()}
    kept, left_out = narrowed(both, Filter(enclaves=("wiki",)))  # type: ignore[arg-type]
    assert list(kept) == ["wiki"] and left_out == {"mail": "mail is left out by the filter"}
    kept, left_out = narrowed(both, FROM_KIM)  # type: ignore[arg-type]
    assert list(kept) == ["mail"]
    assert left_out == {"wiki": "wiki cannot be asked for fields of documents and is left out by the filter"}
