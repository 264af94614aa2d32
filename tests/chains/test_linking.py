"""Linking a text: every name, its pages over all enclaves, and nothing private sent where it is not admitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from answerable.chains.linking import link
from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes.index import Ranking, SearchMode
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import first_query
from answerable.retriever import Retriever
from answerable.serialize import linked_record
from answerable.types import Asker, Passage, Privacy

ENCODER = HashedEncoder()
TEXT = "Did Bell Rock get its lamp from Ada Lovell?"
TABLE = EnclaveTable([public("wiki"), private("mail")])


class Pages:
    """Pages of these titles, without text, in memory."""

    def __init__(self, enclave: str, titles: Sequence[str]) -> None:
        self.stored = [Passage(f"{t}@0", t.lower(), enclave, t, "", 0, 0) for t in titles]
        self.sent: list[tuple[str, bytes, SearchMode, int]] = []

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        assert vector is not None
        self.sent.append((query_text, vector.tobytes(), mode, k))
        rows = ENCODER.encode_entities([(p.title, p.text) for p in self.stored])
        scores = (rows.astype(np.float64) @ vector).tolist()
        found = [(p.id, score) for p, score in zip(self.stored, scores, strict=True) if score > 0.3]
        return sorted(found, key=lambda row: (-row[1], row[0]))[:k]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [p for p in self.stored if p.id in ids]


def door(pages: Mapping[str, Sequence[str]], privacy: Privacy = Privacy.DOCUMENT) -> tuple[Retriever, dict[str, Pages]]:
    shelves = {name: Pages(name, titles) for name, titles in pages.items()}
    return Retriever(TABLE, shelves, ENCODER, privacy), shelves


def test_every_name_gets_the_best_pages_of_all_enclaves() -> None:
    retriever, _ = door({"wiki": ["Bell Rock", "Rock"], "mail": ["Ada Lovell", "Bell Rock order"]})
    linked = link(first_query(TEXT, Asker(), Privacy.DOCUMENT, TABLE), retriever, 2)
    found = {m.text: [(p.title, p.document, p.enclave) for p in m.pages] for m in linked.mentions}
    assert found == {
        "Did Bell Rock": [("Bell Rock", "bell rock", "wiki"), ("Bell Rock order", "bell rock order", "mail")],
        "Ada Lovell": [("Ada Lovell", "ada lovell", "mail")],
    }
    for mention in linked.mentions:
        assert TEXT[mention.start : mention.end] == mention.text and mention.score > 0
        assert list(mention.pages) == sorted(mention.pages, key=lambda page: -page.score)
    assert len(linked.hops) == 4 and linked.seconds > 0
    record = linked_record(linked)
    assert list(record) == ["text", "spans", "seconds"] and record["text"] == TEXT
    assert list(record["spans"][0]) == ["start", "end", "text", "score", "pages"]
    assert list(record["spans"][0]["pages"][0]) == ["title", "document", "enclave", "score"]


def test_an_enclave_is_sent_the_same_whatever_the_others_hold() -> None:
    runs = []
    for mail in (["Ada Lovell"], ["Bell Rock", "Did"], []):
        retriever, shelves = door({"wiki": ["Bell Rock"], "mail": mail})
        link(first_query(TEXT, Asker(), Privacy.DOCUMENT, TABLE), retriever, 1)
        runs.append(shelves["wiki"].sent)
    assert runs[0] == runs[1] == runs[2] and len(runs[0]) == 2


def test_a_private_text_stays_within_what_admits_it() -> None:
    for privacy, asker in ((Privacy.QUERY, Asker()), (Privacy.DOCUMENT, Asker("me", None, frozenset({"mail"})))):
        retriever, shelves = door({"wiki": ["Bell Rock"], "mail": ["Ada Lovell"]}, privacy)
        linked = link(first_query(TEXT, asker, privacy, TABLE), retriever, 1)
        assert shelves["wiki"].sent == [] and len(shelves["mail"].sent) == 2
        assert {hop.enclave for hop in linked.hops if hop.refused} == {"wiki"}


def test_nothing_named_is_ordinary() -> None:
    retriever, shelves = door({"wiki": ["Bell Rock"]})
    linked = link(first_query("who is there?", Asker(), Privacy.DOCUMENT, TABLE), retriever, 1)
    assert linked.mentions == linked.hops == () and shelves["wiki"].sent == []
